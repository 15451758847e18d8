"""Exercise 11: make it fast.

The first trainer counts every pair again after every merge. A merge changes few chunks, so
keep the counts, remember which chunks hold a pair, and look at those alone.

`merge_pair` of exercise 5 helps: import your own, or the one of `answers.exercise_05`.
"""

from given import Pair


def index_pairs(
    chunks: list[list[int]], times: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """Return the counts of all pairs, and where each stands. This looks at every chunk, once.

    Args:
        chunks: the ids of each distinct chunk.
        times: how often each stands in the corpus: times[n] belongs to chunks[n].

    Returns:
        counts: each pair, with its count in the corpus.
        places: each pair, with the numbers n of the chunks that hold it.

    >>> index_pairs([[1, 2], [3, 1, 2]], [10, 1])
    ({(1, 2): 11, (3, 1): 1}, {(1, 2): {0, 1}, (3, 1): {1}})
    """
    raise NotImplementedError


def merge_step(
    chunks: list[list[int]],
    times: list[int],
    counts: dict[Pair, int],
    places: dict[Pair, set[int]],
    pair: Pair,
    new_id: int,
) -> None:
    """Merge a pair in the whole corpus, and bring counts and places up to date.

    Look only at the chunks that hold the pair: the check sees which chunks[n] are read.

    Args:
        chunks: changed in place: `chunks[n] = ...` for each n in places[pair].
        times: how often each chunk stands in the corpus.
        counts: changed in place. A pair that is gone may stay, with the count 0.
        places: changed in place. A pair that is gone may stay, with the empty set.
        pair: what is merged.
        new_id: what takes its place; it is in no chunk yet.
    """
    raise NotImplementedError
