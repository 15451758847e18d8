"""Exercise 8: encode a chunk, and a text."""

from answers.exercise_05 import merge_pair
from given import Pair, chunks_of


def encode_chunk(chunk: bytes, merges: list[Pair]) -> list[int]:
    """Return the ids of a chunk: one pass for each merge, in the order of learning."""
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        ids = merge_pair(ids, pair, new_id)
    return ids


def encode_ordinary(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text: those of its chunks."""
    ids: list[int] = []
    for chunk in chunks_of(text):
        ids += encode_chunk(chunk, merges)
    return ids
