"""Rows of tokens, each above its id."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from bpetite_cli.terminal.screen import Ink, Screen
from bpetite_cli.terminal.visible import cells, chopped, visible

_INKS: Final[tuple[Ink, ...]] = ("cyan", "green", "yellow", "magenta")


class _Tile(NamedTuple):
    """A token above its id, or a part of a token that is wider than the screen."""

    shown: str
    below: str
    cells: int
    ink: Ink

    @property
    def width(self) -> int:
        return max(self.cells, len(self.below))


def draw_rows(
    tokens: Iterable[tuple[int, bytes]], is_special: Callable[[int], bool], screen: Screen
) -> Iterator[str]:
    """Yield rows as wide as the screen: two lines each, and an empty line between rows.

    A row ends before a token that does not fit, and after a token with a newline.
    """
    row: list[_Tile] = []
    used = 0
    for place, (token_id, token) in enumerate(tokens):
        ink: Ink = "special" if is_special(token_id) else _INKS[place % len(_INKS)]
        below = str(token_id)
        for part in chopped(visible(token), screen.width):
            tile = _Tile(part, below, cells(part), ink)
            below = "…"  # more of the same token
            if row and used + 1 + tile.width > screen.width:
                yield _drawn(row, screen)
                row, used = [], 0
            used += tile.width + bool(row)
            row.append(tile)
        if b"\n" in token:
            yield _drawn(row, screen)
            row, used = [], 0
    if row:
        yield _drawn(row, screen)


def _drawn(row: list[_Tile], screen: Screen) -> str:
    """Return the two lines of a row and an empty line."""
    between = " " if screen.colored else "│"
    above, below = [], []
    for tile in row:
        width = tile.width
        above.append(screen.paint(tile.shown, tile.ink) + " " * (width - tile.cells))
        below.append(screen.paint(tile.below, "faint") + " " * (width - len(tile.below)))
    return f"{between.join(above).rstrip(' ')}\n{between.join(below).rstrip(' ')}\n\n"
