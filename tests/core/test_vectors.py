"""The golden vectors: the results that every implementation must give, on every machine."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

from bpetite import Tokenizer
from bpetite._pretokenizer import pretokenize
from project_tools import ROOT

FOLDER: Final = ROOT / "tests" / "vectors"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "chunks")


def read(name: str) -> dict[str, Any]:
    """Return the content of a file of vectors."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return content


@pytest.mark.parametrize("name", NAMES)
def test_artifact_is_unchanged(tmp_path: Path, name: str) -> None:
    """FR-12: on every machine, with every Python, the same text gives the same file."""
    golden, path = read(name), tmp_path / "tokenizer.json"
    Tokenizer.train(golden["documents"], golden["vocab_size"]).save(path)
    data = path.read_bytes()
    assert json.loads(data)["merges"] == golden["merges"]
    assert len(data) == golden["artifact_bytes"]
    assert hashlib.sha256(data).hexdigest() == golden["artifact_sha256"]


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unchanged(name: str) -> None:
    """FR-16, FR-20: each text still has the recorded ids, and they decode to it."""
    golden = read(name)
    tokenizer = Tokenizer.train(golden["documents"], golden["vocab_size"])
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
        chunks = [chunk.decode("utf-8") for chunk in pretokenize(vector["text"])]
        assert chunks == vector["chunks"]
