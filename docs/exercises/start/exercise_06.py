"""Exercise 6: the tie rule."""

from given import Pair


def best_pair(counts: dict[Pair, int]) -> Pair:
    """Return the pair to merge next.

    It is the pair with the highest count. Of several with that count it is the smallest:
    the one with the smallest left id, and of those the one with the smallest right id.

    Args:
        counts: pairs with their counts, one or more, in any order. The order of a dict must
            not matter.

    >>> best_pair({(3, 1): 7, (1, 9): 7, (1, 2): 5})
    (1, 9)
    """
    raise NotImplementedError
