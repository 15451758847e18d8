"""Parse JSON strictly: input that `json` accepts too easily, or crashes on, is a `ValueError`.

`json.loads` recurses on nesting, which ends in a `RecursionError`, or crashes the
interpreter in a thread with a small stack. It keeps the last of duplicate keys, accepts
`NaN` and `1e999` as numbers, and guesses UTF-16.

Not here: what the JSON of a tokenizer file contains (`_schema`).
"""

import json
import re
from typing import Final, NoReturn

_MAX_NESTING: Final = 32
_FEW_BRACKETS: Final = 4096
_BYTES_OF_A_LIST: Final = 5
"""A tokenizer file has three objects, and at least six bytes per list, such as `[0,1],`."""

_BYTES_OF_A_KEY: Final = 14
"""The 4,096 few that are allowed beside make up for shorter ones: those with small ids."""

_BRACKETS_AND_QUOTES: Final = b'[]{}":'
_EVERYTHING_ELSE: Final = bytes(set(range(256)) - set(_BRACKETS_AND_QUOTES))
_MOST_DIGITS: Final = 500
_DIGITS_IN_A_ROW: Final = b"0" * _MOST_DIGITS
_DIGITS_AS_ZEROS: Final = bytes(ord("0") if 48 <= byte <= 57 else byte for byte in range(256))

_STRING: Final = re.compile(rb'"[^"]*"?')


class NotJSONError(ValueError):
    """The data are no JSON document, or one with far too many brackets."""


def parse_json(data: bytes, *, fractions: bool = False, objects: int = _FEW_BRACKETS) -> object:
    """Return the value of a JSON document in UTF-8.

    Args:
        data: the document.
        fractions: whether numbers may have a fraction or an exponent.
        objects: the most objects that it may have.

    Raises:
        ValueError: it is not UTF-8, not JSON, nested too deeply, or contains a duplicate key
            or a number that is not an integer.
    """
    try:
        text = data.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected UTF-8, found byte 0x{data[error.start]:02x} at offset {error.start}"
        ) from None
    _check_brackets(data, objects)
    # Calling our own function for every integer would double the time.
    long_integers = _DIGITS_IN_A_ROW in data.translate(_DIGITS_AS_ZEROS)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object_without_duplicates,
            parse_constant=_refuse_number,
            parse_float=float if fractions else _refuse_number,
            parse_int=_checked_integer if long_integers else None,
        )
    except json.JSONDecodeError as error:
        raise NotJSONError(f"expected JSON: {error}") from None


def _check_brackets(data: bytes, objects: int) -> None:
    """Reject data that could exhaust the stack or the memory, before parsing it.

    Only the brackets outside strings matter. Lists, objects and keys take many times the memory
    of their text, so they are counted; keys only in tokenizer files.

    Each round then removes the innermost pairs. A tokenizer file has none left after three
    rounds. Otherwise at least as many brackets are left as the remaining nesting is deep.
    """
    rest = data.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _EVERYTHING_ELSE)
    rest = _STRING.sub(b"", rest.replace(b'""', b""))
    if (
        rest.count(b"{") > objects
        or rest.count(b"[") > _FEW_BRACKETS + len(data) // _BYTES_OF_A_LIST
        or (objects == _FEW_BRACKETS and rest.count(b":") > objects + len(data) // _BYTES_OF_A_KEY)
    ):
        raise NotJSONError(
            "expected JSON: more brackets or keys than a tokenizer file of this size has"
        )
    rest = rest.translate(None, b":")
    for _ in range(_MAX_NESTING):
        rest = rest.replace(b"[]", b"").replace(b"{}", b"")
        if not rest:
            return
    if len(rest) > _MAX_NESTING:
        raise NotJSONError(
            f"expected JSON: brackets nested more than {_MAX_NESTING} deep, or not closed"
        )


def _object_without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"expected distinct keys, found {key[:40]!r:.60} more than once")
            seen.add(key)
    return result


def _checked_integer(number: str) -> int:
    """Reject a long integer: converting it takes time quadratic in its digits."""
    if len(number) > _MOST_DIGITS:
        raise ValueError(f"expected integers of a few digits, found one with {len(number):,}")
    return int(number)


def _refuse_number(number: str) -> NoReturn:
    raise ValueError(f"expected integers as the only numbers, found {number[:40]}")
