"""The scripts of a token, such as Latin or Cyrillic.

They are those of Unicode 15.1: the oldest `regex` release that bpetite accepts has them.
"""

from functools import cache
from pathlib import Path
from typing import Final

import regex

OTHER: Final = "other scripts"
"""The name for scripts that are newer than the list."""

_LIST: Final = Path(__file__).with_suffix(".txt")
_NONE: Final = r"\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}"


@cache
def script_of(character: str) -> str | None:
    """Return the name of a script, or None for a character of several scripts or of none.

    >>> script_of("a"), script_of("ж"), script_of("."), script_of("ᐁ")
    ('Latin', 'Cyrillic', None, 'Canadian Aboriginal')
    """
    match = _pattern().match(character)
    return match and (match.lastgroup or OTHER).replace("_", " ")


@cache
def _pattern() -> "regex.Pattern[str]":
    """Return a pattern with a group for each script; compiling it is slow."""
    groups = [rf"(?P<{name}>\p{{Script={name}}})" for name in _LIST.read_text("ascii").split()]
    return regex.compile("|".join([*groups, f"[^{_NONE}]"]))


def kind_of(text: str | None) -> str:
    """Return the script of a text, or what else it is; None is not complete characters."""
    if text is None:
        return "parts of characters"
    scripts = set(map(script_of, text)) - {None}
    if scripts:
        return str(*scripts) if len(scripts) == 1 else "several scripts"
    if any(map(str.isnumeric, text)):
        return "numbers"
    if text.isspace():
        return "whitespace"
    if any(map(str.isprintable, text)):
        return "punctuation and symbols"
    return "unprintable characters"
