"""What is odd about the inputs of a command, although it can use them.

`app` says it after the result.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias

Oddity: TypeAlias = tuple[str, str, str]
"""The verb for one input and for several, and what a message says about them."""

MARKED: Final[Oddity] = (
    "begins",
    "begin",
    "with a byte order mark, which becomes tokens; to remove it from plain text: tail -c +4 FILE",
)
JSON_LINES: Final[Oddity] = (
    "is",
    "are",
    "read as text, not as JSON; train, verify, chunks, encode and count have --jsonl FIELD",
)
EMPTY: Final[Oddity] = ("is", "are", "empty; check the input")

_Notes: TypeAlias = dict[Oddity, list[str]]

_NOTES: Final[ContextVar[_Notes | None]] = ContextVar("notes", default=None)


@contextmanager
def noting() -> Iterator[_Notes]:
    """Collect the names of odd inputs while a command runs."""
    notes: _Notes = {}
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(name: str, oddity: Oddity) -> None:
    """Note that an input is odd."""
    if (notes := _NOTES.get()) is not None:
        notes.setdefault(oddity, []).append(name)


def warnings(notes: Mapping[Oddity, list[str]]) -> Iterator[str]:
    """Yield a message about each kind of odd inputs."""
    for (one, several, about), (first, *others) in notes.items():
        begin = f"and {len(others):,} more {several}" if others else one
        yield f"warning: {first} {begin} {about}"
