"""What the explorer opens of other libraries has the ids that `bpetite import` gives it."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tiktoken

from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, export, import_tokenizer
from bpetite_compare._engines import drift
from compare.test_import_damaged import bytes_changed, changed_value
from compare.test_import_models import gpt2_files
from compare_tools import CORPUS, HOSTILE, UNREACHABLE, write_ranks
from hugging_face_files import (
    ACCEPTED,
    BYTE_LEVEL,
    EQUIVALENT,
    REFUSED,
    SPLITS,
    Change,
    File,
    made_by,
    model,
    several,
    top,
)

pytestmark = pytest.mark.thorough

SEEDS: Final = 400
TEXTS: Final = [text for text in HOSTILE if drift().isdisjoint(text)]

OF_GPT_2: Final = [change for change in ACCEPTED if change not in SPLITS]
"""Changes that keep GPT-2's split pattern, the only one that the explorer opens."""

Ask = Callable[..., Any]  # the answer is JSON


def asked(*files: tuple[str, bytes]) -> list[list[str]]:
    """Return files as a question."""
    return [[name, base64.b64encode(data).decode("ascii")] for name, data in files]


def check_same(ask: Ask, form: str, files: Sequence[Path], folder: Path) -> str:
    """Check that the files are refused with a way out, or read as an import reads them.

    Return the reason, or nothing. The explorer knows GPT-2's design only, without its special
    tokens, so it may refuse what an import reads, and may read what an import refuses for these.
    """
    found = ask("open", asked(*((path.name, path.read_bytes()) for path in files)), TEXTS)
    if "error" in found:
        message: str = found["error"]
        assert re.fullmatch("Error: .{10,300}Try `bpetite import`; .{10,50}", message), message
        return message
    try:
        import_tokenizer(files, form, folder / "new", overwrite=True, pattern=PATTERN.get(form))
    except ValueError as error:
        if not re.search(_LEFT_OUT, str(error)):
            raise
        return ""
    tokenizer = Tokenizer.load(folder / "new")
    special = tokenizer._artifact.special_names
    for text, ids in zip(TEXTS, found["encoded"], strict=True):
        if not any(name in text for name in ("<|endoftext|>", *special)):
            assert ids == tokenizer.encode(text)
    return ""


PATTERN: Final = {"tiktoken": "gpt2"}
_LEFT_OUT: Final = "special token|added token|post_processor|stand for no byte|no merge makes"
"""What the errors name for tokens that the explorer leaves out."""


def verdicts(ask: Ask, form: str, path: Path, every: Iterable[bytes]) -> list[str]:
    """Return the verdict on each content of a file; some, not all, are read."""
    found = []
    for data in every:
        path.write_bytes(data)
        files = [path.with_name("vocab.json"), path.with_name("merges.txt")]
        found.append(check_same(ask, form, files if form == "gpt2" else [path], path.parent))
    assert 0 < found.count("") < len(found)
    return found


def test_files_with_other_tokens(ask: Ask, tmp_path: Path) -> None:
    """Of hundreds of files of Hugging Face, exactly those that an import refuses are refused."""
    made = (json.dumps(made_by(seed, OF_GPT_2).content).encode() for seed in range(SEEDS))
    found = verdicts(ask, "huggingface", tmp_path / "tokenizer.json", made)
    assert found.count("") > SEEDS // 3
    for reason in ("lacks|has the id", "ignore_merges the chunk", "contradicts", "ordinary token"):
        assert any(re.search(reason, verdict) for verdict in found)


def test_files_with_other_values(ask: Ask, tmp_path: Path) -> None:
    """A file of Hugging Face with an odd value anywhere has the verdict of an import."""
    made = (json.dumps(made_by(2 * seed, OF_GPT_2).content).encode() for seed in range(SEEDS))
    changed = (changed_value(data, Random(seed)) for seed, data in enumerate(made))
    found = verdicts(ask, "huggingface", tmp_path / "tokenizer.json", changed)
    assert found.count("") > SEEDS // 10
    assert len({verdict[:24] for verdict in found}) > 15


ALIKE: Final[list[tuple[str, Change]]] = [
    ("", model(dropout=0.0, fuse_unk=True, unk_token="a")),  # noqa: S106 - a token
    ("", top(decoder=several("decoders", BYTE_LEVEL))),
    *(("", change) for change in EQUIVALENT),
    *REFUSED,
]


