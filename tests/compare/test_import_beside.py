"""Forms that lack a pattern or special tokens: what lies beside them counts, or a word is said.

One tokenizer is written in the forms in which models are published. Each gives the same ids, or
the import reports what it guessed, or which files disagree.
"""

import base64
import json
from pathlib import Path
from typing import Any, Final

import pytest

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import Imported, export, import_tokenizer
from cli_tools import bpetite, refused
from compare_tools import CORPUS
from hugging_face_files import NO_REGEX, SPLIT, several

NUMBERS: Final = " 1 22 333" * 99
CODE: Final = "f(x);\ng(y);\n" * 50
TEXT: Final = "IT'S 1234 f(x);\n g(y);\n"
"""Its ids depend on the pattern."""
SPECIAL: Final = {"<|im_start|>": 600, "<think>": 601}


class Files:
    """The files of a tokenizer with the pattern qwen2, as a model publishes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        Tokenizer.train(CORPUS + NUMBERS + CODE, 400, pattern="qwen2", special_tokens=[]).save(
            model := folder / "trained"
        )
        export(model, "tiktoken", folder / "ranks")
        export(model, "huggingface", folder / "exported.json")
        self.ranks = (folder / "ranks").read_bytes()
        self.content: Any = json.loads((folder / "exported.json").read_bytes())
        self.content["added_tokens"] = [
            {"id": token_id, "content": name, "special": name != "<think>"}
            | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
            for name, token_id in SPECIAL.items()
        ]
        self.content["model"]["vocab"] |= SPECIAL
        for name in ("trained", "ranks", "exported.json"):
            (folder / name).unlink()

    def write(self, *names: str, **changed: object) -> None:
        """Write the files with these names; parts of a `tokenizer.json` may be changed."""
        for name in names:
            (self.folder / name).write_bytes(self.made(name, changed))

    def made(self, name: str, changed: dict[str, object]) -> bytes:
        """Return the content of a file."""
        content = self.content | changed
        vocab = {
            text: one for text, one in content["model"]["vocab"].items() if text not in SPECIAL
        }
        if name == "merges.txt":
            return "\n".join(["#version: 0.2", *content["model"]["merges"], ""]).encode()
        if name.endswith((".tiktoken", ".model")):
            return self.ranks
        forms: dict[str, object] = {
            "tokenizer.json": content,
            "vocab.json": vocab,
            "added_tokens.json": SPECIAL,
            "tokenizer_config.json": {
                "tokenizer_class": "Qwen2Tokenizer",
                "added_tokens_decoder": {
                    str(token["id"]): {key: token[key] for key in ("content", "special")}
                    for token in content["added_tokens"]
                },
            },
        }
        return json.dumps(forms[name] | changed if "config" in name else forms[name]).encode()  # type: ignore[operator]

    def imported(self, *names: str, **options: Any) -> Imported:  # noqa: ANN401 - its own
        """Import files of the folder, or without names the folder."""
        sources = [self.folder / name for name in names] or self.folder
        return import_tokenizer(
            sources, options.pop("form", None), self.folder / "new", overwrite=True, **options
        )

    def encode(self, text: str = TEXT) -> list[int]:
        """Return the ids of a text with the imported tokenizer."""
        return Tokenizer.load(self.folder / "new").encode(text)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def expected(files: Files) -> list[int]:
    """Return the ids of TEXT in the tokenizer.json, and remove it."""
    files.write("tokenizer.json")
    files.imported("tokenizer.json")
    (files.folder / "tokenizer.json").unlink()
    return files.encode()


TWO: Final = ("vocab.json", "merges.txt")


@pytest.mark.parametrize("source", [TWO, ("a.tiktoken",)], ids=["two files", "ranks"])
@pytest.mark.parametrize(
    ("beside", "options", "pattern_from"),
    [
        pytest.param((), {"pattern": "qwen2"}, "--pattern", id="option"),
        pytest.param(("tokenizer.json",), {}, "tokenizer.json", id="tokenizer.json"),
        pytest.param(
            ("tokenizer_config.json",), {}, "the class Qwen2Tokenizer", id="configuration"
        ),
    ],
)
def test_the_pattern_is_that_of_the_option_or_of_a_file_beside(
    source: tuple[str, ...],
    beside: tuple[str, ...],
    options: dict[str, Any],
    pattern_from: str,
    files: Files,
    expected: list[int],
) -> None:
    """The ids are those of the `tokenizer.json`; only a pattern that a file names is checked."""
    files.write(*source, *beside)
    result = files.imported(*source, **options)
    assert (result.pattern, result.pattern_from) == ("qwen2", pattern_from)
    assert files.encode() == expected
    known = pattern_from == "tokenizer.json"
    assert ("pattern of" in result.checked) == known
    assert any(note.startswith("not checked: the pattern qwen2") for note in result.notes) != known


def test_without_any_of_them_the_pattern_is_called_a_guess(
    files: Files, expected: list[int]
) -> None:
    """GPT-2's pattern is a guess, and the tokens that it cuts speak against it, with the counts."""
    files.write(*TWO)
    result = files.imported()
    assert (result.pattern, result.pattern_from) == ("gpt2", "a guess")
    assert files.encode() != expected
    assert "the merges of vocab.json and merges.txt and this pattern gives" in result.checked
    assert "not checked: the pattern gpt2, a guess, as no file names it; --pattern NAME names " in (
        " ".join(result.notes)
    )
    [against, counts] = result.notes[-2:]
    assert against.startswith("against gpt2: it cuts the model's token ")
    texts = [
        text
        for line in files.ranks.splitlines()
        if "\ufffd" not in (text := base64.b64decode(line.split()[0]).decode(errors="replace"))
    ]
    for name, pattern in ALL_PATTERNS.items():
        cut = sum(len(pattern.split(text)) > 1 for text in texts)
        assert f" {name} {cut}" in counts
    assert counts.startswith(f"of its {len(texts)} tokens that are text, the patterns cut: ")
    assert counts.endswith("; the longest run of digits in a token: 1")


