"""Exercise 4: count pairs."""

from given import Pair


def count_pairs(chunks: list[list[int]]) -> dict[Pair, int]:
    """Return how often each pair occurs in a corpus.

    Args:
        chunks: the ids of each chunk. A chunk that occurs twice in the corpus is in it twice.

    Returns:
        Each pair of adjacent ids in a chunk, with its count. Pairs may overlap: (97, 97) occurs
        twice in [97, 97, 97].

    >>> count_pairs([[1, 2], [1, 2, 1]])
    {(1, 2): 2, (2, 1): 1}
    """
    raise NotImplementedError
