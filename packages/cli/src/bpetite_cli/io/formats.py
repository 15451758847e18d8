"""Formats for ids: how to write and read each of them.

`json` is one compact array and a newline. `text` has one decimal id per line. `u16` and
`u32` have two or four bytes per id, little-endian and without a header, as `numpy.memmap`
reads them. All of them are written and read block by block.
"""

import json
import re
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from bpetite_cli.errors import Failure
from bpetite_cli.values import MOST_DIGITS, integer, short

_TOO_LONG: Final = rb"[0-9]{%d}" % (MOST_DIGITS + 1)
_NOT_DECIMAL: Final = re.compile(rb"[^\s0-9]|" + _TOO_LONG)
_UP_TO_LAST_WHITESPACE: Final = re.compile(rb".*\s", re.DOTALL)


class Format(NamedTuple):
    """A format for ids.

    pack: turns one or more ids into bytes.
    read: yields the ids in blocks, given the name of the file, for errors, and its bytes.
    width: the number of bytes per id, or None if it varies.
    opening, between, closing: the bytes before, between and after blocks of packed ids.
    """

    pack: Callable[[list[int]], bytes]
    read: Callable[[str, Iterable[bytes]], Iterator[list[int]]]
    width: int | None = None
    opening: bytes = b""
    between: bytes = b""
    closing: bytes = b""

    def join(self, packed: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the parts of a file with these blocks of ids; blocks may be empty."""
        yield self.opening
        before = b""
        for block in packed:
            if block:
                yield before + block
                before = self.between
        yield self.closing


def _pack_json(ids: list[int]) -> bytes:
    return ",".join(map(str, ids)).encode("ascii")


def _pack_text(ids: list[int]) -> bytes:
    return ("\n".join(map(str, ids)) + "\n").encode("ascii")


def _read_text(name: str, blocks: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield decimal ids separated by any whitespace."""
    offset = 0  # of `held` in the file
    held = b""
    for read in blocks:
        data = held + read
        if wrong := _NOT_DECIMAL.search(data):
            raise _no_decimal(name, data, offset, wrong.start())
        found = _UP_TO_LAST_WHITESPACE.match(data)
        end = found.end() if found else 0
        yield list(map(int, data[:end].split()))
        offset += end
        held = data[end:]
    yield list(map(int, held.split()))


def _no_decimal(name: str, data: bytes, offset: int, place: int) -> Failure:
    begin = len(data[:place].rstrip(b"0123456789"))  # all that may precede it in a word
    word = data[begin : begin + 40].split()[0]
    return Failure(
        f"{name}: expected decimal token ids separated by whitespace, "
        f"found {short(word)[1:]} at byte offset {offset + begin}\n"
        "`bpetite encode --format text` writes this format"
    )


def _pack(code: str, ids: list[int]) -> bytes:
    packed = array(code, ids)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpack(code: str, name: str, blocks: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield ids of a fixed width."""
    width = struct.calcsize(f"<{code}")
    size, held = 0, b""
    for read in blocks:
        size += len(read)
        data = held + read
        count = len(data) // width
        held = data[count * width :]
        yield list(struct.unpack_from(f"<{count}{code}", data))
    if held:
        raise Failure(
            f"{name}: the last id, at byte offset {size - len(held)}, is incomplete: "
            f"u{8 * width} takes {width} bytes per id, and there are {size:,} bytes\n"
            f"check that the file is complete and was written with --format u{8 * width}"
        )


def _binary(code: str) -> Format:
    return Format(partial(_pack, code), partial(_unpack, code), struct.calcsize(f"<{code}"))


_LONGEST_HELD: Final = 1 << 20
"""The most bytes between two commas."""

_WHITESPACE: Final = b" \t\n\r"
_WHITESPACES: Final = re.compile(rb"[ \t\n\r]+")
"""All that JSON allows, of any length."""

_NEVER_IN_IDS: Final = re.compile(rb"-0|" + _TOO_LONG)
"""JSON allows -0, and integers that are slow to convert."""


def _read_json_or_text(name: str, blocks: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield the ids of a JSON array, or decimal ids if the file begins with a digit."""
    left = iter(blocks)
    begin = next(left, b"")
    read = _read_text if begin.lstrip()[:1].isdigit() else _read_json
    return read(name, chain([begin], left))


def _read_json(name: str, blocks: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield the ids of a JSON array, one list for each block of the file."""
    held = b""  # what follows the last comma
    begun = more = False  # whether the array has begun, and whether a comma announces another id
    for read in blocks:
        block = read if begun else read.lstrip(_WHITESPACE)
        if block and not begun:
            if not block.startswith(b"["):
                raise _no_array(name, block)
            block, begun = block[1:], True
        numbers, comma, held = (held + block).rpartition(b",")
        if comma:
            yield _parse_ids(name, numbers)
            more = True
        if len(held) > _LONGEST_HELD:
            held = _WHITESPACES.sub(b" ", held)
        if len(held) > _LONGEST_HELD:
            raise _no_array(name, held)
    numbers, bracket, rest = held.rpartition(b"]")
    if not bracket:
        raise _no_array(name, b"the end, without a ]" if begun else b"")
    if rest := rest.strip(_WHITESPACE):
        raise _no_array(name, rest)
    if more or numbers.strip(_WHITESPACE):
        yield _parse_ids(name, numbers)


def _parse_ids(name: str, numbers: bytes) -> list[int]:
    """Return the integers between two commas, or between a comma and a bracket."""
    ids: list[int] = []
    if not _NEVER_IN_IDS.search(numbers):
        with suppress(ValueError, RecursionError):
            ids = json.loads(f"[{numbers.decode('ascii')}]")
    if not ids or not set(map(type, ids)) <= {int}:
        wrong = next((number for number in numbers.split(b",") if not _is_integer(number)), numbers)
        raise _no_array(name, wrong.strip() or b"nothing between two commas or brackets")
    return ids


def _is_integer(number: bytes) -> bool:
    try:
        return integer(number.strip().decode("ascii")) is not None
    except (UnicodeDecodeError, Failure):
        return False


def _no_array(name: str, found: bytes) -> Failure:
    return Failure(
        f"{name}: expected a JSON array of token ids such as [72,101], "
        f"found {short(found)[1:]}\n"
        "`bpetite encode` writes such an array; to read its other formats, use --format"
    )


FORMATS: Final = {
    "json": Format(_pack_json, _read_json, opening=b"[", between=b",", closing=b"]\n"),
    "text": Format(_pack_text, _read_text),
    "u16": _binary("H"),
    "u32": _binary("I"),
}
"""The formats by their names on the command line; the first is the default."""

JSON_OR_TEXT: Final = Format(_pack_json, _read_json_or_text)
"""What `decode` reads unless a format is named."""
