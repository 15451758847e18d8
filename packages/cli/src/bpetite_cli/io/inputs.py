"""Read text from files and standard input: strict UTF-8, block by block, decompressed.

A block ends at a safe boundary, so with every pattern, its chunks are chunks of the text.
Training on blocks, or encoding them one by one, gives the same result as the whole text. A
text without a safe boundary is one block.
"""

import codecs
import os
import re
import shlex
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import FileIO
from itertools import chain
from select import select
from typing import Final, TypeAlias

from bpetite._inner import cut_safely, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io.compressed import Content, decompress
from bpetite_cli.io.not_utf8 import advice_on_archive, advice_on_conversion, is_utf16
from bpetite_cli.io.reading import JSON_LINES, MARKED, UTF16, Reading

STANDARD_INPUT: Final = "-"

Advance: TypeAlias = Callable[[int], None]
"""Called with the number of bytes of each read; compressed text is read as it is."""

_BLOCK_BYTES: Final = 1 << 17
_BYTE_ORDER_MARK: Final = "\ufeff"
_JSON_LINES: Final = re.compile(r"\.(jsonl|ndjson)(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


def name_of(path: str) -> str:
    """Return the name of an input for a message."""
    return "standard input" if path == STANDARD_INPUT else quoted(path)


def check_standard_input(paths: Sequence[str]) -> None:
    """Reject a second read of standard input."""
    if paths.count(STANDARD_INPUT) > 1:
        raise Failure("standard input (-) can be read only once; name it once")


def check_inputs(paths: Sequence[str]) -> int | None:
    """Check all files before reading the first.

    Returns:
        The size of the files in bytes, or None if it is unknown, as for a pipe.
    """
    check_standard_input(paths)
    sizes = [_checked_size(path) for path in paths]
    return None if None in sizes else sum(filter(None, sizes))


def _checked_size(path: str) -> int | None:
    if path == STANDARD_INPUT:
        with open_input(path):
            status = os.fstat(0)
    else:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise _folder(path)
        if not os.access(path, os.R_OK):
            raise Failure(f"{quoted(path)}: no permission to read it; change its permissions")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _folder(path: str) -> Failure:
    return Failure(
        f"{quoted(path)} is a folder; name files, or list those in it: "
        f"find {shlex.quote(path)} -name '*.txt' -print0 | sort -z | bpetite ... --files-from - -0"
    )


def open_input(path: str) -> FileIO:
    """Open a file, or standard input for `-`, as bytes without a buffer."""
    if path != STANDARD_INPUT:
        try:
            return open(path, "rb", buffering=0)
        except (IsADirectoryError, PermissionError):  # the latter on Windows
            if not os.path.isdir(path):
                raise
            raise _folder(path) from None
    if sys.stdin is None:
        raise Failure("standard input is closed; name a file")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


def total_size(paths: Sequence[str]) -> int | None:
    """Return the size of the files in bytes, or None if it is unknown."""
    try:
        return check_inputs(paths)
    except (Failure, OSError):
        return None


def is_typed(paths: Iterable[str]) -> bool:
    """Return whether a person types one of the inputs: a bar would be in the way."""
    return STANDARD_INPUT in paths and sys.stdin is not None and sys.stdin.isatty()


def read_blocks(path: str) -> Iterator[bytes]:
    """Open an input and yield its bytes in non-empty blocks."""
    size = _BLOCK_BYTES
    with open_input(path) as file:
        while size == _BLOCK_BYTES:  # a shorter block is the last: a terminal would wait for more
            try:
                block = b"".join(_parts(file, _BLOCK_BYTES))
            except OSError as error:
                raise Failure(f"{name_of(path)} cannot be read: {error.strerror}") from None
            if block:
                yield block
            size = len(block)


def _parts(file: FileIO, size: int) -> Iterator[bytes]:
    """Yield parts of a file, up to its end or to this size in total."""
    while size:
        part = file.read(size)
        if part is None:  # nothing there yet, in a pipe or terminal that does not block
            select([file], [], [])
        elif part:
            yield part
            size -= len(part)
        else:
            return


def read_text(path: str, reading: Reading) -> Iterator[str]:
    """Yield the text of a file, in blocks that end at safe boundaries.

    It calls `advance` with the number of bytes of each read.
    """
    if _JSON_LINES.search(path):
        reading.note(name_of(path), JSON_LINES)
    yield from cut_safely(_decoded(path, read_content(path, reading.advance), reading))


def read_content(path: str, advance: Advance) -> Content:
    """Read the bytes of a text, which may be compressed."""
    content = decompress(name_of(path), read_blocks(path), advance)
    begin = next(content.blocks, b"")
    if advice := advice_on_archive(begin):
        raise Failure(f"{name_of(path)} is an archive, not text\n{advice}")
    return content._replace(blocks=chain([begin] if begin else [], content.blocks))


def ignore(_: int) -> None:
    """Advance nothing: for what is read without a bar."""


def split_at(separator: bytes, blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the parts between separators, with one part in memory at a time.

    >>> list(split_at(b"\n", [b"a\nb", b"c\n"]))
    [b'a', b'bc', b'']
    """
    held: list[bytes] = []
    for block in blocks:
        first, *others = block.split(separator)
        held.append(first)
        for part in others:
            yield b"".join(held)
            held = [part]
    yield b"".join(held)


def _decoded(path: str, content: Content, reading: Reading) -> Iterator[str]:
    """Yield the text of a file as it is read; never an empty text."""
    begin = last = b""  # the first bytes, and the last block after the end of the block before
    size = 0

    def noted() -> Iterator[bytes]:
        nonlocal begin, last, size
        for block in content.blocks:
            begin = begin or block[:8]
            last = last[-8:] + block
            size += len(block)
            yield block

    texts = codecs.iterdecode(noted(), "utf-8")
    try:
        first = next(texts, "")
        if first.startswith(_BYTE_ORDER_MARK):
            reading.note(name_of(path), MARKED)
        if is_utf16(last):
            reading.note(name_of(path), UTF16)
        yield from chain([first] if first else [], texts)
    except UnicodeDecodeError as error:
        left = len(error.object) - error.start  # bytes from the wrong one to the end of the block
        place = len(last) - left
        raise Failure(
            f"{name_of(path)} is not UTF-8: byte 0x{last[place]:02x} at offset "
            f"{size - left}{' in the decompressed text' if content.compression else ''} "
            f"(around it: {last[max(0, place - 4) : place + 4].hex(' ')})\n"
            f"{advice_on_conversion(begin, error.object, error)}"
        ) from None
