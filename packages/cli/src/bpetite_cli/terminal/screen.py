"""What standard output can show: its width, and the sixteen colors of the terminal's palette."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bpetite_cli.io.outputs import wants_color

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

_NARROWEST: Final = 16

LEAST: Final = 4
"""The fewest cells of a token to show, however narrow the screen is."""


class Screen(NamedTuple):
    """The output that a picture is drawn for.

    width: the number of cells of a line; a wide character takes two.
    colored: whether it shows colors; without them, a sign separates the tokens.
    """

    width: int
    colored: bool

    def paint(self, text: str, ink: Ink) -> str:
        """Return a text in a color, or unchanged if there are none."""
        return f"\x1b[{_CODES[ink]}m{text}\x1b[0m" if text and self.colored else text

    def beside(self, columns: Sequence[str]) -> tuple[str, int]:
        """Return the beginning of a row, and the cells that are left for a token.

        On a narrow screen, the beginning lacks the last columns.
        """
        begin = "".join(f"{column}  " for column in columns)
        room = self.width - len(begin)
        if room < LEAST and len(columns) > 1:
            return self.beside(columns[:-1])
        return begin, max(LEAST, room)


def look_at_output() -> Screen:
    """Return the screen of standard output: colored as `wants_color` says.

    The width is COLUMNS, or the width of the terminal, or 80.
    """
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    return Screen(width, wants_color(sys.stdout))
