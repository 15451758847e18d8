"""Colors for the pictures of `show` and `inspect`: the sixteen of the terminal's own palette."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Ink: TypeAlias = Literal[
    "cyan", "green", "yellow", "magenta", "special", "new", "bar", "faint", "bold"
]
"""How to paint a text; tokens use the first four in turn."""

_CODES: Final[Mapping[Ink, str]] = {
    "cyan": "30;46",
    "green": "30;42",
    "yellow": "30;43",
    "magenta": "30;45",
    "special": "1;37;44",
    "new": "1;30;43",
    "bar": "36",
    "faint": "2",
    "bold": "1",
}


def paint(text: str, ink: Ink) -> str:
    """Return a text with the escape sequences that color it and then reset the color."""
    return f"\x1b[{_CODES[ink]}m{text}\x1b[0m" if text else text
