"""`--model` and `inspect` with every form of a tokenizer that `import` reads, and with others."""

import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

import oracle
from artifacts import canonical
from cli_tools import BPETITE, call, in_words, lines, printed, refusal, refused, rows_of
from compare.test_import import tekken
from compare_tools import CORPUS
from failures import contents_of
from hugging_face_files import END, NFC, TEMPLATE, Change, File, both, model, named, top

COMMANDS: Final = [
    "count --text 'the cat' -m",
    "count a.txt --by-token -m",
    "show --text 'the cat' --json -m",
    "show --text 'the cat' --steps -m",
    "encode a.txt -m",
    "decode 97 256 -m",
    "inspect --token 258 -m",
    "diff m.json",
    "inspect --tokens -m",
    "inspect --tokens m.json --since",
    "sizes a.txt --json -m",
    "truncate --vocab-size 260 -o new.json --force -m",
    "train a.txt --vocab-size 275 --keep-ids -o new.json --force --start",
    "export --to tiktoken -o new.ranks --force -m",
    "export --to huggingface -o new --force -m",
    "parity a.txt -m",
    "compare-tiktoken --encoding self --text 'the cat' -m",
    "compare --text 'the cat' -m m.json -m",
]
"""Calls that end with the name of a tokenizer."""


def written(folder: Path, *changes: Change) -> Path:
    """Write a `tokenizer.json` with these changes into a new folder."""
    both(*changes)(file := File())
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(file.content), encoding="utf-8")
    return folder


@pytest.fixture
def work(here: Path) -> Path:
    """Return the working directory, with a text, a tokenizer and one that is a model's folder."""
    (here / "a.txt").write_bytes(CORPUS.encode())
    written(here / "hf")
    printed("import hf -o m.json")
    return here


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_takes_a_models_folder(work: Path, words: str) -> None:
    """What it prints and saves is that of the imported file."""
    made: list[Mapping[str, bytes]] = []
    for name in ("m.json", "hf"):
        shown = printed(f"{words} {name}").replace(b'"hf"', b'"m.json"')
        shown = re.sub(rb'("elapsed_ms": |"seconds": )[\d.]+', rb"\1", shown)
        files = {one.name: one.read_bytes() for one in work.glob("new*") if one.is_file()}
        made.append(files | {"": shown})
    assert made[0] == made[1]
    assert made[0][""] or "--since" in words


def test_a_tokenizer_is_proved_in_the_form_of_an_export(work: Path) -> None:
    """`verify` takes an export of a trained tokenizer, and the one that it continues."""
    printed("train a.txt --vocab-size 280 -o t.json")
    for size, name in ((280, "big"), (270, "small")):
        printed(f"truncate t.json --vocab-size {size} -o {name}.json")
        printed(f"export {name}.json --to huggingface -o {name}")
    (proof,) = rows_of("verify -m big a.txt --start small")
    assert (proof["equal"], proof["merges_proved"]) == (True, 10)


def in_two_files(folder: Path) -> Path:
    """Write GPT-2's two files, and a configuration that names the class."""
    vocab = File().model["vocab"]
    (folder / "vocab.json").write_text(json.dumps(vocab))
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *File().model["merges"], ""]))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    return folder


def with_ranks(folder: Path) -> Path:
    """Write ranks beside a `tokenizer.json` with their pattern, which has no NFC then."""
    printed("export m.json --to tiktoken -o", str(folder / "x.tiktoken"))
    return folder


def with_tekken(folder: Path) -> Path:
    """Write a `tekken.json`."""
    (folder / "tekken.json").write_bytes(tekken())
    return folder


