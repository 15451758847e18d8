"""Tokens and messages in visible characters: whitespace, bytes, control characters."""

import codecs
from collections.abc import Iterator
from typing import Final

import regex

_WHITESPACE: Final = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"})

_BLANK: Final = regex.compile(
    # Characters without a glyph, such as the Hangul fillers and the variation selectors.
    r"[\p{Default_Ignorable_Code_Point}"
    # Characters with an empty glyph: Unicode has no property for these.
    r"\N{BRAILLE PATTERN BLANK}\N{KHITAN SMALL SCRIPT FILLER}\N{MUSICAL SYMBOL NULL NOTEHEAD}"
    r"\U00013441\U00013442]"  # EGYPTIAN HIEROGLYPH FULL BLANK and HALF BLANK, new in Unicode 15
)
"""Characters that `str.isprintable` accepts although they are invisible."""

_JOINS_THE_LAST: Final = regex.compile(
    r"[\p{M}\p{Emoji_Modifier}\p{Hangul_Syllable_Type=V}\p{Hangul_Syllable_Type=T}]"
)
"""Characters that are drawn on the previous one, if the terminal can do that."""

_WIDE: Final = regex.compile(r"(?V1)[[\p{East_Asian_Width=W}\p{East_Asian_Width=F}]--\p{M}]")
_NO_CELL: Final = regex.compile(
    r"[\p{Mn}\p{Me}\p{Hangul_Syllable_Type=V}\p{Hangul_Syllable_Type=T}]"
)


def visible(token: bytes | str) -> str:
    r"""Return a token or a text without invisible characters and without control characters.

    A space becomes ·, a newline ⏎, a tab ⇥ and a carriage return ␍. The bytes of an
    incomplete character become hex, and other invisible characters their code points. An
    accent, or another combining character, gets a ◌ at the start.

    >>> visible(b" caf\xc3"), visible("a\tb\x1b[2J")
    ('·caf‹c3›', 'a⇥b‹U+001B›[2J')
    """
    text = token if isinstance(token, str) else token.decode("utf-8", _HEX)
    text = _BLANK.sub(lambda found: _code_point(found[0]), text)
    base = "◌" if _JOINS_THE_LAST.match(text) else ""
    text = text.translate(_WHITESPACE)
    return base + "".join(one if one.isprintable() else _code_point(one) for one in text)


def cells(text: str) -> int:
    """Return how many cells of a terminal visible text takes.

    Terminals disagree about some characters. This is the larger number: a spacing mark and a
    skin tone have cells of their own.

    >>> cells("船夫"), cells("e\u0301"), cells("हिन्दी"), cells("👍🏽")
    (4, 1, 5, 4)
    """
    if text.isascii():
        return len(text)
    return len(text) + len(_WIDE.findall(text)) - len(_NO_CELL.findall(text))


def chopped(text: str, most: int) -> Iterator[str]:
    """Yield visible text in parts of at most this many cells; a wide character needs two.

    >>> list(chopped("a船夫", 3))
    ['a船', '夫']
    """
    part, used = "", 0
    for character in text:
        size = cells(character)
        if used + size > most:
            yield part
            part, used = "", 0
        part += character
        used += size
    yield part


def shortened(token: bytes, most: int) -> str:
    """Return a token in visible characters, cut off if it takes more than this many cells.

    >>> shortened(b" " * 1_000_000, 6)
    '·····…'
    """
    begin = token[: 4 * (most + 1)]  # no character has more than four bytes
    text, _ = codecs.utf_8_decode(begin, _HEX, len(begin) == len(token))
    shown = visible(text)
    if len(begin) == len(token) and cells(shown) <= most:
        return shown
    return f"{next(chopped(shown, most - 1))}…"


def escaped(text: str) -> str:
    r"""Return a text with escapes for invisible and control characters, except newlines.

    >>> escaped("a \x1b]0;b\x07\n\u202ec\u3164")
    'a \\x1b]0;b\\x07\n\\u202ec\\u3164'
    """
    return "".join(
        one if one == "\n" or (one.isprintable() and not _BLANK.match(one)) else ascii(one)[1:-1]
        for one in text
    )


def _in_hex(error: UnicodeError) -> tuple[str, int]:
    """Replace bytes that are not UTF-8 with their hex."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return f"‹{error.object[error.start : error.end].hex()}›", error.end


_HEX: Final = "bpetite.hex"
codecs.register_error(_HEX, _in_hex)


def _code_point(character: str) -> str:
    return f"‹U+{ord(character):04X}›"
