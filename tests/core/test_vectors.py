"""The golden vectors and the worked examples: results that every implementation must give."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

import oracle
from artifacts import FOURTH, GOOD, SECOND, THIRD, canonical
from bpetite import Tokenizer
from bpetite._persistence import load, save
from bpetite._pretokenizer import pretokenize
from bpetite._trainer import train_bpe
from project_tools import ROOT

FOLDER: Final = ROOT / "tests" / "vectors"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "chunks")


def read(name: str) -> dict[str, Any]:
    """Return the content of a file of vectors."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return content


@pytest.mark.parametrize("name", NAMES)
def test_artifact_is_unchanged(tmp_path: Path, name: str) -> None:
    """FR-12, FR-16, FR-20: on every machine, the same text gives the same file, ids and errors."""
    golden, path = read(name), tmp_path / "tokenizer.json"
    tokenizer = Tokenizer.train(golden["documents"], golden["vocab_size"])
    tokenizer.save(path)
    data = path.read_bytes()
    assert json.loads(data)["merges"] == golden["merges"]
    assert len(data) == golden["artifact_bytes"]
    assert hashlib.sha256(data).hexdigest() == golden["artifact_sha256"]
    for vector in golden["vectors"]:
        assert tokenizer.encode(vector["text"]) == vector["ids"]
        assert tokenizer.decode(vector["ids"]) == vector["text"]
    for ids in golden["unknown_ids"]:
        with pytest.raises(KeyError):
            tokenizer.decode(ids)
    for ids in golden["ids_of_no_text"]:
        with pytest.raises(UnicodeDecodeError):
            tokenizer.decode(ids)


def test_chunks_are_unchanged() -> None:
    """FR-4: each text is still cut into the recorded chunks."""
    for vector in read("chunks")["vectors"]:
        assert [chunk.decode("utf-8") for chunk in pretokenize(vector["text"])] == vector["chunks"]


def test_training_of_the_example(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """FR-7, FR-8, FR-13, FR-16, FR-18, FR-20, FR-23, FR-24, FR-26: chunks, merges, ids and file."""
    result = train_bpe("ab ab ab", vocab_size=258)
    assert pretokenize("ab ab ab") == [b"ab", b" ab", b" ab"]
    assert result.merges == ((97, 98), (32, 256))
    assert result.mergeable_vocab_size == 258
    parts = dict(result.vocab), list(result.merges), dict(result.special_tokens)
    save(tmp_path / "tok.json", *parts)
    assert load(tmp_path / "tok.json") == parts
    assert (tmp_path / "tok.json").read_bytes() == canonical(GOOD)
    assert pretokenize("<|endoftext") == [b"<|", b"endoftext"]
    for text, ids in ("ab<|endoftext|>ab", [256, 258, 256]), ("<|endoftext", [*b"<|endoftext"]):
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == text
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode([0x80])


VOCAB = oracle.vocabulary([(97, 98), (32, 256)])


@pytest.mark.parametrize(
    ("vocab", "merges", "special_tokens", "message"),
    [
        pytest.param(VOCAB, [(97, 98)], {"<|endoftext|>": 258}, "match", id="merges"),
        pytest.param(VOCAB, [(97, 256)], {}, r"^merges\[0\]: .* below 256", id="the merge itself"),
    ],
)
def test_inconsistent_parts_are_not_saved(
    tmp_path: Path,
    vocab: dict[int, bytes],
    merges: list[tuple[int, int]],
    special_tokens: dict[str, int],
    message: str,
) -> None:
    """The specification's `save` raises `ValueError` before it writes parts that do not fit."""
    with pytest.raises(ValueError, match=message):
        save(tmp_path / "tok.json", vocab, merges, special_tokens)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [SECOND, THIRD, FOURTH], ids=["2", "3", "4"])
def test_the_shapes_of_the_specification_are_for_version_1(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    """The specification's `load` would lose the pattern of version 2, and the ids from 3 on."""
    (tmp_path / "tok.json").write_bytes(canonical(content))
    version = content["schema_version"]
    message = rf"^schema_version: expected 1; Tokenizer\.load reads the others, found {version}"
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "tok.json")
