"""Tokens and messages in visible characters: whitespace, bytes, control characters."""

import codecs
from typing import Final

import regex

__all__ = ["escaped", "visible"]

_WHITESPACE: Final = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}

_BLANK: Final = regex.compile(
    # Characters without a glyph, among them the fillers of Hangul and the variation selectors.
    r"[\p{Default_Ignorable_Code_Point}"
    # Characters whose glyph is empty: Unicode has no property for them.
    r"\N{BRAILLE PATTERN BLANK}\N{KHITAN SMALL SCRIPT FILLER}\N{MUSICAL SYMBOL NULL NOTEHEAD}"
    r"\U00013441\U00013442]"  # EGYPTIAN HIEROGLYPH FULL BLANK and HALF BLANK, new in Unicode 15
)
"""Characters that `str.isprintable` accepts although they are invisible."""

_JOINS_THE_LAST: Final = regex.compile(
    r"[\p{M}\p{Emoji_Modifier}\p{Hangul_Syllable_Type=V}\p{Hangul_Syllable_Type=T}]"
)
"""Characters without a cell of their own: they are drawn on the one before them."""


def visible(token: bytes | str) -> str:
    r"""Return a token, or a text, with nothing in it that is invisible or moves the cursor.

    A space is shown as ·, the end of a line as ⏎, a tab as ⇥ and a carriage return as ␍.
    Bytes that are part of a character are shown in hex, and a character that is invisible
    or cannot be printed by its code point. A leading accent, or another character that is
    drawn on the one before it, gets a ◌.

    >>> visible(b" caf\xc3"), visible("a\tb\x1b[2J")
    ('·caf‹c3›', 'a⇥b‹U+001B›[2J')
    """
    text = token if isinstance(token, str) else token.decode("utf-8", _HEX)
    text = _BLANK.sub(lambda found: _code_point(found[0]), text)
    base = "◌" if _JOINS_THE_LAST.match(text) else ""
    return base + "".join(map(_shown, text))


def escaped(text: str) -> str:
    r"""Return a text with every character escaped that is invisible or moves the cursor.

    Newlines stay, and so do spaces.

    >>> escaped("a \x1b]0;b\x07\n\u202ec\u3164")
    'a \\x1b]0;b\\x07\n\\u202ec\\u3164'
    """
    text = _BLANK.sub(lambda found: _escape(found[0]), text)
    return "".join(
        character if character == "\n" or character.isprintable() else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return ascii(character)[1:-1]


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
    return character if character.isprintable() else _code_point(character)


def _code_point(character: str) -> str:
    return f"‹U+{ord(character):04X}›"
