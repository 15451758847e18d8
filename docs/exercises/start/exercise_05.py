"""Exercise 5: merge a pair."""

from given import Pair


def merge_pair(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace a pair by a new id wherever it stands, from left to right.

    What was merged is used up: no id belongs to two merged pairs.

    Args:
        ids: the ids of one chunk. They stay as they are: the result is a new list.
        pair: what is merged.
        new_id: what takes its place; it is not in ids.

    >>> merge_pair([5, 1, 2, 1, 2], (1, 2), 256)
    [5, 256, 256]
    """
    raise NotImplementedError
