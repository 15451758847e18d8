"""Exercise 4: count pairs."""

from itertools import pairwise

from given import Pair


def count_pairs(chunks: dict[tuple[int, ...], int]) -> dict[Pair, int]:
    """Return how often each pair occurs in a corpus of distinct chunks with their counts."""
    counts: dict[Pair, int] = {}
    for ids, times in chunks.items():
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + times
    return counts
