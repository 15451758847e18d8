"""Tokens as a person can see them: whitespace, parts of characters, and what has no look."""

from typing import Final

__all__ = ["visible"]

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
