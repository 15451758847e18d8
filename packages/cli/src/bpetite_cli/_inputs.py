"""Read text from files and from standard input: bytes, strict UTF-8, block by block.

No file is ever held whole. A block ends at a safe boundary, where whitespace follows
something else: the chunks of the text are the chunks of the blocks there, so training on
the blocks, or encoding one after the other, gives what the whole text would give.
"""

import codecs
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO, Final

from bpetite_cli._failure import Failure, quoted

__all__ = ["STANDARD_INPUT", "cut_safely", "open_input", "read_text", "total_size"]

STANDARD_INPUT: Final = "-"
_BLOCK_BYTES: Final = 1 << 20

# `\S` leaves out every character that any of the definitions of whitespace counts, and
# `[ \n]` holds two that all of them count.
_UP_TO_LAST_SAFE_BOUNDARY: Final = re.compile(r".*\S(?=[ \n])", re.DOTALL)

_LOOKS_LIKE: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32", "iconv -f UTF-32 -t UTF-8"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\x1f\x8b", "a gzip file", "gzip -dc"),
    (b"BZh", "a bzip2 file", "bzip2 -dc"),
    (b"\xfd7zXZ\x00", "an xz file", "xz -dc"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "zstd -dc"),
    (b"PK\x03\x04", "a zip file", "unzip -p"),
)
_LATIN_1_LETTER: Final = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xff](?![\x80-\xff])|(?<![\x80-\xff])[\xc0-\xff](?=[a-z])"
)


def open_input(path: str) -> AbstractContextManager[BinaryIO]:
    """Open a file, or standard input for `-`, as bytes."""
    if path != STANDARD_INPUT:
        try:
            return open(path, "rb")  # noqa: PTH123 - the caller closes it
        except IsADirectoryError:
            message = f"{quoted(path)} is a folder; name the files in it"
            raise Failure(message) from None
    if sys.stdin is None:
        message = "standard input is closed; name a file"
        raise Failure(message)
    return nullcontext(sys.stdin.buffer)


def total_size(paths: Iterable[str]) -> int | None:
    """Return how many bytes there are to read, or None where nobody can know."""
    total = 0
    for path in paths:
        try:
            status = os.fstat(0) if path == STANDARD_INPUT else os.stat(path)  # noqa: PTH116
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        total += status.st_size
    return total


def read_text(path: str, advance: Callable[[int], None]) -> Iterator[str]:
    """Yield the text of a file, in blocks that end at safe boundaries.

    `advance` is told of each number of bytes that has been read.
    """
    with open_input(path) as file:
        yield from cut_safely(_decoded(path, file, advance))


def cut_safely(texts: Iterable[str]) -> Iterator[str]:
    """Yield the same text, with every end but the last at a safe boundary."""
    held: list[str] = []
    for text in texts:
        # The boundary may stand between two texts, so the last character is looked at again.
        last = held[-1][-1] if held else ""
        found = _UP_TO_LAST_SAFE_BOUNDARY.match(last + text)
        if not found:
            held.append(text)
            continue
        end = found.end() - len(last)
        yield "".join([*held, text[:end]])
        held = [text[end:]]
    if rest := "".join(held):
        yield rest


def _decoded(path: str, file: BinaryIO, advance: Callable[[int], None]) -> Iterator[str]:
    """Yield the text of a file as it is read; no text is empty."""
    offset = 0
    begin = held = b""
    while True:
        read = file.read(_BLOCK_BYTES)
        data = held + read
        begin = begin or data[:8]
        try:
            text, used = codecs.utf_8_decode(data, "strict", not read)
        except UnicodeDecodeError as error:
            raise _not_utf_8(path, begin, data, offset, error) from None
        advance(len(read))
        if text:
            yield text
        if not read:
            return
        offset += used
        held = data[used:]


def _not_utf_8(
    path: str, begin: bytes, data: bytes, offset: int, error: UnicodeDecodeError
) -> Failure:
    name = "standard input" if path == STANDARD_INPUT else quoted(path)
    around = data[max(0, error.start - 4) : error.start + 4]
    message = (
        f"{name} is not UTF-8: byte 0x{data[error.start]:02x} at offset {offset + error.start} "
        f"(around it: {around.hex(' ')})"
    )
    for magic, kind, command in _LOOKS_LIKE:
        if begin.startswith(magic):
            return Failure(f"{message}\nit looks like {kind}; convert it first, with: {command}")
    if error.reason == "unexpected end of data":
        return Failure(f"{message}\nit ends in the middle of a character; was it cut short?")
    if _LATIN_1_LETTER.search(data, max(0, error.start - 1), error.start + 2):
        return Failure(
            f"{message}\nit looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8"
        )
    return Failure(f"{message}\nbpetite reads UTF-8 only; convert the file, or leave it out")
