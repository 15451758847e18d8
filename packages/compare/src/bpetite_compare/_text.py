"""Read UTF-8 files strictly, in blocks that end at the safe boundaries of all patterns."""

import codecs
import os
from collections.abc import Iterator
from typing import Final

from bpetite._inner import cut_safely, quoted

_BLOCK_BYTES: Final = 1 << 20


def blocks(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the text of a file, in blocks that end at safe boundaries.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8; the message gives the position.
    """
    size = 0

    def read() -> bytes:
        nonlocal size
        block = file.read(_BLOCK_BYTES)
        size += len(block)
        return block

    with open(path, "rb") as file:
        try:
            yield from cut_safely(codecs.iterdecode(iter(read, b""), "utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{quoted(path)} is not UTF-8: byte 0x{error.object[error.start]:02x} at offset "
                f"{size - len(error.object) + error.start}; convert the file first, or leave it out"
            ) from None
