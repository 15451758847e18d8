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
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import FileIO
from itertools import chain, groupby
from operator import itemgetter
from select import select
from typing import Final, TypeAlias, TypeVar

from bpetite._inner import cut_safely, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io import kinds
from bpetite_cli.io.compressed import decompress

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
_BEGIN: Final = 1 << 12
"""The number of bytes of a file that say whether it is text."""

_BYTE_ORDER_MARK: Final = "\ufeff"
_JSON_LINES_NAME: Final = re.compile(r"\.(jsonl|ndjson)(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


def name_of(path: str) -> str:
    """Return the name of an input for a message."""
    return "standard input" if path == STANDARD_INPUT else quoted(path)


def size_of(path: str, *, is_text: bool) -> int | None:
    """Return the size of a file, or None if it is not regular.

    Args:
        path: the file.
        is_text: whether its first bytes must be text.
    """
    if path == STANDARD_INPUT:
        with open_input(path):
            status = os.fstat(0)
    else:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise _folder(path)
        if not os.access(path, os.R_OK):
            raise Failure(f"{quoted(path)}: no permission to read it; change its permissions")
        is_regular = stat.S_ISREG(status.st_mode) and not path.startswith("/dev/")  # as /dev/fd/0
        if is_text and is_regular:
            source = Input(path, {})
            source.check(source.begin())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _folder(path: str) -> Failure:
    return Failure(f"{quoted(path)} is a folder; name a file in it")


def open_input(path: str) -> FileIO:
    """Open a file, or standard input for `-`, as bytes without a buffer."""
    if path != STANDARD_INPUT:
        if os.path.isdir(path):
            raise _folder(path)
        return open(path, "rb", buffering=0)
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
    skipped: the number of documents that are not text, by reason; None if such are errors.
    """

    def __init__(
        self, path: str, odd: dict[Oddity, list[str]], skipped: dict[str, int] | None = None
    ) -> None:
        self.name = name_of(path)
        self.read = 0
        self.odd = odd
        self.skipped = skipped
        self.path = path
        self._told = 0  # bytes read for earlier items
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
        self._check_archive(begin)
        return chain([begin] if begin else [], blocks)

    def begin(self) -> bytes:
        """Return its first bytes, decompressed."""
        blocks, self._compression = decompress(self.name, self.blocks())
        begin = b""
        while len(begin) < _BEGIN and (block := next(blocks, b"")):
            begin += block
        return begin[:_BEGIN]

    def check(self, begin: bytes) -> None:
        """Reject what is not text, as its first bytes show."""
        self._check_archive(begin)
        for _ in self._decoded([begin] if len(begin) == _BEGIN else [begin, b""]):
            pass
        if found := kinds.signature(begin):
            raise Failure(f"{self.name} is not text\nit looks like {found}")

    def _check_archive(self, begin: bytes) -> None:
        if advice := kinds.advice_on_archive(begin):
            raise Failure(f"{self.name} is an archive, not text\n{advice}")

    def documents(self, separator: str | None) -> Iterator[Iterator[str]]:
        """Yield its documents, each in blocks that end at safe boundaries.

        Without a separator, there is one. Otherwise each is read to its end before the next.
        """
        if _JSON_LINES_NAME.search(self.path):
            self.note(JSON_LINES)
        texts = self._decoded(chain(self.content(), [b""]))
        if separator is None:
            yield cut_safely(texts)
            return
        for _, parts in groupby(_parts_between(separator, texts), itemgetter(0)):
            yield cut_safely(part for _, part in parts)

    def with_sizes(self, items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
        """Yield what is read from it, with the number of bytes read for each item."""
        for item in items:
            yield item, self.read - self._told
            self._told = self.read

    def skip(self, reason: str, fault: str) -> None:
        """Count a document that is not text, or raise an error."""
        if self.skipped is None:
            raise Failure(f"{fault}\n--skip-invalid leaves such documents out")
        self.skipped[reason] += 1

    def note(self, oddity: Oddity) -> None:
        """Note that it is odd, although the command can use it."""
        self.odd.setdefault(oddity, []).append(self.name)

    def _decoded(self, blocks: Iterable[bytes]) -> Iterator[str]:
        """Yield its text as it is read, up to an empty block; never an empty text."""
        decode = codecs.getincrementaldecoder("utf-8")().decode
        begin = last = b""  # the first bytes, and the last block after the end of the block before
        size = 0
        begun = False
        for block in blocks:
            begin = begin or block[:8]
            last = last[-8:] + block
            size += len(block)
            try:
                text = decode(block, not block)
            except UnicodeDecodeError as error:
                left = len(error.object) - error.start  # bytes from the wrong one to the last
                place = len(last) - left
                raise Failure(
                    f"{self.name} {kinds.not_utf8(last, place, size - left)}"
                    f"{' in the decompressed text' if self._compression else ''} "
                    f"(around it: {last[max(0, place - 4) : place + 4].hex(' ')})\n"
                    f"{kinds.advice_on_conversion(begin, error.object, error)}"
                ) from None
            if text and not begun:
                begun = True
                if text.startswith(_BYTE_ORDER_MARK):
                    self.note(MARKED)
                if kinds.is_utf16(last):
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


def _parts_between(separator: str, texts: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text between separators, each with the number of its document.

    A document may have several parts; an empty one has none. What is held back after each text is
    too short for a separator, but may begin one that ends in the next text.

    >>> list(_parts_between("--", ["a-", "-b", "--"]))
    [(0, 'a'), (1, 'b')]
    """
    number, held = 0, ""
    for text in texts:
        *ended, rest = (held + text).split(separator)
        yield from ((number + place, part) for place, part in enumerate(ended) if part)
        number += len(ended)
        end = max(0, len(rest) + 1 - len(separator))
        held = rest[end:]
        if end:
            yield number, rest[:end]
    if held:
        yield number, held
