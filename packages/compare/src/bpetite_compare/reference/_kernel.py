"""The kernel: count pairs, merge a pair, and look up the bytes of ids."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]


def get_stats(ids: Sequence[int]) -> dict[Pair, int]:
    """Return the frequency of each pair of adjacent ids.

    Lemma (counting): the frequencies add up to len(ids) - 1, or to 0 if there are no ids.

    >>> get_stats([7, 7, 7, 8])
    {(7, 7): 2, (7, 8): 1}
    """
    return dict(Counter(pairwise(ids)))


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of a pair, left to right and without overlaps, with a new id.

    Lemma (merge preservation, the prototype's Lemma 1): if the bytes of the new id are the
    bytes of the left id and then of the right id, the bytes of the list do not change.

    >>> merge([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
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


def decode_bytes(vocab: Mapping[int, bytes], ids: Sequence[int]) -> bytes:
    """Return the joined bytes of a list of ids.

    Lemma (distributivity, Lemma 6): the bytes of two joined lists are the joined bytes of
    the lists.

    Raises:
        KeyError: an id is not in the vocabulary.

    >>> decode_bytes({0: b"a", 1: b"bc"}, [1, 0])
    b'bca'
    """
    return b"".join(vocab[token_id] for token_id in ids)
