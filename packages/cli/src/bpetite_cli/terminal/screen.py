"""What standard output can show: how wide it is, and whether it has colors.

Not here: the colors (`paint`), standard error (`progress`).
"""

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpetite_cli.terminal.paint import Ink  # loads rich, which is slow

__all__ = ["Screen", "look_at_output"]

_NARROWEST: Final = 16


class Screen(NamedTuple):
    """What a picture is made for.

    width: how many cells a line has; a wide character takes two.
    coloured: whether ink can be seen; where it cannot, a sign has to part the tokens.
    paint: put a text into an ink, by escape sequences or not at all.
    """

    width: int
    coloured: bool
    paint: "Callable[[str, Ink], str]"


def look_at_output() -> Screen:
    """Return what standard output is: in colour on a terminal, unless NO_COLOR is set.

    The width is that of the terminal, or COLUMNS, or 80.
    """
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    if not _shows_colour():
        return Screen(width, coloured=False, paint=_leave)
    from bpetite_cli.terminal.paint import paint  # noqa: PLC0415 - rich is slow to load

    return Screen(width, coloured=True, paint=paint)


def _shows_colour() -> bool:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _leave(text: str, _: "Ink") -> str:
    return text
