"""Exercise 5: merge a pair."""

from given import Pair


def merge_pair(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of a pair by a new id, from left to right."""
    merged: list[int] = []
    position = 0
    while position < len(ids):
        if tuple(ids[position : position + 2]) == pair:
            merged.append(new_id)
            position += 2
        else:
            merged.append(ids[position])
            position += 1
    return merged
