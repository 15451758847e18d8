"""Read the header of a GGUF file, llama.cpp's form of a model, without its tensors.

The header has fields: names with a number, a text or a list. The file may be damaged or hostile:
no size in it is believed.
"""

import os
import struct
from typing import Any, BinaryIO, Final

_STRING, _ARRAY = 8, 9
_NUMBERS: Final = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""The types of values; those of numbers with their names in `struct`."""
_LARGEST: Final = 1 << 26
"""The most bytes of a header; those of published models have up to 16 million."""


def is_gguf(path: str) -> bool:
    """Return whether a file has the name of a GGUF file or begins like one; no pipe is read."""
    if path.endswith(".gguf") or not os.path.isfile(path):
        return path.endswith(".gguf")
    with open(path, "rb") as file:
        return file.read(4) == b"GGUF"


def read_header(path: str, wanted: tuple[str, ...] = ("",)) -> dict[str, Any]:
    """Return the fields whose names begin with one of the wanted texts.

    Raises:
        OSError: the file cannot be opened or read.
        ValueError: it is not a GGUF file of version 2 or 3, or its header is damaged.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError("it is not a regular file")
    fields: dict[str, Any] = {}
    with open(path, "rb") as file:
        header = _Header(file, os.path.getsize(path))
        magic, version, _, count = struct.unpack("<4sIQQ", header.take(24, "its begin"))
        if magic != b"GGUF":
            raise ValueError(f"it begins with {magic!r}, not GGUF; the older form GGML is not read")
        if version not in {2, 3}:
            raise ValueError(f"its version of GGUF is {version}, not 2 or 3 in little-endian order")
        for place in range(count):
            name = header.text(f"the name of its field {place}")
            if name in fields:
                raise ValueError(f"it has the field {name[:40]!r} twice")
            fields[name] = header.value(f"its field {name[:40]!r}", keep=name.startswith(wanted))
    return {name: value for name, value in fields.items() if name.startswith(wanted)}


class _Header:
    """A header, read from its begin to its end."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._place, self._size = file, 0, min(size, _LARGEST)

    def take(self, size: int, what: str, *, keep: bool = True) -> bytes:
        """Return the next bytes, or skip them."""
        if size <= self._size - self._place:
            self._place += size
            if not keep:
                self._file.seek(size, os.SEEK_CUR)
                return b""
            if len(data := self._file.read(size)) == size:  # else the file has shrunk
                return data
        raise ValueError(f"{what} at byte {self._place:,} has {size:,} bytes, more than are left")

    def integer(self, size: int, what: str) -> int:
        return int.from_bytes(self.take(size, what), "little")

    def text(self, what: str, *, keep: bool = True) -> str:
        try:
            return self.take(self.integer(8, what), what, keep=keep).decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{what} is not UTF-8 before byte {self._place:,}") from None

    def value(self, what: str, *, keep: bool) -> Any:  # noqa: ANN401 - of any type
        """Return a number, a text or a list; or skip it."""
        kind = self.integer(4, what)
        is_list, count = kind == _ARRAY, 1
        if is_list:
            kind, count = self.integer(4, what), self.integer(8, what)
        if kind == _STRING:
            values: list[Any] = [self.text(what, keep=keep) for _ in range(count)]
        elif form := _NUMBERS.get(kind):
            data = self.take(count * struct.calcsize(f"<{form}"), what, keep=keep)
            values = [one for (one,) in struct.iter_unpack(f"<{form}", data)]
        else:
            raise ValueError(f"{what} has values of the type {kind}, which are not read")
        return values if is_list or not keep else values[0]
