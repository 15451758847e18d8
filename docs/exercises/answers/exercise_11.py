"""Exercise 11: make it fast."""

from itertools import pairwise

from answers.exercise_05 import merge_pair
from given import Pair


def index_pairs(
    chunks: list[list[int]], times: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """Return the counts of all pairs, and the numbers of the chunks that hold each."""
    counts: dict[Pair, int] = {}
    places: dict[Pair, set[int]] = {}
    for number, ids in enumerate(chunks):
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + times[number]
            places.setdefault(pair, set()).add(number)
    return counts, places


def merge_step(
    chunks: list[list[int]],
    times: list[int],
    counts: dict[Pair, int],
    places: dict[Pair, set[int]],
    pair: Pair,
    new_id: int,
) -> None:
    """Take the old pairs of each chunk that changes out of the counts, and put in the new."""
    for number in sorted(places[pair]):
        ids = chunks[number]
        for old in pairwise(ids):
            counts[old] -= times[number]
            places[old].discard(number)
        ids = merge_pair(ids, pair, new_id)
        for new in pairwise(ids):
            counts[new] = counts.get(new, 0) + times[number]
            places.setdefault(new, set()).add(number)
        chunks[number] = ids