def test_the_command_says_what_is_a_guess(files: Files) -> None:
    """People and programs get it: lines on standard error, `pattern_from` and `notes` in JSON."""
    files.write(*TWO)
    result = bpetite("import", *TWO, "--output", "new.json", cwd=files.folder)
    shown = result.stderr.decode()
    assert "\nchecked: a slow encoder with the merges of " in shown
    assert "\nnot checked: the pattern gpt2, a guess, as no file names it; --pattern" in shown
    assert "\nno file lists its special tokens, so it has none; --special NAME=ID adds" in shown
    found = json.loads(result.stdout)
    assert (found["pattern"], found["pattern_from"]) == ("gpt2", "a guess")
    assert any(note.startswith("against gpt2: it cuts") for note in found["notes"])


def test_ranks_with_another_pattern_are_not_called_checked(files: Files) -> None:
    """A possible pattern is not proved by an encoder that uses it, too."""
    files.write("a.tiktoken")
    result = files.imported("a.tiktoken", pattern="gpt4", special_tokens=SPECIAL)
    unchecked = "not checked: the pattern gpt4, which --pattern names; nor whether the model norm"
    assert any(note.startswith(unchecked) for note in result.notes)
    assert result.notes[-1].endswith("; the longest run of digits in a token: 1")


@pytest.mark.parametrize("kind", ["PreTrainedTokenizerFast", "LlamaTokenizer", None])
def test_a_class_without_a_pattern_of_its_own_names_none(kind: str | None, files: Files) -> None:
    """Ranks need --pattern then, and two files have a guess."""
    files.write(*TWO, "a.tiktoken", "tokenizer_config.json", tokenizer_class=kind)
    assert files.imported(*TWO).pattern_from == "a guess"
    with pytest.raises(ValueError, match="a file of ranks lacks the split pattern; add --pattern"):
        files.imported("a.tiktoken")


def test_a_class_that_normalizes_is_named(files: Files) -> None:
    """Qwen's class normalizes to NFC, with a note unless the option says so."""
    files.write(*TWO, "tokenizer_config.json")
    note = "Qwen2Tokenizer normalizes text to NFC: the ids are the model's for text in NFC"
    assert note in files.imported().notes
    assert note not in files.imported(drop_normalizer=True).notes
    files.write("tokenizer_config.json", add_prefix_space=True)
    with pytest.raises(
        ValueError, match=r"add_prefix_space in tokenizer_config\.json adds a space"
    ):
        files.imported()


