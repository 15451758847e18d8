"""Read JSON Lines: each line is an object with documents, and possibly the count of one.

One line is in memory at a time. Python's `json` reads it: if a key occurs twice, the last
value applies, and NaN is a number.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from bpetite._inner import PATTERNS
from bpetite_cli.errors import Failure
from bpetite_cli.io.inputs import Input, split_at
from bpetite_cli.io.kinds import CONVERT, LIKE_UTF16, advice_on_conversion, is_utf16, not_utf8
from bpetite_cli.values import MOST_DIGITS, Field, field, short, some, spelled

MOST_COUNT: Final = 2**63 - 1
"""The highest count: a signed 64-bit integer, as in databases."""

_DECODER: Final = json.JSONDecoder(parse_int=lambda digits: int(digits[:MOST_DIGITS]))
"""It cuts off long integers, which Python does not convert; no count has as many digits."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_WHITESPACE: Final = b" \t\r"
_ONLY_A_BRACKET: Final = re.compile(rb"\s*[\[{]\s*\n")
_KINDS: Final = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_TEXT: Final = field("text")
_COUNT: Final = field("count")
_USUAL: Final = (".content", ".text")


class _Missing(NamedTuple):
    """What is found where a value does not have the next step of a field."""

    value: object
    step: str | None


def read_texts(source: Input, wanted: Field) -> Iterator[str]:
    """Yield the texts in a field of each line: one, or as many as the arrays on its way have."""
    for place, line in _lines(source, wanted):
        for value in _found(line, wanted):
            if isinstance(value, str):
                yield _checked(place, wanted, value)
            else:
                source.skip(*_fault(place, wanted, value))


def read_counts(source: Input, pattern: str) -> Iterator[tuple[str, int]]:
    """Yield the `text` and the `count` of each line, which is a document or a chunk.

    Args:
        source: the file.
        pattern: the name of the pattern that a line may have; a document has none.
    """
    for place, line in _lines(source, _TEXT):
        _check_pattern(place, line, pattern)
        [value] = _found(line, _TEXT)
        if not isinstance(value, str):
            raise Failure(_fault(place, _TEXT, value)[1])
        yield _checked(place, _TEXT, value), _count(place, line)


def _lines(source: Input, wanted: Field) -> Iterator[tuple[str, object]]:
    """Yield the places and JSON values of the lines of a file that are not blank."""
    content = source.content()
    begin = next(content, b"")
    is_array = begin.lstrip().startswith(b"[") and wanted.steps[0] is not None
    if is_array or _ONLY_A_BRACKET.match(begin):  # an array may be one line of any length
        what, jq = ("an array", "'.[]'") if is_array else ("a value of several lines", ".")
        raise Failure(
            f"{source.name} is not JSON Lines, which has an object on each line: it begins with "
            f"{what}\n{CONVERT} jq -c {jq}"
        )
    for number, data in enumerate(split_at(b"\n", chain([begin], content)), 1):
        if data.strip(_WHITESPACE):
            place = f"{source.name}, line {number}"
            yield place, _parsed(place, data, b"" if number > 1 else data[:8])


def _parsed(place: str, data: bytes, begin: bytes) -> object:
    """Return the JSON value of a line, given its first bytes if the file begins with it."""
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = (
            f"{not_utf8(data, error.start, error.start)} in the line\n"
            f"{advice_on_conversion(begin, data, error)}"
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


def _found(line: object, wanted: Field) -> list[object]:
    """Return what a line has in a field, in order."""
    found = [line]
    for step in wanted.steps:
        found = [inner for value in found for inner in _inside(value, step)]
    return found


def _inside(value: object, step: str | None) -> Sequence[object]:
    """Return what a value has at a key, or the elements of an array."""
    if step is None and isinstance(value, list):
        return value
    if step is not None and isinstance(value, dict) and step in value:
        return [value[step]]
    return [value if isinstance(value, _Missing) else _Missing(value, step)]


def _fault(place: str, wanted: Field, value: object) -> tuple[str, str]:
    """Return why a value is not a text, as one of the reasons and in words."""
    expected, way_out = "a string in", ""
    if isinstance(value, _Missing):
        value, step = value
        if step is not None and isinstance(value, dict):
            names = some(map(spelled, value)).replace(r"\\", "\\")  # to be typed
            told = f"{place} has no field '{wanted.name}'; the fields there are {names or 'none'}"
            return "missing", told
        expected = f"an {'object' if step is not None else 'array'} on the way to"
    elif isinstance(value, list):
        inner = value[0] if value and isinstance(value[0], dict) else {}
        keys = [f".{spelled(key)}" for key, text in inner.items() if isinstance(text, str)]
        key = next((one for one in (*_USUAL, *keys) if one in keys), "")
        way_out = f"; for its elements, write '{wanted.name}[]{key}'"
    found = _KINDS[type(value)]
    told = f"{place}: expected {expected} the field '{wanted.name}', found {found}{way_out}"
    return "null" if value is None else "wrong_type", told


def _checked(place: str, wanted: Field, text: str) -> str:
    """Reject a text that UTF-8 cannot have."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        raise Failure(
            f"{place}: the field '{wanted.name}' has a lone surrogate, \\u{found:04x}"
        ) from None
    return text


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
    [count] = _found(value, _COUNT)
    if isinstance(count, _Missing):
        raise Failure(_fault(place, _COUNT, count)[1])
    if type(count) is not int:
        found = repr(count) if isinstance(count, float) else _KINDS[type(count)]
        raise Failure(f"{place}: expected an integer in the field 'count', found {found}")
    if not 1 <= count <= MOST_COUNT:
        raise Failure(
            f"{place}: expected a count from 1 to {MOST_COUNT}, found {str(count)[:MOST_DIGITS]}"
        )
    return count
