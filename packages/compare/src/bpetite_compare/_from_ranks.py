"""Read tokenizers of tiktoken: an encoding by its name, or a file of ranks.

tiktoken has the tokens of an encoding and their ranks, but not the merges that made them.
These are recovered: a token joins the two parts that are left of it after all merges of lower
rank. `reference.recover_merges` does the same, but the time that it takes for a token is
quadratic in its length, and files may have tokens of any length.
"""

import base64
import re
from collections.abc import Mapping
from heapq import heappop, heappush
from operator import itemgetter
from typing import Final

import regex

from bpetite._files import read_file
from bpetite_compare._encodings import get_encoding, pattern_of, ranks_of, specials_of
from bpetite_compare._engines import drift
from bpetite_compare._foreign import Foreign, missing_byte_message
from bpetite_compare._gpt2 import GPT2_PATTERN, is_gpt2_pattern, to_letters
from bpetite_compare.reference import decompose_token

__all__ = ["read_encoding", "read_ranks", "recover"]

_LARGEST_FILE: Final = 1 << 26
"""How many bytes of ranks are read: larger ones would not fit into a tokenizer file."""

_RANK: Final = re.compile(rb"0|[1-9][0-9]{0,8}")
_CHUNK: Final = regex.compile(GPT2_PATTERN)

# The only tokens of a chunk that are two chunks by themselves: the beginnings of 'll, 've, 're.
_BEGINNINGS: Final = frozenset({"'l", "'v", "'r"})


def read_encoding(name: str) -> Foreign:
    """Return an encoding of tiktoken.

    Raises:
        ValueError: it has another pattern than GPT-2's, or tiktoken does not have it.
        OSError: tiktoken cannot get it.
    """
    encoding = get_encoding(name)
    if not is_gpt2_pattern(pattern_of(encoding)):
        message = (
            "its split pattern is not GPT-2's, so it cuts text into other chunks; gpt2, "
            "r50k_base and p50k_base fit"
        )
        raise ValueError(message)
    return _foreign(ranks_of(encoding), specials_of(encoding))


def read_ranks(path: str) -> Foreign:
    """Return the tokenizer of a file of ranks.

    Each line has a token in base64, a space and its rank. The file has no pattern. It is
    taken to be GPT-2's if every token fits into one chunk.

    Raises:
        ValueError: the file is something else, or its tokens contradict each other.
        OSError: it cannot be read.
    """
    # tiktoken's own reader would take an older file of the same path from its cache.
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(read_file(path, _LARGEST_FILE).splitlines(), 1):
        try:
            token, rank = _token_and_rank(line)
        except ValueError:
            message = (
                f"it is not a file of ranks: expected base64, a space and a number "
                f"on line {number}, found {line[:40]!r}"
            )
            raise ValueError(message) from None
        if token in ranks:
            message = f"it lists the token {token[:40]!r} a second time, on line {number}"
            raise ValueError(message)
        if rank in taken:
            message = f"it gives the rank {rank} to a second token, on line {number}"
            raise ValueError(message)
        ranks[token] = rank
        taken.add(rank)
    _check_gaps(taken)
    _check_chunks(ranks)
    return _foreign(ranks, {})


def _token_and_rank(line: bytes) -> tuple[bytes, int]:
    """Read a line; `int` alone would take +256 and 2_5_6."""
    word, rank = line.split()
    token = base64.b64decode(word, validate=True)
    if not token or not _RANK.fullmatch(rank):
        raise ValueError
    return token, int(rank)


def _check_gaps(taken: set[int]) -> None:
    """Refuse ranks with gaps, where tokens are missing; the special token may have one rank."""
    gaps = (rank for rank in range(max(taken, default=-1)) if rank not in taken)
    if next(gaps, None) is not None and (second := next(gaps, None)) is not None:
        message = f"no token has the rank {second}"
        raise ValueError(message)


def _check_chunks(ranks: Mapping[bytes, int]) -> None:
    """Refuse a token that no chunk of GPT-2's pattern can contain.

    Whatever part of a chunk is text by itself is one chunk by itself, but for the
    beginnings of three contractions. Part of a character is not text, and passes; so does
    a token with a character that only one of the two regex engines knows.
    """
    for token, rank in ranks.items():
        try:
            text = token.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(_CHUNK.findall(text)) == 1 or text in _BEGINNINGS:
            continue
        if drift().isdisjoint(text):
            message = (
                f"its token {rank}, {token[:40]!r}, occurs in no chunk of GPT-2's pattern, "
                "so it was made with another"
            )
            raise ValueError(message)


def recover(ranks: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """Return the two parts of each token of several bytes, in the order of the ranks.

    Raises:
        ValueError: a token is not a merge of two others.
    """
    merges: list[tuple[bytes, bytes]] = []
    for token, rank in sorted(ranks.items(), key=itemgetter(1)):
        if len(token) == 1:
            continue
        parts = _parts(token, rank, ranks)
        if len(parts) != 2:
            message = (
                f"token {rank}, {token[:40]!r}, is no merge of two tokens of lower rank: "
                f"below it stand {len(parts)} parts"
            )
            raise ValueError(message)
        merges.append((parts[0], parts[1]))
    return merges


def _parts(token: bytes, end: int, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the parts of a token after the merges below a rank: always the lowest one first.

    A heap has the merges that are possible, by rank and position; those that are not any more
    stay in it, and are passed over. `after` and `before` lead from each part to its neighbors.
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
