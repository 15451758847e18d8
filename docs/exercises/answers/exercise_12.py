"""Exercise 12: the vocabularies of different corpora."""

import json
import tempfile
from pathlib import Path

from bpetite import Tokenizer
from given import CODE, JSON, PROSE

FILES: dict[str, list[str]] = {"prose": PROSE, "code": CODE, "json": JSON}


def learned_tokens(corpus: str, vocab_size: int) -> list[bytes]:
    """Return the tokens that bpetite learns from a corpus, in the order of learning."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        Tokenizer.train(corpus, vocab_size).save(path)
        artifact = json.loads(path.read_bytes())
    size = artifact["mergeable_vocab_size"]
    return [bytes(artifact["vocab"][str(token_id)]) for token_id in range(256, size)]


def bytes_per_token(corpus: str, text: str, vocab_size: int) -> float:
    """Train on a corpus; return the bytes of a text divided by its tokens."""
    ids = Tokenizer.train(corpus, vocab_size).encode(text)
    return len(text.encode("utf-8")) / len(ids)


# Parts of English words are in the names and comments of the code, too; most tokens are not.
SHARED = "fewer than half"

# JSON repeats its keys and its indentation.
BEST = "json"

# The merges of the story are parts of words; this JSON has patterns, numbers and brackets.
WORST = "json by prose"

# The vocabulary fits the first half, including its names.
UNSEEN = "fewer"

# The most frequent pairs come first; later merges save less.
DOUBLED = "less than twice"
