"""The merges of a chunk, one by one, in slow and obvious code.

Each step merges every occurrence of the pair with the lowest rank, from left to right, until
no pair has a rank. `tests/cli/test_show.py` compares the result with `Tokenizer.encode`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import regex

Ranks: TypeAlias = Mapping[tuple[int, int], int]


class Step(NamedTuple):
    """A merge that was applied.

    rank: its rank; the new id is 256 + rank.
    ids: the ids of the chunk after it.
    """

    rank: int
    ids: Sequence[int]


def ranks_of(merges: Sequence[tuple[int, int]]) -> Ranks:
    """Return the rank of each pair; if two merges have the same pair, only the first applies."""
    return {pair: rank for rank, pair in reversed(list(enumerate(merges)))}


def chunks_of(text: str, pattern: str, special_token: str) -> Iterator[str]:
    r"""Yield the chunks of a text and the special tokens between them.

    >>> list(chunks_of("ab ab<|endoftext|>ab", r" ?\p{L}+", "<|endoftext|>"))
    ['ab', ' ab', '<|endoftext|>', 'ab']
    """
    for number, segment in enumerate(text.split(special_token)):
        if number:
            yield special_token
        yield from regex.findall(pattern, segment)


def replay(chunk: bytes, ranks: Ranks) -> Iterator[Step]:
    """Yield each merge that is applied to a chunk, in order.

    >>> list(replay(b" ab", ranks_of([(97, 98), (32, 256)])))
    [Step(rank=0, ids=[32, 256]), Step(rank=1, ids=[257])]
    """
    ids = list(chunk)
    while found := [(ranks[pair], pair) for pair in pairwise(ids) if pair in ranks]:
        rank, pair = min(found)
        ids = _merged(ids, pair, 256 + rank)
        yield Step(rank, ids)


def _merged(ids: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    merged: list[int] = []
    place = 0
    while place < len(ids):
        if (*ids[place : place + 2],) == pair:
            merged.append(new)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
