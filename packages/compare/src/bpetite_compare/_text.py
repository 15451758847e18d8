"""Read UTF-8 files strictly, in blocks that end where every known pattern splits.

A block ends between a character that is not whitespace and a space or tab, or between an
ASCII letter or digit and a newline. With the patterns of GPT-2, cl100k_base and o200k_base, no
chunk has a space or tab after other characters, or a newline after anything except
punctuation, and no lookahead goes beyond its own run of whitespace. All of them split there,
so the chunks of a text are the chunks of its blocks.

A section is the text between two such boundaries. The core's pieces and safe boundaries
apply to GPT-2's pattern only.
"""

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from bpetite._files import quoted
from bpetite._boundaries import cut_safely

_BLOCK_BYTES: Final = 1 << 20

# `\S` excludes every character that any engine counts as whitespace.
_BOUNDARY: Final = r"(?:(?<=\S)(?=[ \t])|(?<=[A-Za-z0-9])(?=[\r\n]))"
_UP_TO_LAST_BOUNDARY: Final = re.compile(rf".*{_BOUNDARY}", re.DOTALL)
_ANY_BOUNDARY: Final = re.compile(_BOUNDARY)


def blocks(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the text of a file, in blocks that end where every pattern splits.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8; the message gives the position.
    """
    with open(path, "rb") as file:
        yield from cut_at_boundaries(_decoded(path, file))


def cut_at_boundaries(texts: Iterable[str]) -> Iterator[str]:
    """Yield the same text in parts that end where every pattern splits, except the last one."""
    return cut_safely(texts, _UP_TO_LAST_BOUNDARY)


def cut_everywhere(text: str) -> list[str]:
    """Return the sections of a text, split at every boundary."""
    return _ANY_BOUNDARY.split(text)


def _decoded(path: str | os.PathLike[str], file: BinaryIO) -> Iterator[str]:
    """Yield the text of a file as it is read; never an empty text."""
    offset = 0  # of the first byte that is not decoded yet
    held = b""
    while True:
        read = file.read(_BLOCK_BYTES)
        data = held + read
        try:
            text, used = codecs.utf_8_decode(data, "strict", not read)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{quoted(path)} is not UTF-8: byte 0x{data[error.start]:02x} at offset "
                f"{offset + error.start}; convert the file first, or leave it out"
            ) from None
        if text:
            yield text
        if not read:
            return
        offset += used
        held = data[used:]
