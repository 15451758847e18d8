"""What the messages are made of: values, calls and bytes as a person can read them."""

import textwrap
from collections.abc import Sequence
from typing import Final

__all__ = ["NotBegunError", "OffError", "call_text", "facing", "paragraph", "token_text"]

_WIDTH: Final = 90
_LONGEST: Final = 300
_MOST_KEYS: Final = 20


class OffError(Exception):
    """The first thing that is off, in paragraphs for the learner."""

    def __str__(self) -> str:
        return "\n\n".join(filter(None, self.args))


class NotBegunError(OffError):
    """What is off is that nothing has been written yet."""


def paragraph(words: str) -> str:
    """Return words in lines of a readable width."""
    return textwrap.fill(words, _WIDTH, break_long_words=False, break_on_hyphens=False)


def token_text(token: bytes | str) -> str:
    r"""Return a token as text, in quotes, with · for a space; bytes that are no text stay bytes.

    >>> token_text(b" the"), token_text(b"\xc3")
    ('"·the"', "b'\\xc3'")
    """
    if isinstance(token, bytes):
        try:
            token = token.decode("utf-8")
        except UnicodeDecodeError:
            return repr(token)
    shown = token.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥")
    return f'"{shown}"'


def call_text(name: str, arguments: Sequence[object]) -> str:
    """Return a call as it would be written, cut short if it is long."""
    return f"{name}({', '.join(_short(argument) for argument in arguments)})"


def facing(expected: object, came: object) -> str:
    """Return what was expected and what came, one above the other, and where they part."""
    if isinstance(expected, dict) and isinstance(came, dict) and len(expected) > _MOST_KEYS:
        return _facing_keys(expected, came)
    lines = f"  expected  {_short(expected)}\n  came      {_short(came)}"
    return f"{lines}\n{place}" if (place := _first_difference(expected, came)) else lines


def _facing_keys(expected: dict[object, object], came: dict[object, object]) -> str:
    """Show the first key on which two large dicts differ."""
    for key in [*expected, *came]:
        one, other = (_short(some[key]) if key in some else "nothing" for some in (expected, came))
        if one != other:
            return f"  at the key {key!r}:\n  expected  {one}\n  came      {other}"
    return "  the keys or values are of other types"


def _first_difference(expected: object, came: object) -> str:
    """Say where two long sequences part; short ones can be compared by eye."""
    if not isinstance(expected, (list, str)) or not isinstance(came, (list, str)):
        return ""
    if len(repr(expected)) <= _LONGEST // 3 and len(repr(came)) <= _LONGEST // 3:
        return ""
    for place, (one, other) in enumerate(zip(expected, came, strict=False)):
        if one != other:
            return f"  at place {place}: expected {_short(one)}, came {_short(other)}"
    return f"  expected {len(expected)} items, came {len(came)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
