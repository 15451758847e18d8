"""Exercise 5: merge a pair."""

from given import Pair


def merge_pair(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of a pair by a new id, from left to right.

    Occurrences do not overlap: an id that was merged is used up.

    Args:
        ids: the ids of one chunk. Leave them as they are and return a new list.
        pair: the pair to replace.
        new_id: the id that replaces it; it is not in ids.

    >>> merge_pair([5, 1, 2, 1, 2], (1, 2), 256)
    [5, 256, 256]
    """
    raise NotImplementedError
