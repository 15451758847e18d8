r"""Split text into chunks, which no merge crosses; and cut it into blocks and pieces.

Glossary
    chunk          one match of the pattern, also called a pre-token: " the", "'ll", "\n\n"
    whitespace     the 25 characters that `regex` calls `\s`
    safe boundary  the position before whitespace that follows something else
    piece          the text between two safe boundaries, one chunk or a few
    block          several pieces, processed at a time

Every character is part of a match, so the chunks of a text join to the text. Matching is
slow, so there are two shortcuts. Each relies on a fact that
`tests/core/test_pretokenizer.py` checks against the pattern itself:

    ASCII            On ASCII text `\p{L}` is `[A-Za-z]` and `\p{N}` is `[0-9]`, so the
                     standard library's `re`, twice as fast, finds the same chunks.
    Safe boundaries  In a chunk with other characters, whitespace occurs only as one space
                     at the start. So every safe boundary is between two chunks. The only
                     lookahead, `(?!\S)`, reaches no further than its run of whitespace
                     and the next character. So the chunks of a text are the chunks of
                     its parts, if it is cut at safe boundaries.

Not here: the ids of chunks, and the special token (`_encoder`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import regex

from bpetite._constants import PRETOKENIZER_PATTERN

_PATTERN: Final = regex.compile(PRETOKENIZER_PATTERN)
_ASCII_PATTERN: Final = re.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
)

# In `re`, `\s` includes U+001C to U+001F; in `regex`, these match like punctuation.
_PIECE: Final = re.compile(r"[^\S\x1c-\x1f]*[\S\x1c-\x1f]+|[^\S\x1c-\x1f]+")
_SAFE_BOUNDARY: Final = re.compile(r"(?<=\S)(?=[^\S\x1c-\x1f])")
_UP_TO_LAST_SAFE_BOUNDARY: Final = re.compile(rf".*{_SAFE_BOUNDARY.pattern}", re.DOTALL)


def pretokenize(text: str) -> list[bytes]:
    r"""Return the chunks of a text, in order, as UTF-8.

    Args:
        text: any text, even "". Nothing is normalized, folded, added or trimmed.

    Returns:
        Chunks of one byte or more; joined, they are the UTF-8 of the text.

    Raises:
        UnicodeEncodeError: the text contains a lone surrogate.

    >>> pretokenize("You'll  see\n")
    [b'You', b"'ll", b' ', b' see', b'\n']
    """
    return [chunk.encode("utf-8") for chunk in split(text)]


def split(text: str) -> list[str]:
    """Return the chunks of a text, in order, as text."""
    if text.isascii():
        return _ASCII_PATTERN.findall(text)
    return _PATTERN.findall(text)


def blocks(text: str, size: int) -> Iterator[str]:
    """Cut a text into blocks: each ends at the first safe boundary after `size` characters."""
    start = 0
    while start < len(text):
        boundary = _SAFE_BOUNDARY.search(text, start + size)
        end = boundary.start() if boundary else len(text)
        yield text[start:end]
        start = end


def cut_safely(
    texts: Iterable[str], up_to_last: "re.Pattern[str]" = _UP_TO_LAST_SAFE_BOUNDARY
) -> Iterator[str]:
    """Yield the same text in parts that end at safe boundaries, except the last one.

    Args:
        texts: a text in parts, as it is read; none is empty.
        up_to_last: matches a text up to its last boundary, if other patterns need fewer.
    """
    held: list[str] = []
    for text in texts:
        # The boundary may lie between two texts, so the last character is checked again.
        last = held[-1][-1] if held else ""
        found = up_to_last.match(last + text)
        if not found:
            held.append(text)
            continue
        end = found.end() - len(last)
        yield "".join([*held, text[:end]])
        held = [text[end:]]
    if rest := "".join(held):
        yield rest


def cut(text: str) -> list[str]:
    """Return the pieces of a text, in order.

    They repeat nearly as often as chunks do, and finding them takes a fraction of the time.
    """
    return _PIECE.findall(text)


def count_pieces(text: str, pieces: Counter[str], times: int = 1) -> None:
    """Add the pieces of a text to a count of pieces, `times` times."""
    if times == 1:
        pieces.update(cut(text))  # in C
    else:
        for piece in cut(text):
            pieces[piece] += times


def count_chunks(pieces: Counter[str]) -> dict[str, int]:
    """Return the frequency of each chunk in the counted pieces.

    The pattern runs only once for each distinct piece.
    """
    chunks: dict[str, int] = {}
    for piece, count in pieces.items():
        for chunk in split(piece):
            chunks[chunk] = chunks.get(chunk, 0) + count
    return chunks
