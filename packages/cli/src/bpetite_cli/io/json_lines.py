"""Read JSON Lines: each line is an object with a document, and possibly its count.

One line is in memory at a time. Python's `json` reads it: if a key occurs twice, the last
value applies, and NaN is a number.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from bpetite._inner import PATTERNS
from bpetite_cli.errors import Failure
from bpetite_cli.io.inputs import Input, split_at
from bpetite_cli.io.kinds import LIKE_UTF16, advice_on_conversion, is_utf16, not_utf8
from bpetite_cli.values import MOST_DIGITS, short

MOST_COUNT: Final = 2**63 - 1
"""The highest count: a signed 64-bit integer, as in databases."""

_DECODER: Final = json.JSONDecoder(parse_int=lambda digits: int(digits[:MOST_DIGITS]))
"""It cuts off long integers, which Python does not convert; no count has as many digits."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_WHITESPACE: Final = b" \t\r"
_KINDS: Final = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def read_texts(source: Input, keys: Sequence[str]) -> Iterator[str]:
    """Yield the text in a field of each line."""
    for place, value in _lines(source):
        yield _text(place, value, keys)


def read_counts(source: Input, pattern: str) -> Iterator[tuple[str, int]]:
    """Yield the `text` and the `count` of each line, which is a document or a chunk.

    Args:
        source: the file.
        pattern: the name of the pattern that a line may have; a document has none.
    """
    for place, value in _lines(source):
        _check_pattern(place, value, pattern)
        yield _text(place, value, ["text"]), _count(place, value)


def _lines(source: Input) -> Iterator[tuple[str, object]]:
    """Yield the places and JSON values of the lines of a file that are not blank."""
    for number, data in enumerate(split_at(b"\n", source.content()), 1):
        if data.strip(_WHITESPACE):
            place = f"{source.name}, line {number}"
            yield place, _parsed(place, data)


def _parsed(place: str, data: bytes) -> object:
    """Return the JSON value of a line."""
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = (
            f"{not_utf8(data, error.start, error.start)} in the line\n"
            f"{advice_on_conversion(data[:8], data, error)}"
        )
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg}: column {error.colno}"
        if data.startswith(_BYTE_ORDER_MARK):
            message = (
                "begins with a byte order mark; to remove it from the start of plain text: "
                "tail -c +4 FILE"
            )
        elif is_utf16(data):
            message = LIKE_UTF16
    except RecursionError:
        message = "cannot be read: its JSON is nested too deeply"
    raise Failure(f"{place} {message}")


def _at(place: str, value: object, keys: Sequence[str]) -> object:
    """Return the value at some keys of a line."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            raise Failure(f"{place} has no field {'.'.join(keys)!r}")
        value = value[key]
    return value


def _text(place: str, value: object, keys: Sequence[str]) -> str:
    """Return the text at some keys of a line."""
    name = ".".join(keys)
    value = _at(place, value, keys)
    if not isinstance(value, str):
        raise Failure(
            f"{place}: expected a string in the field {name!r}, found {_KINDS[type(value)]}"
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        found = ord(value[error.start])
        raise Failure(f"{place}: the field {name!r} has a lone surrogate, \\u{found:04x}") from None
    return value


def _check_pattern(place: str, value: object, pattern: str) -> None:
    """Reject a chunk of another pattern, which may be part of a chunk or several."""
    found = value.get("pattern", pattern) if isinstance(value, dict) else pattern
    if found != pattern:
        shown = short(found) if isinstance(found, str) else _KINDS[type(found)]
        way_out = ""
        if isinstance(found, str) and found in PATTERNS:
            way_out = f"`train` and `chunks` read this file with --pattern {found}; or "
        raise Failure(
            f"{place}: expected the pattern {pattern!r}, found {shown}\n{way_out}"
            f"count the text again with `bpetite chunks --pattern {pattern}`"
        )


def _count(place: str, value: object) -> int:
    """Return the count of a line."""
    count = _at(place, value, ["count"])
    if type(count) is not int:
        found = repr(count) if isinstance(count, float) else _KINDS[type(count)]
        raise Failure(f"{place}: expected an integer in the field 'count', found {found}")
    if not 1 <= count <= MOST_COUNT:
        raise Failure(
            f"{place}: expected a count from 1 to {MOST_COUNT}, found {str(count)[:MOST_DIGITS]}"
        )
    return count