NO_LIST: Final = f"no file lists its special tokens, so it has {END}"
OF_CLASS: Final = (
    "not checked: the pattern gpt2, that of the class GPT2Tokenizer, which models with other "
    "patterns have too"
)
WHERE: Final = "is left out: ids differ only where whitespace is directly"
NO_TEXT: Final = (
    "1 tokens with letters that stand for no byte are left out, as no text has them ('\u65e5')"
)
NO_ID: Final = (
    "its bytes without an id get the ids 270 to 270 in their order, for which the model has no "
    "rows: 0x04, and 0 that UTF-8 never uses"
)
FORMS: Final[dict[str, tuple[Callable[[Path], Path], str, str, list[str]]]] = {
    "a folder": (written, "", "", []),
    "tokenizer.json": (written, "tokenizer.json", "", []),
    "vocab.json": (in_two_files, "vocab.json", "--pattern gpt2", [NO_LIST, OF_CLASS]),
    "merges.txt": (in_two_files, "merges.txt", "--pattern gpt2", [NO_LIST, OF_CLASS]),
    "ranks": (lambda folder: with_ranks(written(folder)), "x.tiktoken", "", []),
    "tekken.json": (
        with_tekken,
        "tekken.json",
        "",
        ["3 of the ids from 0 to 2, which are for special tokens, have no name"],
    ),
    "NFC": (
        lambda folder: written(folder, top(normalizer=NFC)),
        "",
        "--drop-normalizer",
        ["its normalizer, NFC, is left out: ids are the model's for text in NFC"],
    ),
    "all that can be left out": (
        lambda folder: written(
            folder,
            lambda file: file.model["vocab"].update({"\u65e5": file.model["vocab"].pop("\u0104")}),
            top(normalizer=NFC, post_processor=TEMPLATE),
            named("<m>", "<n>", rstrip=True, special=True),
        ),
        "tokenizer.json",
        "--drop-normalizer --drop-strip --add-missing-bytes",
        [
            "its normalizer, NFC, is left out: ids are the model's for text in NFC",
            "its post_processor, TemplateProcessing, adds special tokens to a text",
            f"rstrip of '<m>', '<n>' {WHERE} after such a token",
            NO_TEXT,
            NO_ID,
        ],
    ),
}
"""How to make each form in a folder, its name there, options of `import`, and what a line says."""


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_imported(work: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokenizer is that of `import`; one line on standard error names what is left out."""
    make, name, options, left_out = FORMS[form]
    (work / "form").mkdir()
    source = make(work / "form") / name if name else make(work / "form")
    printed(f"import form/{name} {options} -o imported.json")
    result = call(f"truncate --vocab-size 256 -o new.json -m form/{name}")
    assert result.returncode == 0, result.stderr
    assert result.told == ([f"form/{name}: {'; '.join(left_out)}"] if left_out else [])
    printed("truncate imported.json --vocab-size 256 -o expected.json")
    assert (work / "new.json").read_bytes() == (work / "expected.json").read_bytes()
    assert source.exists()
    assert call(f"encode --text x -q -m form/{name}").stderr == b""
    if "--drop" in options:
        monkeypatch.setattr(time, "process_time", count(step=2).__next__)
        saving = call(f"encode --text x -m form/{name}").told[-1]
        assert (
            f"; `bpetite import form/{name} {options} --output NEW.json` saves the tokenizer"
            in saving
        )


def test_a_tokenizer_has_one_digest(work: Path) -> None:
    """`inspect` prints the same for all forms of a tokenizer, and `diff` calls them the same."""
    for form, name in (("huggingface", "json"), ("gpt2", "two")):
        printed(f"export m.json --to {form} -o {name}")
    printed("export m.json --to gguf --bos '<|endoftext|>' -o m.gguf")
    printed("export m.json --to tiktoken -o json/x.tiktoken")
    (work / "two" / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    (work / "tekken.json").write_bytes(tekken(first=0))
    printed("import tekken.json -o t.json")
    printed("export t.json --to huggingface -o of-tekken")
    for name, *others in (
        ("m.json", "hf", "json", "json/x.tiktoken", "two", "two/merges.txt", "m.gguf"),
        ("t.json", "tekken.json", "of-tekken"),
    ):
        digest = hashlib.sha256((work / name).read_bytes()).hexdigest()
        for other in (name, *others):
            assert [row["sha256"] for row in rows_of(f"inspect {other} --json")] == [digest]
            assert in_words(f"diff {name} {other}") == ["the same tokenizer", f"sha256: {digest}"]


def test_files_of_a_model_that_disagree_are_found(work: Path) -> None:
    """Two forms in one folder are compared without a hint: here one has a pattern of its own."""
    (work / "tekken.json").write_bytes(tekken(first=0))
    printed("import tekken.json -o t.json")
    content = json.loads((work / "t.json").read_bytes())
    content["pretokenizer_pattern"] = oracle.ONLY_VERSION_3["qwen3.5"]
    (work / "t.json").write_bytes(canonical(content))
    printed("export t.json --to huggingface -o f")
    shutil.move("tekken.json", "f")
    shown = call("diff f/tokenizer.json f/tekken.json --output-format text")
    different, digests, *told = lines(shown.stdout)
    assert (shown.returncode, different, len(digests)) == (1, "different tokenizers", 141)
    assert told == ["pattern: qwen3.5 and tekken"]


def test_what_the_digest_does_not_cover_is_named(work: Path) -> None:
    """A line names what of the source is not in the tokenizer file, if there is anything."""
    written(work / "hf", top(normalizer=NFC), named("<m>", special=True))
    (told,) = [line for line in in_words("inspect hf") if line.startswith("not in sha256")]
    assert told.split(maxsplit=3)[3] == "normalizers, flags of special tokens"
    assert not [line for line in in_words("inspect m.json") if line.startswith("not in sha256")]


def test_the_files_of_a_model_are_not_replaced(work: Path) -> None:
    """A folder as `--model` is an input: its files stay, also with --force; others are replaced."""
    (work / "two").mkdir()
    in_two_files(work / "two")
    before = contents_of(work)
    for words in (
        "encode -m two/vocab.json a.txt -o two/merges.txt",
        "train a.txt --start two/merges.txt --vocab-size 300 -o two/vocab.json",
        "truncate -m two --vocab-size 256 -o two/tokenizer_config.json",
        "truncate -m two/vocab.json --vocab-size 256 -o two/tokenizer_config.json",
        "encode -m hf a.txt -o hf/tokenizer.json",
        "truncate -m hf --vocab-size 256 -o hf/tokenizer.json",
        "train a.txt --start hf --vocab-size 300 -o hf/tokenizer.json",
        "export -m hf --to huggingface -o hf",
        "export -m hf/tokenizer.json --to huggingface -o hf",
        "export -m hf --to huggingface -o hf/tokenizer.json",
    ):
        told = refusal(f"{words} --force")[-1]
        assert told.endswith(" is also an input and would be overwritten; choose another output")
    assert contents_of(work) == before
    for _ in range(2):
        printed("encode -m hf a.txt -o hf/ids --force")


# What does not open

UNIGRAM: Final = {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 0}
OURS: Final = "cannot use this tokenizer file: trap: "


def both_forms(path: Path) -> None:
    """Make a folder with two tokenizers that have other ids."""
    with_tekken(written(path))


def several_ranks(path: Path) -> None:
    path.mkdir()
    for name in "ab":
        (path / f"{name}.tiktoken").write_bytes(b"IQ== 0\n")


def a_vocabulary(path: Path) -> None:
    path.mkdir()
    (in_two_files(path) / "merges.txt").unlink()


def a_pipe_in_a_folder(path: Path) -> None:
    path.mkdir()
    os.mkfifo(path / "tokenizer.json")


def a_large_text(path: Path) -> None:
    path.write_bytes(b"word " * 14_000)
    os.truncate(path, 70_000_000)


TRAPS: Final[dict[str, tuple[Callable[[Path], object], str]]] = {
    "two that disagree": (both_forms, "in its folder disagree: the patterns are gpt2 and tekken"),
    "an empty folder": (Path.mkdir, "trap has no tokenizer: expected tokenizer.json or "),
    "several ranks": (several_ranks, "trap has several files like *.tiktoken; name one"),
    "a folder of ours": (
        lambda path: shutil.copyfile("m.json", written(path) / "tokenizer.json"),
        "cannot import trap/tokenizer.json: it is already a bpetite tokenizer file",
    ),
    "a cut tokenizer.json": (
        lambda path: path.write_bytes(Path("hf/tokenizer.json").read_bytes()[:-9]),
        "cannot import trap: expected JSON: ",
    ),
    "a cut file of ours": (
        lambda path: path.write_bytes(Path("m.json").read_bytes()[:-9]),
        f"{OURS}expected JSON: ",
    ),
    "no bytes": (Path.touch, f"{OURS}expected JSON: "),
    "a broken link": (lambda path: path.symlink_to("gone"), "tokenizer file not found: trap"),
    "a link to itself": (
        lambda path: path.symlink_to("trap"),
        "trap: Too many levels of symbolic links",
    ),
    "a pipe in a folder": (
        a_pipe_in_a_folder,
        "cannot import trap/tokenizer.json: trap/tokenizer.json is not a regular file",
    ),
    "too deep": (
        lambda path: path.write_text('{"model": ' + "[" * 99_999),
        "cannot import trap: expected JSON: more brackets",
    ),
    "a GGUF file that ends": (
        lambda path: path.write_bytes(b"GGUF"),
        "cannot import trap: its begin at byte 0 has 24 bytes, more than are left",
    ),
    "an escape sequence": (
        lambda path: written(path, top(normalizer={"type": "\x1b[2J"})),
        r"its normalizer, \x1b[2J, changes the text",
    ),
    "a lone surrogate": (
        lambda path: written(path, named("<\ud800>")),
        "special token has no lone surrogate, as UTF-8 has none",
    ),
    "a merge of a byte that lacks an id": (
        lambda path: written(path, lambda file: file.model["vocab"].pop("h")),
        "its merge 0 has the token 'h', which has no id",
    ),
    "lengths of whitespace in two passes": (
        lambda path: written(path, named("  ", normalized=True), named("    ")),
        "its added tokens '  ' and '    ' overlap, and only one is `normalized`",
    ),
    "whitespace beside U+001C": (
        lambda path: written(path, named(" \x1c")),
        "a special token has no whitespace beside other characters",
    ),
    "lstrip and single_word": (
        lambda path: written(path, named("<s>", lstrip=True, single_word=True)),
        "single_word of '<s>' changes the text around it",
    ),
    "an id of 2 million": (
        lambda path: written(path, lambda file: file.model["vocab"].update(abc=1 << 21)),
        "its token b'abc' has the id 2097152, not one of 0 to 2097151",
    ),
    "a pipe": (os.mkfifo, "cannot use this tokenizer file: trap is not a regular file"),
    "a large text": (a_large_text, "trap is not a tokenizer file; it looks like plain text"),
    "a pickle": (lambda path: path.write_bytes(pickle.dumps({"a": 1})), f"{OURS}expected UTF-8, "),
    "tensors": (
        lambda path: path.write_bytes(b"\x40\0\0\0\0\0\0\0" + b'{"__metadata__": {}}'),
        f"{OURS}expected JSON: ",
    ),
    "a SentencePiece model": (
        lambda path: path.write_bytes(b"\n\x0e\n\5<unk>\x15\0\0\0\0"),
        "cannot import trap: it is a SentencePiece model, whose tokens are characters, not bytes",
    ),
    "a configuration": (
        lambda path: path.write_text('{"tokenizer_class": "GPT2Tokenizer"}'),
        "cannot import trap: it only configures a tokenizer; name the tokenizer.json beside it",
    ),
    "UTF-16": (lambda path: path.write_text("{}", "utf-16"), f"{OURS}expected UTF-8, "),
    "another object": (lambda path: path.write_text('{"a": "b"}'), f"{OURS}missing key "),
    "Unigram": (
        lambda path: path.write_text(json.dumps({"model": UNIGRAM})),
        "cannot import trap: its model is Unigram, not BPE; ",
    ),
    "another normalizer": (
        lambda path: written(path, top(normalizer={"type": "NFKC"})),
        "its normalizer, NFKC, changes the text; use ",
    ),
    "single_word": (
        lambda path: written(path, named("<s>", single_word=True)),
        "single_word of '<s>' changes the text around it; ",
    ),
    "a vocabulary alone": (a_vocabulary, "trap/merges.txt: No such file or directory"),
}
"""What is made at a path, and a part of the first line."""


@pytest.mark.posix
@pytest.mark.parametrize("trap", TRAPS)
def test_what_does_not_open_says_why(work: Path, trap: str) -> None:
    """One error, of two lines at most, names the true reason; a description does not hide it."""
    make, reason = TRAPS[trap]
    make(work / "trap")
    shown = refusal("count --text x -m trap")
    assert reason in shown[0]
    assert len(shown) <= 2
    result = call("inspect trap")
    assert (result.returncode, result.told) == (1, shown)
    assert not result.stdout or json.loads(result.stdout)["source"]["obstacle"]


@pytest.mark.posix
def test_a_folder_without_permission_is_named(work: Path) -> None:
    """The error is not that it has no tokenizer."""
    before = []
    if os.geteuid() == 0:  # root may read everything
        if not shutil.which("setpriv"):
            pytest.skip("root may do everything, and there is no setpriv to take that away")
        before = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    (work / "hf").chmod(0)
    for words in ("count --text x -m hf", "inspect hf", "import hf -o new.json"):
        command = [*before, BPETITE, *words.split()]
        result = subprocess.run(command, capture_output=True, cwd=work, check=False)
        (told,) = refused(result)
        assert told == (
            "error: hf: Permission denied; change its permissions, or choose another path"
        )
    (work / "hf").chmod(0o700)


def test_a_dash_is_no_file(work: Path) -> None:
    """A tokenizer is not read from standard input."""
    assert refusal("count --text x -m -", stdin=(work / "m.json").read_bytes())[0] == (
        "error: - is neither a file nor a name that tiktoken knows"
    )


@pytest.mark.parametrize("form", ["vocab.json", "ranks"])
def test_a_guess_is_not_taken(work: Path, form: str) -> None:
    """Where no file names the pattern, the error ends with the command that does, quoted."""
    folder = work / "a folder"
    folder.mkdir()
    if form == "ranks":
        with_ranks(folder)
    else:
        (in_two_files(folder) / "tokenizer_config.json").unlink()
    source = "'a folder/vocab.json'" if form == "vocab.json" else "'a folder'"
    told, way_out = refusal(f"count --text x -m {source}")
    assert "would be a guess" in told or "lacks the split pattern" in told
    (command,) = re.findall("import it with `bpetite (.*)`$", way_out)
    assert command == f"import {source} --pattern NAME --output NEW.json"
    printed(f"{command.replace('NAME', 'gpt2')} --special '{END}=267'")
    assert (work / "NEW.json").read_bytes() == (work / "m.json").read_bytes()


# inspect


def test_a_form_is_described(work: Path) -> None:
    """What is known comes first; the rest is that of the imported file, but no special tokens."""
    written(work / "hf", top(normalizer=NFC), named("<s>", "</s>", lstrip=True, normalized=True))
    (work / "hf" / "tokenizer_config.json").write_text('{"eos_token": {"content": "</s>"}}')
    (work / "hf" / "special_tokens_map.json").write_text('{"eos_token": "<s>", "x": "y"}')
    (work / "hf" / "generation_config.json").write_text('{"eos_token_id": [7, 8]}')
    expected = {
        "model": ["BPE"],
        "pattern": ["gpt2"],
        "normalizer": ["NFC"],
        "role": ["eos_token '</s>'", "eos_token_id '[7, 8]'"],
        "left out": [
            "its normalizer, NFC, is left out: ids are the model's for text in NFC",
            f"lstrip of '<s>', '</s>' {WHERE} before such a token",
        ],
        "obstacle": [],
        "special token": [
            f"'{END}' 267 special",
            "'<s>' 268 lstrip normalized",
            "'</s>' 269 lstrip normalized",
        ],
    }
    (data,) = rows_of("inspect hf --json")
    assert data["source"] == expected
    page = [line for line in in_words("inspect hf") if not line.startswith("not in sha256")]
    facts = [f"{topic}: {one}" for topic, found in expected.items() for one in found]
    assert page[: len(facts) + 1] == [*facts, ""]
    printed("import hf --drop-normalizer --drop-strip -o new.json")
    (imported,) = rows_of("inspect new.json --json")
    assert imported["source"] is None
    assert data | {"path": "", "source": None} == imported | {"path": ""}
    own = "\n".join(in_words("inspect new.json")[1:])
    assert "\n".join(page[len(facts) + 2 :]) == re.sub("special tokens\n(.+\n)+\n", "", own)


def test_what_does_not_open_is_described(work: Path) -> None:
    """Each obstacle is a line, long lists are cut for people alone, and the status is 1."""
    names = [f"<x{number}>" for number in range(20)]
    change = both(top(normalizer={"type": "NFKC"}, decoder={"type": "WordPiece"}), named(*names))
    written(work / "hf", change, model(**UNIGRAM), top(pre_tokenizer={"type": "Metaspace"}))
    result = call("inspect hf --json")
    told: dict[str, Any] = json.loads(result.stdout)
    assert (result.returncode, [*told]) == (1, ["path", "source"])
    assert told["source"]["model"] == ["Unigram"]
    assert told["source"]["obstacle"] == [
        "its model is Unigram, not BPE",
        "its pre_tokenizer is Metaspace, not Split, Digits or ByteLevel",
        "its decoder is WordPiece, not ByteLevel",
        "its normalizer, NFKC, changes the text",
    ]
    assert len(told["source"]["special token"]) == 21
    result = call("inspect hf --output-format text")
    shown = result.stdout.decode().splitlines()
    assert shown[-1] == "special token: and 11 more"
    assert len([line for line in shown if line.startswith("special token: ")]) == 11
    assert "obstacle: its normalizer, NFKC, changes the text" in shown
    assert call("inspect hf --tokens").stdout == b""


def test_an_unknown_pattern_is_shown(work: Path) -> None:
    """Also the one that it is most like."""
    split = {"type": "Split", "pattern": {"Regex": "x| +"}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    parts = {"type": "Sequence", "pretokenizers": [split, level | {"trim_offsets": True}]}
    written(work / "hf", top(pre_tokenizer=parts))
    told = json.loads(call("inspect hf").stdout)["source"]
    assert told["pattern"][0].startswith("x| + (spelled most like ")
    assert told["obstacle"] == [f"its split pattern is none that bpetite has: {told['pattern'][0]}"]


def test_a_tokenizer_file_needs_no_other_package(work: Path) -> None:
    """It is read without loading any."""
    code = (
        "import sys, bpetite_cli as b; sys.exit(b.main(sys.argv[1:]) or 'tiktoken' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, "inspect", "m.json"], cwd=work, check=True)
