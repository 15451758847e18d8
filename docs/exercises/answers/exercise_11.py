"""Exercise 11: make it fast."""

from itertools import pairwise

from answers.exercise_05 import merge_pair
from given import Pair


def index_pairs(
    chunks: list[list[int]], times: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """Return the count of each pair, and the numbers of the chunks that contain it."""
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
    """For each chunk that changes, remove its old pairs from the counts and add its new ones."""
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
