"""Read tiktoken's tokenizers: an encoding by name, or a file of ranks.

tiktoken stores the tokens of an encoding and their ranks, but not the merges. This module
recovers them: a token joins the two parts that remain of it after all merges of lower rank.
`reference.recover_merges` does the same in time quadratic in the length of a token, and
files may have tokens of any length.
"""

import base64
import re
from collections.abc import Mapping
from heapq import heappop, heappush
from operator import itemgetter
from typing import Final

import regex

from bpetite._patterns import GPT2
from bpetite._reading import read_file
from bpetite_compare._encodings import get_encoding, pattern_of, ranks_of, specials_of
from bpetite_compare._engines import drift
from bpetite_compare._foreign import Foreign, missing_byte_message
from bpetite_compare._letters import to_letters
from bpetite_compare._spellings import is_gpt2_pattern
from bpetite_compare.reference import decompose_token

_LARGEST_FILE: Final = 1 << 26
"""The most bytes of ranks: more would not fit into a tokenizer file."""

_RANK: Final = re.compile(rb"0|[1-9][0-9]{0,8}")
_CHUNK: Final = regex.compile(GPT2.text)

# The only parts of a chunk that split into two chunks on their own: the starts of 'll, 've, 're.
_BEGINNINGS: Final = frozenset({"'l", "'v", "'r"})


def read_encoding(name: str) -> Foreign:
    """Return a tiktoken encoding.

    Raises:
        ValueError: tiktoken does not have it, or its pattern is not GPT-2's.
        OSError: tiktoken cannot download it.
    """
    encoding = get_encoding(name)
    if not is_gpt2_pattern(pattern_of(encoding)):
        raise ValueError(
            "it does not have GPT-2's split pattern; import gpt2, r50k_base or p50k_base"
        )
    return _foreign(ranks_of(encoding), specials_of(encoding))


def read_ranks(path: str) -> Foreign:
    """Return the tokenizer in a file of ranks.

    Each line has a token in base64, a space and its rank. The file has no pattern; if every
    token fits into one chunk of GPT-2's pattern, that pattern is assumed.

    Raises:
        ValueError: the file has another format, or its tokens contradict each other.
        OSError: the file cannot be read.
    """
    # tiktoken's reader might return an older file with this path from its cache.
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(read_file(path, _LARGEST_FILE).splitlines(), 1):
        try:
            token, rank = _token_and_rank(line)
        except ValueError:
            raise ValueError(
                f"it is not a file of ranks: expected base64, a space and a number "
                f"on line {number}, found {line[:40]!r}"
            ) from None
        if not token:
            raise ValueError(
                f"its token {rank}, on line {number}, is empty, which a tokenizer file cannot "
                "represent"
            )
        if token in ranks:
            raise ValueError(f"the token {token[:40]!r} occurs a second time, on line {number}")
        if rank in taken:
            raise ValueError(f"the rank {rank} occurs a second time, on line {number}")
        ranks[token] = rank
        taken.add(rank)
    _check_gaps(taken)
    _check_chunks(ranks)
    return _foreign(ranks, {})


def _token_and_rank(line: bytes) -> tuple[bytes, int]:
    """Read a line; `int` alone would accept +256 and 2_5_6."""
    word, rank = line.split()
    # Whisper has an empty token, written as =.
    token = base64.b64decode(word, validate=True) if word.strip(b"=") else b""
    if not _RANK.fullmatch(rank):
        raise ValueError
    return token, int(rank)


def _check_gaps(taken: set[int]) -> None:
    """Reject ranks with gaps: tokens are missing. One gap may be the special token's."""
    gaps = (rank for rank in range(max(taken, default=-1)) if rank not in taken)
    if next(gaps, None) is not None and (second := next(gaps, None)) is not None:
        raise ValueError(f"no token has the rank {second}")


def _check_chunks(ranks: Mapping[bytes, int]) -> None:
    """Reject a token that no chunk of GPT-2's pattern can contain.

    If part of a chunk is text, it is one chunk on its own, except for the starts of three
    contractions. Part of a character is not text and passes. So does a token with a
    character that the two regex engines classify differently.
    """
    for token, rank in ranks.items():
        try:
            text = token.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(_CHUNK.findall(text)) == 1 or text in _BEGINNINGS:
            continue
        if drift().isdisjoint(text):
            raise ValueError(
                f"its token {rank}, {token[:40]!r}, cannot occur in a chunk of GPT-2's "
                "pattern, so it was made with another pattern"
            )


def recover(ranks: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """Return the two parts of each token of several bytes, in the order of ranks.

    Raises:
        ValueError: a token is not a merge of two others.
    """
    merges: list[tuple[bytes, bytes]] = []
    for token, rank in sorted(ranks.items(), key=itemgetter(1)):
        if len(token) == 1:
            continue
        parts = _parts(token, rank, ranks)
        if len(parts) != 2:
            raise ValueError(
                f"token {rank}, {token[:40]!r}, is not a merge of two lower-ranked tokens: "
                f"lower ranks leave {len(parts)} parts"
            )
        merges.append((parts[0], parts[1]))
    return merges


def _parts(token: bytes, end: int, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the parts of a token after all merges below a rank, applied lowest rank first.

    A heap contains possible merges by rank and position; outdated ones stay in it and are
    skipped. `after` and `before` link each part to its neighbors.
    """
    parts: list[bytes | None] = [token[place : place + 1] for place in range(len(token))]
    after = list(range(1, len(token) + 1))
    before = list(range(-1, len(token) - 1))
    heap: list[tuple[int, int, bytes]] = []

    def add(place: int) -> None:
        if place >= 0 and after[place] < len(parts):
            joined = (parts[place] or b"") + (parts[after[place]] or b"")
            if (rank := ranks.get(joined, end)) < end:
                heappush(heap, (rank, place, joined))

    for place in range(len(parts)):
        add(place)
    while heap:
        _, place, joined = heappop(heap)
        left, following = parts[place], after[place]
        if left is None or following >= len(parts) or left + (parts[following] or b"") != joined:
            continue
        parts[place], parts[following] = joined, None
        after[place] = after[following]
        if after[place] < len(parts):
            before[after[place]] = place
        add(before[place])
        add(place)
    return [part for part in parts if part is not None]


def _foreign(ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]) -> Foreign:
    vocab = {to_letters(token): rank for token, rank in ranks.items()}
    if message := missing_byte_message(vocab):
        raise ValueError(message)
    return Foreign(
        vocab,
        [(to_letters(left), to_letters(right)) for left, right in recover(ranks)],
        special_tokens,
        lambda chunk: [ranks[part] for part in decompose_token(ranks, chunk)],
        takes_whole_chunks=True,
    )
