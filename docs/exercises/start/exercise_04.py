"""Exercise 4: count pairs."""

from given import Pair


def count_pairs(chunks: dict[tuple[int, ...], int]) -> dict[Pair, int]:
    """Return how often each pair stands in a corpus.

    Args:
        chunks: each distinct chunk, as its ids, with the number of times it stands in the
            corpus.

    Returns:
        Each pair of neighbouring ids inside a chunk, with its count. Two pairs may overlap:
        in (97, 97, 97) the pair (97, 97) stands twice.

    >>> count_pairs({(1, 2): 10, (1, 2, 1): 1})
    {(1, 2): 11, (2, 1): 1}
    """
    raise NotImplementedError
