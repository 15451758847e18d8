"""Read a JSON array of ids block by block; `json` would load the whole file into memory."""

import argparse
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from typing import Final

from bpetite_cli.streams.failure import Failure
from bpetite_cli.streams.inputs import Advance, name_of, open_input, read_blocks
from bpetite_cli.streams.words import integer

_LONGEST_HELD: Final = 1 << 20
"""The most bytes between two commas."""

_WHITESPACE: Final = b" \t\n\r"
_WHITESPACES: Final = re.compile(rb"[ \t\n\r]+")
"""All that JSON allows, of any length."""

_NEVER_IN_IDS: Final = re.compile(rb"-0|[0-9]{31}")
"""JSON allows -0, and integers that are slow to convert."""


def read_json(path: str, advance: Advance) -> Iterator[list[int]]:
    """Yield the ids of a JSON array, one list for each block of the file."""
    with open_input(path) as file:
        held = b""  # what follows the last comma
        more = False  # whether a comma announces another id
        for read in _after_bracket(path, file, advance):
            numbers, comma, held = (held + read).rpartition(b",")
            if comma:
                yield _parse_ids(path, numbers)
                more = True
            if len(held) > _LONGEST_HELD:
                held = _WHITESPACES.sub(b" ", held)
            if len(held) > _LONGEST_HELD:
                raise _no_array(path, held)
        numbers, bracket, rest = held.rpartition(b"]")
        if not bracket:
            raise _no_array(path, b"the end, without a ]")
        if rest := rest.strip(_WHITESPACE):
            raise _no_array(path, rest)
        if more or numbers.strip(_WHITESPACE):
            yield _parse_ids(path, numbers)


def _after_bracket(path: str, file: FileIO, advance: Advance) -> Iterator[bytes]:
    """Yield the blocks of a file, without the bracket that opens the array."""
    begun = False
    for read in read_blocks(path, file):
        advance(len(read))
        block = read if begun else read.lstrip(_WHITESPACE)
        if block and not begun:
            if not block.startswith(b"["):
                raise _no_array(path, block)
            block = block[1:]
            begun = True
        yield block
    if not begun:
        raise _no_array(path, b"")


def _parse_ids(path: str, numbers: bytes) -> list[int]:
    """Return the integers between two commas, or between a comma and a bracket."""
    ids: list[int] = []
    if not _NEVER_IN_IDS.search(numbers):
        with suppress(ValueError, RecursionError):
            ids = json.loads(f"[{numbers.decode('ascii')}]")
    if not ids or not set(map(type, ids)) <= {int}:
        wrong = next((number for number in numbers.split(b",") if not _is_integer(number)), numbers)
        raise _no_array(path, wrong.strip() or b"nothing between two commas or brackets")
    return ids


def _is_integer(number: bytes) -> bool:
    try:
        return integer(number.strip().decode("ascii")) is not None
    except (UnicodeDecodeError, argparse.ArgumentTypeError):
        return False


def _no_array(path: str, found: bytes) -> Failure:
    return Failure(
        f"{name_of(path)}: expected a JSON array of token ids such as [72,101], "
        f"found {repr(found[:40])[1:]}\n"
        "`bpetite encode` writes such an array; to read its other formats, use --format"
    )