@pytest.mark.parametrize(
    ("beside", "special"),
    [
        pytest.param(("tokenizer_config.json",), SPECIAL, id="configuration"),
        pytest.param(("added_tokens.json",), SPECIAL, id="added tokens"),
        pytest.param(("tokenizer_config.json", "added_tokens.json"), SPECIAL, id="both"),
        pytest.param(("tokenizer.json",), SPECIAL, id="tokenizer.json"),
        pytest.param((), {}, id="nothing"),
    ],
)
@pytest.mark.parametrize("source", [TWO, ("a.tiktoken",)], ids=["two files", "ranks"])
def test_special_tokens_are_those_of_files_beside(
    source: tuple[str, ...], beside: tuple[str, ...], special: dict[str, int], files: Files
) -> None:
    """Without any, a note says which option names them; with the option, only these count."""
    files.write(*source, *beside)
    pattern = None if "tokenizer.json" in beside else "qwen2"
    result = files.imported(*source, pattern=pattern)
    assert result.special_tokens == special
    assert special or any("--special NAME=ID adds them" in note for note in result.notes)
    assert files.encode("<think>") == [601] if special else len(files.encode("<think>")) > 1
    given = {"<|x|>": 700}
    assert files.imported(*source, pattern=pattern, special_tokens=given).special_tokens == given


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param(
            {"<think>": 9}, r"added_tokens.json gives '<think>' the id 9, and tokenizer_config\.js"
            "on 601; --special NAME=ID decides", id="disagreement",
        ),
        pytest.param({"<think>": "9"}, "added_tokens.json: '<think>' has no id", id="no id"),
    ],
)  # fmt: skip
def test_configurations_that_disagree_are_named(
    changed: dict[str, object], reason: str, files: Files
) -> None:
    files.write(*TWO, "tokenizer_config.json")
    (files.folder / "added_tokens.json").write_text(json.dumps(SPECIAL | changed))
    with pytest.raises(ValueError, match=reason):
        files.imported()


@pytest.mark.parametrize("source", ["tokenizer.json", "vocab.json", "a.tiktoken"])
def test_tokens_that_were_not_special_are_named(source: str, files: Files) -> None:
    """With what an export makes of them: there, all are special."""
    files.write("vocab.json", "merges.txt", "a.tiktoken", "tokenizer_config.json")
    if source == "tokenizer.json":
        files.write(source)
    [note] = [one for one in files.imported(source).notes if one.startswith("not special in")]
    assert note.startswith("not special in the source: '<think>'; the tokenizer file has them as s")
    assert "an export marks all of these as special" in note


def test_ignore_merges_is_said_by_an_option(files: Files) -> None:
    """It means what `tokenizer.json` means by this name: a chunk that is a token gets its id."""
    files.content["model"]["vocab"][" xyz"[1:]] = 500
    files.write(*TWO)
    with pytest.raises(
        ValueError, match=r"'xyz', and without ignore_merges .* --ignore-merges says"
    ):
        files.imported(pattern="qwen2")
    assert files.imported(pattern="qwen2", ignore_merges=True).whole_tokens == 1
    assert files.encode("xyz") == [500]
    assert files.encode("xyza") != [500, 97]
    files.content["model"]["ignore_merges"] = True
    files.write("tokenizer.json")
    assert files.imported(*TWO).whole_tokens == 1
    with pytest.raises(ValueError, match="its form already says what --ignore-merges would; leave"):
        files.imported("tokenizer.json", ignore_merges=True)


def tekken(files: Files, pattern: str = "qwen2") -> bytes:
    """Return the tokenizer as a `tekken.json` without special tokens."""
    vocab = [
        {"rank": int(rank), "token_bytes": token.decode()}
        for token, rank in map(bytes.split, files.ranks.splitlines())
    ]
    config = {"pattern": ALL_PATTERNS[pattern].text, "default_num_special_tokens": 0}
    return json.dumps(
        {"config": config | {"default_vocab_size": len(vocab)}, "vocab": vocab}
    ).encode()


