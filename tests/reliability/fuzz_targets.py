"""What must hold for any input: the fuzzer looks for exceptions, the tests repeat its findings.

The input comes from `scripts/reliability/fuzz.py` and `findings`.
"""

import json
from pathlib import Path

import oracle
from artifacts import canonical
from bpetite import Tokenizer


def check_artifact(data: bytes, path: Path) -> None:
    """Load bytes: they are rejected with a short message, or loaded as what they describe."""
    path.write_bytes(data)
    try:
        tokenizer = Tokenizer.load(path)
    except (KeyError, ValueError, OSError) as error:
        assert len(error.args[0]) <= len(f"{str(path)!r}: ") + 200  # noqa: PT017 - it may load
        return
    tokenizer.save(path, overwrite=True)
    assert path.read_bytes() == canonical(json.loads(data))
    assert Tokenizer.load(path) == tokenizer


def check_text(data: bytes) -> None:
    """Train on the first line of a text and encode all of it; compare with the oracle."""
    text = data.decode("utf-8", errors="replace")
    corpus = text.partition("\n")[0]
    tokenizer = Tokenizer.train(corpus, 280)
    merges = oracle.train([corpus], 280)
    ids = tokenizer.encode(text)
    assert ids == oracle.encode(text, merges)
    assert tokenizer.decode(ids) == text