@pytest.mark.parametrize(("reason", "change"), ALIKE)
def test_settings(ask: Ask, tmp_path: Path, reason: str, change: Change) -> None:
    """A setting that changes ids is refused by name; others are ignored, as in an import."""
    change(file := File())
    (path := tmp_path / "tokenizer.json").write_text(json.dumps(file.content), encoding="utf-8")
    assert reason or not check_same(ask, "huggingface", [path], tmp_path)


@pytest.mark.parametrize("form", ["huggingface", "gpt2", "tiktoken"])
def test_damaged_files(ask: Ask, tmp_path: Path, form: str) -> None:
    """A file with damaged bytes has the verdict of an import, and keeps its ids if it is read."""
    Tokenizer.train(CORPUS, 300).save(tmp_path / "model")
    output = tmp_path / ("exported.json" if form == "huggingface" else "exported")
    for path in map(Path, export(tmp_path / "model", form, output).files):
        whole = path.read_bytes()
        damaged = (bytes_changed(whole, Random(seed)) for seed in range(SEEDS // 2))
        assert verdicts(ask, form, path, [whole, *damaged, whole])[0] == ""


def test_ranks_with_another_order_of_bytes(ask: Ask, tmp_path: Path) -> None:
    """Ranks keep their ids, whatever the bytes have, and need no merges that are listed."""
    vocab = Tokenizer.train(CORPUS, 300)._artifact.tokens
    for order in (GPT2_BYTE_ORDER, bytes(reversed(range(256)))):
        ranks = {bytes([value]): rank for rank, value in enumerate(order)}
        ranks |= {vocab[token_id]: token_id for token_id in range(256, 300)}
        path = write_ranks(tmp_path / "model.tiktoken", ranks)
        assert check_same(ask, "tiktoken", [path], tmp_path) == ""
    tokens = [b"ab", b"bc", b"abc"]
    ranks = {bytes([value]): value for value in range(256)}
    ranks |= {token: 256 + place for place, token in enumerate(tokens)}
    path = write_ranks(tmp_path / "model.tiktoken", ranks)
    assert len(UNREACHABLE) == len(tokens)
    assert check_same(ask, "tiktoken", [path], tmp_path) == ""
    for gap, faulty in ((1, False), (2, False), (3, True)):
        path = write_ranks(tmp_path / "model.tiktoken", ranks | {b"abcabc": 258 + gap})
        assert bool(check_same(ask, "tiktoken", [path], tmp_path)) == faulty


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b"J2w= 256\n", ""),  # the beginning of 'll
        (b"J2w= 256", ""),
        (b"IGE= 256\r\nIGFh 257\r", ""),
        (b"YTE= 256\n", "its token 256, a1, cannot occur in a chunk of GPT-2's pattern"),
        (b"YWE= 256\nYWE= 257\n", "the token aa occurs a second time, on line 258"),
        (b"YWE= 256\nYWI= 256\n", "the rank 256 occurs a second time, on line 258"),
        (b"YWE= 256\n\nYWI= 257\n", "expected base64, a space and a number on line 258"),
        (b"YWE= +256\n", "expected base64, a space and a number on line 257"),
        (b"YWE 256\n", "expected base64, a space and a number on line 257"),
        (b"YWFh 256\n", "is not a merge of two lower-ranked tokens"),
    ],
)
def test_lines_of_ranks(ask: Ask, tmp_path: Path, lines: bytes, reason: str) -> None:
    """Ranks that contradict each other, or that another pattern made, are refused by line."""
    path = write_ranks(tmp_path / "model.tiktoken", {bytes([value]): value for value in range(256)})
    path.write_bytes(path.read_bytes().rstrip() + b"\n" + lines)
    found = check_same(ask, "tiktoken", [path], tmp_path)
    assert reason in found
    assert bool(reason) == bool(found)


def test_too_large_a_tokenizer_is_refused(ask: Ask, tmp_path: Path) -> None:
    """Tokens that a tokenizer file has no room for are refused, as in an import."""
    Tokenizer.train("", 256).save(tmp_path / "model")
    export(tmp_path / "model", "huggingface", path := tmp_path / "tokenizer.json")
    content = json.loads(path.read_bytes())
    for doubling in range(23):
        token = "d" * 2**doubling
        content["model"]["merges"].append([token, token])
        content["model"]["vocab"][token * 2] = 257 + doubling
    path.write_text(json.dumps(content), encoding="utf-8")
    assert "would be larger than 67108864 bytes" in check_same(ask, "huggingface", [path], tmp_path)


