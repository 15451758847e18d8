"""Rows of tokens, each above its id."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from bpetite._inner import Artifact
from bpetite_cli.fields import CONTINUING
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.screen import Ink, Screen
from bpetite_cli.terminal.visible import cells, chopped, visible

_INKS: Final[tuple[Ink, ...]] = ("cyan", "green", "yellow", "magenta")


class _Tile(NamedTuple):
    """A token above its id, or a part of a token that is wider than the screen."""

    shown: str
    cells: int
    below: str
    width: int
    ink: Ink


def draw_rows(artifact: Artifact, ids: Iterable[int], screen: Screen) -> Iterator[str]:
    """Yield rows as wide as the screen: two lines each, and an empty line; at last, a summary.

    A row ends before a token that does not fit, and after a token with a newline. Tokens that are
    the bytes of one character are shown as this character, above all of their ids.
    """
    row: list[_Tile] = []
    used = count = size = 0
    for group in _by_character((token_id, artifact.vocab[token_id]) for token_id in ids):
        token = b"".join(part for _, part in group)
        ink: Ink = "special" if artifact.is_special(group[0][0]) else _INKS[count % len(_INKS)]
        count += len(group)
        size += len(token)
        below = " ".join(str(token_id) for token_id, _ in group)
        for part in chopped(visible(token), screen.width):
            width = cells(part)
            tile = _Tile(part, width, below, max(width, len(below)), ink)
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
    each = f", {size / count:.2f} bytes per token" if count else ""
    yield f"{counted(count, 'token')}, {counted(size, 'byte')}{each}\n"


def _by_character(tokens: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield tokens one by one, but those together whose bytes make one character."""
    held: list[tuple[int, bytes]] = []
    missing = 0
    for pair in tokens:
        token = pair[1]
        if len(token) <= missing and not token.strip(CONTINUING):
            held.append(pair)
            missing -= len(token)
        else:
            yield from ([one] for one in held)
            held, missing = [pair], _missing(token)
        if not missing:
            yield held
            held = []
    yield from ([one] for one in held)


def _missing(token: bytes) -> int:
    """Return how many bytes the character lacks that a token begins, or 0."""
    size = 4 if token >= b"\xf0" else 3 if token >= b"\xe0" else 2 if token >= b"\xc0" else 1
    return max(0, size - len(token))


def _drawn(row: list[_Tile], screen: Screen) -> str:
    """Return the two lines of a row and an empty line."""
    between = " " if screen.colored else "│"
    above, below = [], []
    for tile in row:
        above.append(screen.paint(tile.shown, tile.ink) + " " * (tile.width - tile.cells))
        below.append(screen.paint(tile.below, "faint") + " " * (tile.width - len(tile.below)))
    return f"{between.join(above).rstrip(' ')}\n{between.join(below).rstrip(' ')}\n\n"
