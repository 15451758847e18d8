"""Tokens as a person can see them: whitespace, parts of characters, and what has no look."""

from collections.abc import Iterable
from typing import Final

__all__ = ["code_points", "described", "visible"]

_MOST_CODE_POINTS: Final = 8
_WHITESPACE: Final = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}


def visible(token: bytes | str) -> str:
    r"""Return a token, or a text, with nothing in it that is invisible or moves the cursor.

    A space is shown as ·, the end of a line as ⏎, a tab as ⇥ and a carriage return as ␍.
    Bytes that are part of a character are shown in hex, what cannot be printed by its
    code point.

    >>> visible(b" caf\xc3"), visible("a\tb\x1b[2J")
    ('·caf‹c3›', 'a⇥b‹U+001B›[2J')
    """
    if isinstance(token, str):
        return "".join(map(_shown, token))
    try:
        return visible(token.decode("utf-8"))
    except UnicodeDecodeError as error:
        before, wrong = token[: error.start], token[error.start : error.end]
        return f"{visible(before)}‹{wrong.hex()}›{visible(token[error.end :])}"


def _shown(character: str) -> str:
    if character in _WHITESPACE:
        return _WHITESPACE[character]
    return character if character.isprintable() else f"‹U+{ord(character):04X}›"


def described(token: tuple[int, bytes] | None) -> str:
    """Return an id and its token for a message; None is where there are no more."""
    return f"{visible(token[1])!r} (id {token[0]})" if token else "no more tokens"


def code_points(characters: Iterable[str]) -> str:
    """Return characters for a message: their code points, in order, and how many more."""
    found = [f"U+{ord(character):04X}" for character in sorted(characters)]
    more = len(found) - _MOST_CODE_POINTS
    shown = ", ".join(found[:_MOST_CODE_POINTS])
    return f"{shown} and {more:,} more" if more > 0 else shown
