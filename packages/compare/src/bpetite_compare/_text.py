"""Read UTF-8 files strictly, in blocks that end at the safe boundaries of all patterns."""

import codecs
import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from bpetite._boundaries import cut_safely
from bpetite._files import quoted

_BLOCK_BYTES: Final = 1 << 20


def blocks(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the text of a file, in blocks that end at safe boundaries.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8; the message gives the position.
    """
    with open(path, "rb") as file:
        yield from cut_safely(_decoded(path, file))


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
