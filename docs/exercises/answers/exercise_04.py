"""Exercise 4: count pairs."""

from itertools import pairwise

from given import Pair


def count_pairs(chunks: list[list[int]]) -> dict[Pair, int]:
    """Return how often each pair occurs in the chunks."""
    counts: dict[Pair, int] = {}
    for ids in chunks:
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + 1
    return counts
