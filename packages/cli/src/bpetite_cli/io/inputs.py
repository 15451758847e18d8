"""Read text from files and standard input: strict UTF-8, block by block, decompressed.

A block ends at a safe boundary, so with every pattern, its chunks are chunks of the text.
Training on blocks, or encoding them one by one, gives the same result as the whole text. A
text without a safe boundary is one block.
"""

import codecs
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from itertools import chain
from select import select
from typing import Final, TypeAlias, TypeVar

from bpetite._inner import cut_safely, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io.compressed import decompress
from bpetite_cli.io.kinds import advice_on_archive, advice_on_conversion, is_utf16, not_utf8

Item = TypeVar("Item")

STANDARD_INPUT: Final = "-"

Oddity: TypeAlias = tuple[str, str, str]
"""The verb for one input and for several, and what a message says about them."""

MARKED: Final[Oddity] = (
    "begins",
    "begin",
    "with a byte order mark, which becomes tokens; to remove it from plain text: tail -c +4 FILE",
)
UTF16: Final[Oddity] = (
    "looks",
    "look",
    "like UTF-16, but is read as UTF-8; convert it: iconv -f UTF-16LE (or UTF-16BE) -t UTF-8 FILE",
)
JSON_LINES: Final[Oddity] = (
    "is",
    "are",
    "read as text, not as JSON; most commands read its documents with --jsonl FIELD",
)
EMPTY: Final[Oddity] = ("is", "are", "empty; check the input")

_BLOCK_BYTES: Final = 1 << 16
_BYTE_ORDER_MARK: Final = "\ufeff"
_JSON_LINES_NAME: Final = re.compile(r"\.(jsonl|ndjson)(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


def name_of(path: str) -> str:
    """Return the name of an input for a message."""
    return "standard input" if path == STANDARD_INPUT else quoted(path)


def check_inputs(paths: Sequence[str]) -> int | None:
    """Check all files before reading the first.

    Returns:
        The size of the files in bytes, or None if it is unknown, as for a pipe.
    """
    sizes: list[int | None] = []
    for path in paths:
        if path == STANDARD_INPUT:
            with open_input(path):
                status = os.fstat(0)
        else:
            status = os.stat(path)
            if stat.S_ISDIR(status.st_mode):
                raise _folder(path)
            if not os.access(path, os.R_OK):
                raise Failure(f"{quoted(path)}: no permission to read it; change its permissions")
        sizes.append(status.st_size if stat.S_ISREG(status.st_mode) else None)
    return None if None in sizes else sum(filter(None, sizes))


def _folder(path: str) -> Failure:
    return Failure(f"{quoted(path)} is a folder; name a file in it")


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


def is_typed(paths: Iterable[str]) -> bool:
    """Return whether a person types one of the inputs: a bar would be in the way."""
    return STANDARD_INPUT in paths and sys.stdin is not None and sys.stdin.isatty()


def is_ready(seconds: float = 2) -> bool:
    """Return whether standard input has a byte, or ends, within some seconds."""
    with suppress(OSError, ValueError):  # Windows cannot wait for a pipe
        return sys.stdin is None or bool(select([sys.stdin], [], [], seconds)[0])
    return True


class Input:
    """A file or standard input, which is read once.

    name: how messages call it.
    read: the number of bytes read so far; those of compressed text are not decompressed.
    odd: what is odd about inputs that a command can use, with their names.
    """

    def __init__(self, path: str, odd: dict[Oddity, list[str]]) -> None:
        self.name = name_of(path)
        self.read = 0
        self.odd = odd
        self.path = path
        self._compression: str | None = None

    def blocks(self) -> Iterator[bytes]:
        """Open it and yield its bytes in non-empty blocks."""
        with open_input(self.path) as file:
            ended = False
            while not ended:
                block = b""
                while len(block) < _BLOCK_BYTES and not ended:
                    try:
                        part = file.read(_BLOCK_BYTES - len(block))
                    except OSError as error:
                        raise Failure(f"{self.name} cannot be read: {error.strerror}") from None
                    if part is None:  # nothing there yet, in a pipe or terminal that does not block
                        select([file], [], [])
                        continue
                    block += part
                    ended = not part  # a terminal that is read again waits for more
                self.read += len(block)
                if block:
                    yield block

    def content(self) -> Iterator[bytes]:
        """Yield its bytes, decompressed if they are compressed; an archive is an error."""
        blocks, self._compression = decompress(self.name, self.blocks())
        begin = next(blocks, b"")
        if advice := advice_on_archive(begin):
            raise Failure(f"{self.name} is an archive, not text\n{advice}")
        return chain([begin] if begin else [], blocks)

    def text(self) -> Iterator[str]:
        """Yield its text, in blocks that end at safe boundaries."""
        if _JSON_LINES_NAME.search(self.path):
            self.note(JSON_LINES)
        return cut_safely(self._decoded())

    def with_sizes(self, items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
        """Yield what is read from it, with the number of bytes read for each item."""
        before = 0
        for item in items:
            yield item, self.read - before
            before = self.read

    def note(self, oddity: Oddity) -> None:
        """Note that it is odd, although the command can use it."""
        self.odd.setdefault(oddity, []).append(self.name)

    def _decoded(self) -> Iterator[str]:
        """Yield its text as it is read; never an empty text."""
        decode = codecs.getincrementaldecoder("utf-8")().decode
        begin = last = b""  # the first bytes, and the last block after the end of the block before
        size = 0
        begun = False
        for block in chain(self.content(), [b""]):
            begin = begin or block[:8]
            last = last[-8:] + block
            size += len(block)
            try:
                text = decode(block, not block)
            except UnicodeDecodeError as error:
                left = len(error.object) - error.start  # bytes from the wrong one to the last
                place = len(last) - left
                raise Failure(
                    f"{self.name} {not_utf8(last, place, size - left)}"
                    f"{' in the decompressed text' if self._compression else ''} "
                    f"(around it: {last[max(0, place - 4) : place + 4].hex(' ')})\n"
                    f"{advice_on_conversion(begin, error.object, error)}"
                ) from None
            if text and not begun:
                begun = True
                if text.startswith(_BYTE_ORDER_MARK):
                    self.note(MARKED)
                if is_utf16(last):
                    self.note(UTF16)
            if text:
                yield text


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
