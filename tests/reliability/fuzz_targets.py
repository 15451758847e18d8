"""What must hold of any bytes: the fuzzer looks for an exception, the tests keep what it found.

Not here: where the bytes come from (`scripts/reliability/fuzz.py`, `findings`).
"""

import json
from pathlib import Path
from typing import Final

import oracle
from bpetite import Tokenizer
from bpetite._persistence import load, save

__all__ = ["LONGEST_MESSAGE", "check_artifact", "check_text"]

LONGEST_MESSAGE: Final = 200
"""The most characters of a message of `load`, after the path."""


def check_artifact(data: bytes, path: Path) -> None:
    """Load bytes: they are refused in few words, or loaded for what they say."""
    path.write_bytes(data)
    try:
        parts = load(path)
    except (KeyError, ValueError, OSError) as error:
        assert len(error.args[0]) <= len(f"{str(path)!r}: ") + LONGEST_MESSAGE  # noqa: PT017 - it may load
        return
    save(path, *parts, overwrite=True)
    assert json.loads(path.read_bytes()) == json.loads(data)
    assert load(path) == parts


def check_text(data: bytes) -> None:
    """Train on the first line of a text, and encode all of it, as the oracle does."""
    text = data.decode("utf-8", errors="replace")
    corpus = text.partition("\n")[0]
    tokenizer = Tokenizer.train(corpus, 280)
    merges = oracle.train([corpus], 280)
    ids = tokenizer.encode(text)
    assert ids == oracle.encode(text, merges)
    assert tokenizer.decode(ids) == text
