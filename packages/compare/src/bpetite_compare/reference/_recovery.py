"""Recover merges from ranks: a file of ranks contains only the tokens that merges made.

The token with rank r joins the two parts that remain of it after all merges of lower rank.
Applying those merges to its bytes therefore returns the two parts.
"""

from collections.abc import Mapping
from itertools import pairwise

from bpetite_compare.reference._kernel import Pair


def decompose_token(
    ranks: Mapping[bytes, int], token: bytes, max_rank: int | None = None
) -> list[bytes]:
    """Return the parts of a token after all merges, or after all merges below a rank.

    Lemma (decomposition, Lemma 7): the parts join to the token.

    >>> decompose_token({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3}, b"abab", max_rank=3)
    [b'ab', b'ab']
    """
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        joined = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(pairwise(parts))
            if left + right in ranks
        ]
        rank, place = min(joined, default=(0, None))
        if place is None or (max_rank is not None and rank >= max_rank):
            return parts
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def recover_merges(ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Return the merges, by the ids of their parts, in the order of ranks.

    Lemma (recovery): for a trained vocabulary, these are the merges that made it, because
    every token encodes to itself.

    Raises:
        ValueError: a token is not a merge of two others, so BPE did not make these ranks.

    >>> recover_merges({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3})
    {(0, 1): 2, (2, 0): 3}
    """
    merges: dict[Pair, int] = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = decompose_token(ranks, token, max_rank=rank)
        if len(parts) != 2:
            message = (
                f"token {rank}, {token[:40]!r}, is not a merge of two lower-ranked tokens: "
                f"lower ranks leave {len(parts)} parts"
            )
            raise ValueError(message)
        left, right = parts
        merges[ranks[left], ranks[right]] = rank
    return merges