def test_its_own_files_open(ask: Ask, tmp_path: Path) -> None:
    """A tokenizer file has its own ids; the same file with a fraction for an integer is refused."""
    for pattern, names, note in (
        ("gpt2", None, "Its pattern is gpt2. Its special tokens: <|endoftext|>."),
        ("gpt4o", [], "Its pattern is gpt4o. Its special tokens: none."),
        (
            "qwen2",
            [f"<{n}>" for n in range(9)],
            "<0>, <1>, <2>, <3>, <4>, <5>, <6>, <7> and 1 more.",
        ),
    ):
        tokenizer = Tokenizer.train(CORPUS, 300, pattern=pattern, special_tokens=names)
        tokenizer.save(tmp_path / "own.json", overwrite=True)
        data = (tmp_path / "own.json").read_bytes()
        found = ask("open", asked(("own.json", data)), TEXTS)
        assert found["encoded"] == [tokenizer.encode(text) for text in TEXTS]
        assert "ids" not in found
        assert found["notes"][0].endswith(note)
    Tokenizer.train(CORPUS, 300).save(tmp_path / "own.json", overwrite=True)
    data = (tmp_path / "own.json").read_bytes()
    for integer in (b'"schema_version":1', b'_size":300', b"[[104,101", b'"0":[0'):
        assert integer in data
        wrong = data.replace(integer, re.sub(rb"(\d+)(\D?)$", rb"\1.0\2", integer))
        assert "expected" in ask("open", asked(("own.json", wrong)), [])["error"]


IDS: Final = ("vocab.json", b'{"a": 0}')
MERGES: Final = ("merges.txt", b"#version: 0.2\na a\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("a.json", b"[1]")], "expected a JSON object"),
        (
            [("a.json", b"{}")],
            "expected a tokenizer file of bpetite, a tokenizer.json of Hugging Face",
        ),
        ([("a.json", b"")], "expected JSON: an integer, a string, a list or an object at offset 0"),
        ([("a.json", b"{\xff")], "expected UTF-8"),
        ([("a.json", b'{"a": ' + b"1" * 501 + b"}")], "expected JSON: an integer of a few digits"),
        (
            [("a.json", b'{"a": [' + b"1" * 501 + b"]}")],
            "expected JSON: an integer of a few digits",
        ),
        ([("a.json", b'{"a": [' + b"{}," * (1 << 18) + b"{}]}")], "expected JSON: fewer objects"),
        ([("a.tiktoken", b"")], "it has no token for the byte 0x00"),
        ([("notes.txt", b"To be, or not\n")], "it is not a tokenizer: its first line is "),
        ([IDS], "it has ids, but no merges; choose vocab.json and merges.txt at once"),
        ([MERGES], "it has merges, but no ids; choose vocab.json and merges.txt at once"),
        ([IDS, IDS], "expected one file, or vocab.json and merges.txt"),
        ([IDS, MERGES, IDS], "expected one or two files, found 3"),
    ],
)
def test_other_files_are_refused(ask: Ask, files: list[tuple[str, bytes]], message: str) -> None:
    """Files of another kind, missing or too many, are an error that says what was expected."""
    assert ask("open", asked(*files), [])["error"].startswith(f"Error: {message}")


def test_gpt_2_has_its_own_ids(ask: Ask, tiktoken_cache: Path, tmp_path: Path) -> None:
    """GPT-2's two files give the ids of tiktoken's encoding, and other patterns are refused."""
    files = gpt2_files(tiktoken_cache)
    assert check_same(ask, "gpt2", files, tmp_path) == ""
    data = asked(*((path.name, path.read_bytes()) for path in files))
    encoding = tiktoken.get_encoding("gpt2")
    expected = [encoding.encode(text, allowed_special="all") for text in TEXTS]
    assert ask("open", data, TEXTS)["encoded"] == expected
    ranks = write_ranks(tmp_path / "gpt2.tiktoken", encoding._mergeable_ranks)
    assert check_same(ask, "tiktoken", [ranks], tmp_path) == ""
    other = tiktoken.get_encoding("cl100k_base")._mergeable_ranks
    ranks = write_ranks(tmp_path / "cl100k.tiktoken", other)
    assert "with another pattern" in check_same(ask, "tiktoken", [ranks], tmp_path)
