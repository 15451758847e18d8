"""Exercise 4: count pairs."""

from given import Pair


def count_pairs(chunks: dict[tuple[int, ...], int]) -> dict[Pair, int]:
    """Return how often each pair occurs in a corpus.

    Args:
        chunks: the ids of each distinct chunk, with the number of times the chunk occurs.

    Returns:
        Each pair of adjacent ids in a chunk, with its count. Pairs may overlap: (97, 97) occurs
        twice in (97, 97, 97).

    >>> count_pairs({(1, 2): 10, (1, 2, 1): 1})
    {(1, 2): 11, (2, 1): 1}
    """
    raise NotImplementedError
