"""Exercise 5: merge a pair."""

from given import Pair


def merge_pair(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace a pair by a new id wherever it stands, from left to right."""
    merged: list[int] = []
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + 2]) == pair:
            merged.append(new_id)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