def test_files_in_one_folder_that_agree_are_one_tokenizer(files: Files) -> None:
    """A folder with all forms of one tokenizer opens without a remark on them."""
    files.write("tokenizer.json", *TWO, "a.tiktoken", "tokenizer_config.json", "added_tokens.json")
    (files.folder / "tekken.json").write_bytes(tekken(files))
    notes = files.imported().notes
    assert len(notes) == 1
    assert notes[0].startswith("not special in the source")


def split(pattern: str) -> dict[str, object]:
    """Return the part of a `tokenizer.json` that has a pattern."""
    parts = (SPLIT | {"pattern": {"Regex": ALL_PATTERNS[pattern].text}}, NO_REGEX)
    return several("pretokenizers", *parts)


TEKKEN_FIRST: Final = "name the one to import: tekken.json is what mistral-common, Mistral's own"
HUGGING_FACE_FIRST: Final = "name the one to import: tokenizer.json is what transformers and token"


@pytest.mark.parametrize(
    ("other", "difference", "chosen"),
    [
        pytest.param("pattern", "the patterns are gpt4 and qwen2", TEKKEN_FIRST, id="pattern"),
        pytest.param("id", "has the ids ", HUGGING_FACE_FIRST, id="id"),
        pytest.param("merge", "the merges of rank 0 are not equal", HUGGING_FACE_FIRST, id="merge"),
        pytest.param("ranks", "the ids of ", TEKKEN_FIRST, id="order of ranks"),
    ],
)
def test_files_in_one_folder_that_disagree_are_named(
    other: str, difference: str, chosen: str, files: Files
) -> None:
    """The error has the first difference and the file to choose; a file or --from decides."""
    files.write("tokenizer.json")
    model = files.content["model"]
    if other == "pattern":
        files.write("tokenizer.json", pre_tokenizer=split("gpt4"))
        (files.folder / "tekken.json").write_bytes(tekken(files))
    elif other == "ranks":
        bytes_alone = {text: one for text, one in model["vocab"].items() if len(text) == 1}
        two = {"vocab": bytes_alone | {"th": 256, "he": 257}, "merges": ["h e", "t h"]}
        files.write("tokenizer.json", model=model | two, added_tokens=[])
        files.ranks = b"\n".join([*files.ranks.splitlines()[:256], b"dGg= 256", b"aGU= 257"])
        (files.folder / "tekken.json").write_bytes(tekken(files))
    else:
        vocab, merges = dict(model["vocab"]), [*model["merges"]]
        if other == "id":
            vocab["a"], vocab["b"] = vocab["b"], vocab["a"]
        else:
            merges[0], merges[1] = merges[1], merges[0]
        files.write(*TWO, model=model | {"vocab": vocab, "merges": merges})
    with pytest.raises(ValueError, match=r"tokenizer\.json") as caught:
        files.imported()
    for part in (" in its folder disagree: ", difference, chosen):
        assert part in str(caught.value)
    chosen_file = files.imported("tokenizer.json")
    assert files.imported(form="huggingface").sha256 == chosen_file.sha256


def test_two_files_that_disagree_with_the_file_that_has_their_pattern_are_refused(
    files: Files,
) -> None:
    """Named alone, they get their pattern from it; so it has to be the same tokenizer."""
    files.write("tokenizer.json", *TWO)
    [header, first, second, *rest] = (files.folder / "merges.txt").read_text().split("\n")
    (files.folder / "merges.txt").write_text("\n".join([header, second, first, *rest]))
    with pytest.raises(ValueError, match=r"merges\.txt and tokenizer\.json in its folder"):
        files.imported(*TWO)


@pytest.mark.parametrize("source", [TWO, ("a.tiktoken",)], ids=["two files", "ranks"])
def test_an_option_replaces_only_the_pattern_of_the_file_beside(
    source: tuple[str, ...], files: Files
) -> None:
    """With --pattern, special tokens still come from the `tokenizer.json`, which may disagree."""
    files.write("tokenizer.json", *source)
    result = files.imported(*source, pattern="gpt2")
    assert result.special_tokens == SPECIAL
    assert "tokenizer.json beside it has the pattern qwen2" in result.notes
    assert not any("lists its special tokens" in note for note in result.notes)
    agreed = files.imported(*source, pattern="qwen2")
    assert agreed.special_tokens == SPECIAL
    assert not any("beside it has the pattern" in note for note in agreed.notes)


