"""What standard output can show: its width, and whether it has colors.

Not here: the colors (`paint`), standard error (`messages`).
"""

import os
import shutil
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from bpetite_cli.io.outputs import is_terminal
from bpetite_cli.terminal.paint import Ink, paint

_NARROWEST: Final = 16

LEAST: Final = 4
"""The fewest cells of a token to show, however narrow the screen is."""


class Screen(NamedTuple):
    """The output that a picture is drawn for.

    width: the number of cells of a line; a wide character takes two.
    colored: whether it shows colors; without them, a sign separates the tokens.
    paint: adds the escape sequences of an ink to a text, or returns it unchanged.
    """

    width: int
    colored: bool
    paint: Callable[[str, Ink], str]

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
    """Return the screen of standard output: colored on a terminal, unless NO_COLOR is set.

    The width is COLUMNS, or the width of the terminal, or 80.
    """
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    colored = is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(width, colored, paint if colored else lambda text, _: text)
