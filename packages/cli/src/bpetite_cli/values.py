"""Arguments as values: integers in plain decimal, text in UTF-8, and paths of new files."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from bpetite._inner import quoted
from bpetite_cli.errors import Failure

_LONGEST: Final = 40
_INTEGER: Final = re.compile(r"[0-9]+|-0*[1-9][0-9]*")
MOST_DIGITS: Final = 30
"""The most digits of an integer, here and in files: no id or count has more."""

_THOUSANDS: Final = re.compile("([0-9]{1,9})([kKmM])")
_GROUPED: Final = re.compile("[0-9]{1,3}([,_][0-9]{3}){1,9}")

_STEP: Final = r"\.((?:[^\\.[]|\\[\\.[])+)|\[\]"
"""A key after a dot, or []; in a key, a backslash comes before a dot, a [ and a backslash."""

_MOST_NAMES: Final = 20
_LONGEST_NAME: Final = 200


def short(text: str | bytes) -> str:
    """Return a text from outside for a message, cut off if it is long."""
    return repr(text[:_LONGEST])


def integer(word: str) -> int:
    """Read a plain decimal integer: `int` also accepts 1_0, -0 and other scripts' digits."""
    if not _INTEGER.fullmatch(word):
        way_out = ""
        if found := _THOUSANDS.fullmatch(word):
            power = 1 if found[2] in "kK" else 2
            sizes = (int(found[1]) * base**power for base in (1000, 1024))
            way_out = "; write {} or {}".format(*sizes)
        elif _GROUPED.fullmatch(word):
            way_out = f"; write {word.replace(',', '').replace('_', '')}"
        raise Failure(f"expected an integer, found {short(word)}{way_out}")
    if len(word) > MOST_DIGITS:
        raise Failure(f"expected an integer of at most {MOST_DIGITS} digits, found {len(word)}")
    return int(word)


def ids(word: str) -> list[int]:
    """Read one id, ids separated by commas, or a JSON array of ids."""
    listed = word.strip()
    if listed.startswith("[") and listed.endswith("]"):
        listed = listed[1:-1].strip()
        if not listed:
            return []
    return [integer(part.strip()) for part in listed.split(",")]


def id_or_text(word: str) -> int | str:
    """Read an id, or another word as the text of a token."""
    return integer(word) if re.fullmatch("-?[0-9]+", word) else word


def bounded(expected: str, least: int, most: float = float("inf")) -> Callable[[str], int]:
    """Return a function that reads an integer of a range, which its error describes."""

    def read(word: str) -> int:
        if not least <= (number := integer(word)) <= most:
            raise Failure(f"expected {expected}, found {number}")
        return number

    return read


vocab_size: Final = bounded("at least 256 (one for each byte)", 256)


def file_path(word: str) -> str:
    """Reject a dash, which probably means standard output."""
    if word == "-":
        raise Failure("expected a file, found - (for a file named -, write ./-)")
    return word


def text_argument(word: str) -> str:
    """Return an argument as UTF-8 text, even if the locale is not UTF-8."""
    return os.fsencode(word).decode("utf-8")


class Field(NamedTuple):
    """A field of the objects in JSON Lines.

    name: as it is typed, such as `messages[].content`.
    steps: the nested keys; None is each element of an array.
    """

    name: str
    steps: Sequence[str | None]


def field(word: str) -> Field:
    """Read a field."""
    name = text_argument(word)
    path = name if name.startswith("[") else f".{name}"
    if not re.fullmatch(f"(?:{_STEP})+", path):
        raise Failure(
            f"expected a field such as text, meta.text or messages[].content, found {short(word)}; "
            r"for a dot, a [ or a backslash in a key, write \. \[ or \\"
        )
    keys = re.findall(_STEP, path)
    return Field(name, [re.sub(r"\\(.)", r"\1", key) if key else None for key in keys])


def spelled(key: str) -> str:
    """Return a key as it is typed in a field."""
    return re.sub(r"[\\.[]", r"\\\g<0>", key)


_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "0": "\0", "\\": "\\"}


def document_separator(word: str) -> str:
    """Read a text with escapes, as not every shell has a way to type a newline."""
    text = text_argument(word)
    if not text or {*re.findall(r"\\(.?)", text, re.DOTALL)} - _ESCAPES.keys():
        rule = r"a text, with \n, \r, \t, \f, \0 or \\ where it has a backslash"
        raise Failure(f"expected {rule}, found '{text:.{_LONGEST}}'")
    return re.sub(r"\\(.)", lambda found: _ESCAPES[found[1]], text)


def some(names: Iterable[str]) -> str:
    """Return some names for a message."""
    shown = [quoted(name[:_LONGEST_NAME]) for name in names]
    if len(shown) > _MOST_NAMES:
        shown[_MOST_NAMES:] = [f"and {len(shown) - _MOST_NAMES} more"]
    return ", ".join(shown)
