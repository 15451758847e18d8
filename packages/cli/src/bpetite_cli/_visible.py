"""Tokens as a person can see them: whitespace, parts of characters, and what has no look."""

import codecs
import unicodedata
from typing import Final

__all__ = ["visible"]

_WHITESPACE: Final = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}


def visible(token: bytes | str) -> str:
    r"""Return a token, or a text, with nothing in it that is invisible or moves the cursor.

    A space is shown as ·, the end of a line as ⏎, a tab as ⇥ and a carriage return as ␍.
    Bytes that are part of a character are shown in hex, what cannot be printed by its
    code point. A mark in front, such as an accent, has ◌ to stand on.

    >>> visible(b" caf\xc3"), visible("a\tb\x1b[2J")
    ('·caf‹c3›', 'a⇥b‹U+001B›[2J')
    """
    text = token if isinstance(token, str) else token.decode("utf-8", _HEX)
    base = "◌" if unicodedata.category(text[:1] or " ").startswith("M") else ""
    return base + "".join(map(_shown, text))


def _in_hex(error: UnicodeError) -> tuple[str, int]:
    """Put the hex of what is no UTF-8 into the text, however much of it there is."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return f"‹{error.object[error.start : error.end].hex()}›", error.end


_HEX: Final = "bpetite.hex"
codecs.register_error(_HEX, _in_hex)


def _shown(character: str) -> str:
    if character in _WHITESPACE:
        return _WHITESPACE[character]
    return character if character.isprintable() else f"‹U+{ord(character):04X}›"
