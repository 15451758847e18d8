"""What standard output can show: its width, and whether it has colors.

Not here: the colors (`paint`), standard error (`messages`).
"""

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpetite_cli.terminal.paint import Ink  # loads rich, which is slow

_NARROWEST: Final = 16


class Screen(NamedTuple):
    """The output that a picture is drawn for.

    width: the number of cells of a line; a wide character takes two.
    colored: whether it shows colors; without them, a sign separates the tokens.
    paint: adds the escape sequences of an ink to a text, or returns it unchanged.
    """

    width: int
    colored: bool
    paint: "Callable[[str, Ink], str]"


def look_at_output() -> Screen:
    """Return the screen of standard output: colored on a terminal, unless NO_COLOR is set.

    The width is COLUMNS, or the width of the terminal, or 80.
    """
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    if not shows_color():
        return Screen(width, colored=False, paint=_leave)
    from bpetite_cli.terminal.paint import paint  # noqa: PLC0415 - rich is slow to load

    return Screen(width, colored=True, paint=paint)


def shows_color() -> bool:
    """Return whether standard output is a terminal that shows colors."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _leave(text: str, _: "Ink") -> str:
    return text
