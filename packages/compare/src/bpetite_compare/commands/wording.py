"""Tokens and characters in words, for the messages of several commands."""

from collections.abc import Iterable
from typing import Final

from bpetite_cli.kit import visible

__all__ = ["code_points", "described"]

_MOST_CODE_POINTS: Final = 8


def described(token: tuple[int, bytes] | None) -> str:
    """Return an id and its token for a message; None is where there are no more."""
    return f"{visible(token[1])!r} (id {token[0]})" if token else "no more tokens"


def code_points(characters: Iterable[str]) -> str:
    """Return characters for a message: their code points, in order, and how many more."""
    found = [f"U+{ord(character):04X}" for character in sorted(characters)]
    more = len(found) - _MOST_CODE_POINTS
    shown = ", ".join(found[:_MOST_CODE_POINTS])
    return f"{shown} and {more:,} more" if more > 0 else shown
