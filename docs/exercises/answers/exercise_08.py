"""Exercise 8: encode a chunk."""

from answers.exercise_05 import merge_pair
from given import Pair


def encode_chunk(chunk: bytes, merges: list[Pair]) -> list[int]:
    """Return the ids of a chunk: one pass for each merge, in the order of learning."""
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        ids = merge_pair(ids, pair, new_id)
    return ids
