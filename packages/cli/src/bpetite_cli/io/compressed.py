"""Decompress what is read: gzip, bzip2, xz and zstd, recognized by their first bytes.

No text in UTF-8 begins with the first bytes of gzip, xz or zstd. Those of bzip2 are ASCII, and
ten of them decide.

A file may have several members (streams of bzip2 and xz, frames of zstd), and zero bytes after
each. Other data after a member is an error: Python's `bz2.open` and `lzma.open` ignore it.
"""

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from bpetite_cli.errors import Failure

if TYPE_CHECKING:
    import zlib
    from bz2 import BZ2Decompressor

_XZ_MEMORY: Final = 1 << 28
"""The most bytes that xz may use: `xz -9` needs a quarter of them."""

_ZSTD_WINDOW_LOG: Final = 27
"""The binary logarithm of the largest window: 128 MiB, which `zstd --long` uses."""

_YIELDED_AT_ONCE: Final = 1 << 20
"""The most bytes of a block: a small file may contain any amount of text."""

_LONGEST_BEGIN: Final = 10


_Library: TypeAlias = tuple[Callable[[], Any], type[Exception]]
"""What reads a format: it makes a decompressor for each member, which may raise an error.

Each is used as a `BZ2Decompressor`.
"""


class _Format(NamedTuple):
    """A format, with the name of the program that decompresses it.

    begin: matches the first bytes of a file.
    next_begin: matches the first bytes of a later member.
    load: imports the library that reads it.
    module: the name of what `load` imports.
    refusals: for files that are not damaged, by a part of the library's error: what is wrong, and
        the options of the program that reads them.
    """

    name: str
    begin: bytes
    next_begin: bytes
    load: Callable[[], _Library]
    module: str
    refusals: Mapping[str, tuple[str, str]] = MappingProxyType({})

    def decompress_first(self, options: str = "") -> str:
        """Return the way out for a file that bpetite cannot read."""
        return f"decompress it first, with: {self.name} -dc{options}"


class _Inflating:
    """Decompresses a member of a gzip file; zlib checks its header, its length and its sum."""

    def __init__(self, zlib_object: "zlib._Decompress") -> None:
        self._object = zlib_object

    @property
    def eof(self) -> bool:
        return self._object.eof

    @property
    def needs_input(self) -> bool:
        return not self._object.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._object.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._object.decompress(self._object.unconsumed_tail + data, max_length)


def _load_gzip() -> _Library:
    import zlib  # noqa: PLC0415 - only files in this format need it

    start = partial(zlib.decompressobj, 16 + zlib.MAX_WBITS)
    return lambda: _Inflating(start()), zlib.error


def _load_bzip2() -> _Library:
    from bz2 import BZ2Decompressor  # noqa: PLC0415 - the same

    return BZ2Decompressor, OSError


def _load_xz() -> _Library:
    import lzma  # noqa: PLC0415 - the same

    start = partial(lzma.LZMADecompressor, format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    return start, lzma.LZMAError


def _load_zstd() -> _Library:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - the same
    else:
        from backports import zstd  # noqa: PLC0415 - the same; it may not be installed

    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    return partial(zstd.ZstdDecompressor, options=options), zstd.ZstdError


_GZIP: Final = rb"\x1f\x8b"
_BZIP2: Final = rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"  # a block, or the end
_XZ: Final = rb"\xfd7zXZ\0"
_ZSTD: Final = rb"\x28\xb5\x2f\xfd"
_ZSTD_OR_SKIPPABLE: Final = rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"
_ZSTD_MODULE: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"

_FOR_XZ: Final = f"needs more than {_XZ_MEMORY >> 20} MiB of memory, the limit for xz", ""
_FOR_ZSTD: Final = {
    "too much memory": (
        f"needs more than a window of {1 << _ZSTD_WINDOW_LOG >> 20} MiB, the limit for zstd",
        " --long=31",
    ),
    "Dictionary mismatch": ("was compressed with a dictionary", " -D DICT"),
}

_FORMATS: Final = (
    _Format("gzip", _GZIP, _GZIP, _load_gzip, "zlib"),
    _Format("bzip2", _BZIP2, _BZIP2, _load_bzip2, "bz2"),
    _Format("xz", _XZ, _XZ, _load_xz, "lzma", {"Memory usage limit": _FOR_XZ}),
    _Format("zstd", _ZSTD, _ZSTD_OR_SKIPPABLE, _load_zstd, _ZSTD_MODULE, _FOR_ZSTD),
)


def decompress(name: str, blocks: Iterable[bytes]) -> tuple[Iterator[bytes], str | None]:
    """Return the content of an input, and the name of its format of compression, if it has one.

    Args:
        name: the name of the input, for messages.
        blocks: what is read. Only the first blocks are taken here, until they have ten bytes.
    """
    left = iter(blocks)
    begin = b""
    while len(begin) < _LONGEST_BEGIN and (block := next(left, b"")):
        begin += block
    read = chain([begin] if begin else [], left)
    for each in _FORMATS:
        if re.match(each.begin, begin):
            return _Members(name, each, read).blocks(), each.name
    return read, None


class _Members:
    """The members of a compressed input."""

    def __init__(self, name: str, format_: _Format, parts: Iterator[bytes]) -> None:
        self._name = name
        self._format = format_
        self._parts = parts
        self._taken = 0  # bytes

    def blocks(self) -> Iterator[bytes]:
        """Yield the content of all members."""
        library = self._load()
        data = self._take()
        while data:
            rest = yield from self._content(library, data)
            data = self._after_padding(rest)
            if data and not re.match(self._format.next_begin, data):
                raise Failure(
                    f"{self._name} has other data after its {self._format.name} data, from byte "
                    f"offset {self._taken - len(data)} on; download it again, or cut it off there"
                )

    def _load(self) -> _Library:
        try:
            return self._format.load()
        except ImportError:
            module = self._format.module
            verb = "install" if module.startswith("backports.") else "use a Python that has"
            raise Failure(
                f"{self._name} is compressed with {self._format.name}; to read it, {verb} "
                f"{module}, or {self._format.decompress_first()}"
            ) from None

    def _take(self) -> bytes:
        """Return the next part of the input, or nothing at its end."""
        part = next(self._parts, b"")
        self._taken += len(part)
        return part

    def _content(self, library: _Library, data: bytes) -> Generator[bytes, None, bytes]:
        """Yield the content of a member that begins with some data; return what follows it."""
        start, library_error = library
        decompressor: BZ2Decompressor = start()
        while True:
            try:
                content = decompressor.decompress(data, _YIELDED_AT_ONCE)
            except library_error as error:
                raise self._failure(str(error)) from None
            if content:
                yield content
            if decompressor.eof:
                return decompressor.unused_data
            data = b""
            if decompressor.needs_input and not (data := self._take()):
                raise Failure(
                    f"{self._name} is cut off: its {self._format.name} data ends too early; copy "
                    "or download it again"
                )

    def _after_padding(self, data: bytes) -> bytes:
        """Return enough of what follows zero bytes to recognize a member, or what is left."""
        data = data.lstrip(b"\0")
        while len(data) < _LONGEST_BEGIN and (more := self._take()):
            data = (data + more).lstrip(b"\0")
        return data

    def _failure(self, error: str) -> Failure:
        for sign, (reason, options) in self._format.refusals.items():
            if sign in error:
                way_out = self._format.decompress_first(options)
                return Failure(f"{self._name} {reason}; {way_out}")
        return Failure(
            f"{self._name} is damaged: its {self._format.name} data cannot be decompressed "
            f"({error}); copy or download it again"
        )
