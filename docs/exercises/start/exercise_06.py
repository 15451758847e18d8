"""Exercise 6: the tie rule."""

from given import Pair


def best_pair(counts: dict[Pair, int]) -> Pair:
    """Return the pair to merge next.

    This is the pair with the highest count. If several pairs have that count, take the one with
    the smallest left id; if several of these have the same left id, the one with the smallest
    right id.

    Args:
        counts: at least one pair, with its count. The order of the dict must not matter.

    >>> best_pair({(3, 1): 7, (1, 9): 7, (1, 2): 5})
    (1, 9)
    """
    raise NotImplementedError
