"""Exercise 11: make it fast.

The first trainer counts every pair again after every merge, but a merge changes few chunks. So
keep the counts, remember which chunks contain a pair, and look only at those.

`merge_pair` of exercise 5 helps: import your own, or the one in `answers.exercise_05`.
"""

from given import Pair


def index_pairs(
    chunks: list[list[int]], times: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """Count all pairs and note where each one occurs. Each chunk is read once.

    Args:
        chunks: the ids of each distinct chunk.
        times: how often each chunk occurs in the corpus: times[n] belongs to chunks[n].

    Returns:
        counts: each pair, with its count in the corpus.
        places: each pair, with the numbers n of the chunks that contain it.

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
    """Merge a pair in the whole corpus, and update counts and places.

    Read only the chunks that contain the pair: the check sees which chunks[n] you read.

    Args:
        chunks: change it in place: `chunks[n] = ...` for each n in places[pair].
        times: how often each chunk occurs in the corpus.
        counts: change it in place. A pair that is gone may stay, with the count 0.
        places: change it in place. A pair that is gone may stay, with an empty set.
        pair: the pair to merge.
        new_id: the id that replaces it; no chunk contains it yet.
    """
    raise NotImplementedError