def test_special_tokens_that_an_option_replaces_are_not_described(files: Files) -> None:
    """No note is about a token that the tokenizer file does not have."""
    files.write("tokenizer.json", *TWO)
    result = files.imported(*TWO, special_tokens={"<x>": 700})
    assert result.special_tokens == {"<x>": 700}
    assert not any("<think>" in note for note in result.notes)


def test_ignore_merges_is_refused_where_the_file_beside_says_otherwise(files: Files) -> None:
    """An option is never ignored without a word."""
    files.write("tokenizer.json", *TWO)
    with pytest.raises(ValueError, match=r"does not set ignore_merges; leave out --ignore-merges"):
        files.imported(*TWO, ignore_merges=True)
    model = files.content["model"] | {"ignore_merges": True}
    files.write("tokenizer.json", model=model)
    digest = files.imported(*TWO, ignore_merges=True).sha256
    assert files.imported(*TWO).sha256 == digest


def test_a_form_without_a_pattern_is_compared_with_that_of_the_other(files: Files) -> None:
    """A guessed pattern makes no disagreement, and --pattern counts for both."""
    (files.folder / "tekken.json").write_bytes(tekken(files))
    files.write(*TWO)
    assert not any("not compared" in note for note in files.imported().notes)
    (files.folder / "tekken.json").unlink()
    files.write("a.tiktoken")
    assert not any("not compared" in note for note in files.imported(pattern="qwen2").notes)


@pytest.mark.parametrize(
    "added",
    [
        pytest.param(["<a>"], id="list"),
        pytest.param({"x": {"content": "<a>"}}, id="key that is no id"),
        pytest.param({"600": "<a>"}, id="token that is no object"),
    ],
)
def test_a_damaged_list_of_special_tokens_is_refused(added: object, files: Files) -> None:
    """A configuration that names special tokens in another way is not skipped without a word."""
    files.write(*TWO, "tokenizer_config.json", added_tokens_decoder=added)
    with pytest.raises(ValueError, match=r"tokenizer_config\.json: its added"):
        files.imported()


def test_an_id_of_many_digits_is_shown_as_it_is(files: Files) -> None:
    """The error has the id of the configuration."""
    added = {"6000000000": {"content": "<a>", "special": True}}
    files.write(*TWO, "tokenizer_config.json", added_tokens_decoder=added)
    with pytest.raises(ValueError, match=r"'<a>' has the id 6000000000; it needs"):
        files.imported()


def test_another_id_in_the_configuration_is_not_called_another_token(files: Files) -> None:
    """Transformers adds no token that the `tokenizer.json` has, and keeps its id."""
    added = {"650": {"content": "<|im_start|>", "special": True}}
    files.write("tokenizer.json", "tokenizer_config.json", added_tokens_decoder=added)
    assert not any("configuration beside" in note for note in files.imported().notes)


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.json"])
def test_an_empty_file_is_called_empty(name: str, files: Files) -> None:
    """Also in a folder, where the error names the file."""
    files.write(*TWO)
    (files.folder / name).write_bytes(b"")
    with pytest.raises(ValueError, match=rf"{name}.*: {name} is empty"):
        files.imported()


def test_a_file_beside_that_does_not_open_is_named(files: Files) -> None:
    """It cannot be compared, and a note says why; the tokenizer opens."""
    files.write("tokenizer.json")
    (files.folder / "tokenizer.model").write_bytes(b"\n\x0e\n\x05<unk>\x15\x00\x00")
    assert (
        files.imported()
        .notes[-1]
        .startswith("tokenizer.model beside it was not compared: it is a SentencePiece model")
    )


