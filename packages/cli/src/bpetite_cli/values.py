"""Arguments as values: integers in plain decimal, text in UTF-8, and paths of new files."""

import os
import re
from collections.abc import Callable, Sequence
from typing import Final

from bpetite_cli.errors import Failure

_LONGEST: Final = 40
_INTEGER: Final = re.compile(r"[0-9]+|-0*[1-9][0-9]*")
MOST_DIGITS: Final = 30
"""The most digits of an integer, here and in files: no id or count has more."""

_THOUSANDS: Final = re.compile("([0-9]{1,9})([kKmM])")
_GROUPED: Final = re.compile("[0-9]{1,3}([,_][0-9]{3}){1,9}")


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


def bounded(expected: str, least: int, most: float = float("inf")) -> Callable[[str], int]:
    """Return a function that reads an integer of a range, which its error describes."""

    def read(word: str) -> int:
        if not least <= (number := integer(word)) <= most:
            raise Failure(f"expected {expected}, found {number}")
        return number

    return read


def file_path(word: str) -> str:
    """Reject a dash, which probably means standard output."""
    if word == "-":
        raise Failure("expected a file, found - (for a file named -, write ./-)")
    return word


def text_argument(word: str) -> str:
    """Return an argument as UTF-8 text, even if the locale is not UTF-8."""
    return os.fsencode(word).decode("utf-8")


def field(word: str) -> Sequence[str]:
    """Read the name of a field as nested keys."""
    keys = text_argument(word).split(".")
    if not all(keys):
        raise Failure(f"expected a field such as text or meta.text, found {short(word)}")
    return keys
