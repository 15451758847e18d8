"""Colors, from rich, for the pictures of `show` and `inspect`.

The colors are the sixteen of the terminal's own palette. Text is never read as markup.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rich.color import ColorSystem
from rich.style import Style

Ink: TypeAlias = Literal[
    "cyan", "green", "yellow", "magenta", "special", "new", "bar", "faint", "bold"
]
"""How to paint a text; tokens use the first four in turn."""

_STYLES: Final[Mapping[Ink, Style]] = {
    "cyan": Style.parse("black on cyan"),
    "green": Style.parse("black on green"),
    "yellow": Style.parse("black on yellow"),
    "magenta": Style.parse("black on magenta"),
    "special": Style.parse("bold white on blue"),
    "new": Style.parse("bold black on yellow"),
    "bar": Style.parse("cyan"),
    "faint": Style.parse("dim"),
    "bold": Style.parse("bold"),
}


def paint(text: str, ink: Ink) -> str:
    """Return a text with the escape sequences that color it and then reset the color."""
    return _STYLES[ink].render(text, color_system=ColorSystem.STANDARD)
