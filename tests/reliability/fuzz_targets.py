"""What must hold for any input: the fuzzer looks for exceptions, the tests repeat its findings.

The input comes from `scripts/reliability/fuzz.py` and `findings`.
"""

import json
from pathlib import Path
from typing import Final

import oracle
from bpetite import Tokenizer
from bpetite._persistence import load, save

LONGEST_MESSAGE: Final = 200
"""The maximum length of a message of `load`, after the path."""


def check_artifact(data: bytes, path: Path) -> None:
    """Load bytes: they are rejected with a short message, or loaded as what they describe."""
    path.write_bytes(data)
    try:
        parts = load(path)
    except (KeyError, ValueError, OSError) as error:
        assert len(error.args[0]) <= len(f"{str(path)!r}: ") + LONGEST_MESSAGE  # noqa: PT017 - it may load
        return
    save(path, *parts, overwrite=True)
    canonical = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"))
    assert path.read_bytes() == canonical.encode("ascii")
    assert load(path) == parts


def check_text(data: bytes) -> None:
    """Train on the first line of a text and encode all of it; compare with the oracle."""
    text = data.decode("utf-8", errors="replace")
    corpus = text.partition("\n")[0]
    tokenizer = Tokenizer.train(corpus, 280)
    merges = oracle.train([corpus], 280)
    ids = tokenizer.encode(text)
    assert ids == oracle.encode(text, merges)
    assert tokenizer.decode(ids) == text