def test_special_tokens_in_the_configuration_alone_are_named(files: Files) -> None:
    """Transformers adds them to those of a `tokenizer.json`, which bpetite imports alone."""
    files.write("tokenizer_config.json")
    files.content["added_tokens"].pop()
    del files.content["model"]["vocab"]["<think>"]
    files.write("tokenizer.json")
    assert files.imported("tokenizer.json").special_tokens == {"<|im_start|>": 600}
    assert any(
        note.startswith("the configuration beside it also has the special token '<think>', which")
        for note in files.imported("tokenizer.json").notes
    )


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.json", "merges.txt", "tekken.json"])
@pytest.mark.parametrize("kind", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_called_by_its_name(name: str, kind: str, files: Files) -> None:
    """The libraries of these forms refuse it, too; only tiktoken skips one before ranks."""
    files.write(*TWO)
    files.write("tokenizer.json") if name == "tokenizer.json" else None
    data = tekken(files) if name == "tekken.json" else (files.folder / name).read_bytes()
    (files.folder / name).write_bytes(data.decode().encode(kind))
    source = [*TWO] if name in TWO else [name]
    options = {"pattern": "qwen2"} if name in TWO else {}
    with pytest.raises(ValueError, match=r"byte order mark|is UTF-16; save it as UTF-8"):
        files.imported(*source, **options)


def test_all_obstacles_are_named_at_once(files: Files) -> None:
    """In at most four lines of 80 columns, with what to use instead at the end, once."""
    files.content["added_tokens"][0] |= {"lstrip": True, "rstrip": True}
    files.content["added_tokens"][1]["lstrip"] = True
    model = files.content["model"]
    del model["vocab"]["Ā"]
    model["vocab"]["日本"] = 999
    normalizer = {"type": "Lowercase"}
    files.write("tokenizer.json", normalizer=normalizer, pre_tokenizer={"type": "Digits"})
    [shown] = refused(bpetite("import", "tokenizer.json", "-o", "new.json", cwd=files.folder))
    assert len(shown) <= 4 * 80
    for part in ("its pre_tokenizer is Digits", "its normalizer is Lowercase", " more; use the "):
        assert part in shown.replace("normalizer, ", "normalizer is ")
    assert shown.endswith("; use the libraries tokenizers or transformers for this model")
    assert shown.count("use the libraries") == 1
    files.content["added_tokens"][0] |= {"lstrip": False, "rstrip": False}
    files.write("tokenizer.json")
    [shown] = refused(bpetite("import", "tokenizer.json", "-o", "new.json", cwd=files.folder))
    assert "its added token '<think>' has lstrip, so it changes the text around it; " in shown
    assert "its token '日本' has letters that stand for no byte; it has no token for the" in shown
    assert " byte 0x00, so it cannot encode every text; use the libraries" in shown


@pytest.mark.parametrize("source", [TWO, ("a.tiktoken",)], ids=["two files", "ranks"])
def test_ordinary_tokens_that_look_special_are_named(source: tuple[str, ...], files: Files) -> None:
    """A list of added tokens may lack those that the vocabulary has, such as `</s>`."""
    files.content["model"]["vocab"]["</s>"] = 700
    files.ranks += base64.b64encode(b"</s>") + b" 700\n"
    files.write(*source, "added_tokens.json")
    options: dict[str, Any] = {"pattern": "gpt4o", "ignore_merges": source is TWO}
    note = "1 of its ordinary tokens, such as '</s>', look like special tokens; --special NAME=ID "
    assert any(one.startswith(note) for one in files.imported(*source, **options).notes)
    special = SPECIAL | {"</s>": 700}
    if source is TWO:
        notes = files.imported(*source, special_tokens=special, **options).notes
        assert not any("look like special" in one for one in notes)


def test_a_token_speaks_against_a_pattern_that_cuts_the_fewest(tmp_path: Path) -> None:
    """It is named even if each other pattern cuts more tokens."""
    tokens = [*map(bytes, zip(range(256))), b";\n", b"12", b"123", b"1234", b"12345"]
    lines = (base64.b64encode(token) + b" %d" % rank for rank, token in enumerate(tokens))
    (tmp_path / "ranks").write_bytes(b"\n".join(lines))
    imported = import_tokenizer(tmp_path / "ranks", None, tmp_path / "new", pattern="gpt2")
    assert "against gpt2: it cuts the model's token ';\\n', and gpt4 does not" in imported.notes
