"""What is told while a command reads: how far it is, and what is odd about its inputs."""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol, TypeAlias

Oddity: TypeAlias = tuple[str, str, str]
"""The verb for one input and for several, and what a message says about them."""

MARKED: Final[Oddity] = (
    "begins",
    "begin",
    "with a byte order mark, which becomes tokens; to remove it from plain text: tail -c +4 FILE",
)
UTF16: Final[Oddity] = (
    "looks",
    "look",
    "like UTF-16, but is read as UTF-8; convert it: iconv -f UTF-16LE (or UTF-16BE) -t UTF-8 FILE",
)
JSON_LINES: Final[Oddity] = (
    "is",
    "are",
    "read as text, not as JSON; most commands read its documents with --jsonl FIELD",
)
EMPTY: Final[Oddity] = ("is", "are", "empty; check the input")


class Reading(Protocol):
    """Gets what the readers of inputs tell."""

    def advance(self, size: int) -> None:
        """Add bytes read; compressed text is read as it is."""

    def note(self, name: str, oddity: Oddity) -> None:
        """Note that an input is odd, although the command can use it."""


def warnings(notes: Mapping[Oddity, list[str]]) -> Iterator[str]:
    """Yield a message about each kind of odd inputs, from their names."""
    for (one, several, about), (first, *others) in notes.items():
        begin = f"and {len(others):,} more {several}" if others else one
        yield f"warning: {first} {begin} {about}"
