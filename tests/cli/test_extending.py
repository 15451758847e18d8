"""Extend a tokenizer with `train --start`, and what the other commands make of the result."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from artifacts import THIRD, canonical
from bpetite import Tokenizer
from cli_tools import bpetite, lines

START: Final = THIRD | {
    "mergeable_vocab_size": 260,
    "vocab": THIRD["vocab"] | {"9": [*b" abcd"]},
}
"""Merges that make ab (7) and " ab" (3); the whole tokens " aba" (1) and " abcd" (9)."""

TEXT: Final = "xcd xcd xcd abcd abcd abcde abcde abcde <|new|>"
TRAIN: Final = ("train", "text", "--start", "start.json", "--vocab-size", "264", "-o", "new.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a text, the tokenizer to extend, and its extension."""
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "start.json").write_bytes(canonical(START))
    assert bpetite(*TRAIN, cwd=tmp_path).returncode == 0
    return tmp_path


def rows(call: str, folder: Path) -> list[dict[str, Any]]:
    """Return the JSON Lines that a call prints."""
    return [json.loads(line) for line in lines(bpetite(*call.split(), cwd=folder).stdout)]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_new_ids_follow_the_highest_one(folder: Path, jobs: str) -> None:
    """The file is that of `Tokenizer.train`; the summary and one line name the new ids."""
    result = bpetite(*TRAIN, "--special", "<|new|>", "--force", "--jobs", jobs, cwd=folder)
    start = Tokenizer.load(folder / "start.json")
    grown = Tokenizer.train(TEXT, 264, start=start, special_tokens=["<|new|>"])
    grown.save(folder / "expected.json")
    assert (folder / "new.json").read_bytes() == (folder / "expected.json").read_bytes()
    summary = json.loads(result.stdout)
    assert (summary["new_ids"], summary["ids_kept"]) == ([1256, 1259], True)
    assert summary["special_tokens"] == {"<s>": 0, "<b": 5, "<|new|>": 1260}
    assert lines(result.stderr)[-1] == (
        "kept: all 262 ids of start.json; ids 1256-1259 are new; added: id 1260"
    )
