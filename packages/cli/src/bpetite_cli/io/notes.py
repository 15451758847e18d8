"""What is odd about the inputs of a command, although it can use them.

`app` says it after the result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class Notes:
    """What was noted while a command ran.

    marked: the names of inputs that begin with a byte order mark.
    empty: whether the corpus has no text.
    """

    def __init__(self) -> None:
        self.marked: list[str] = []
        self.empty = False

    def warnings(self) -> Iterator[str]:
        """Yield the messages."""
        if self.marked:
            first, *others = self.marked
            begin = f"and {len(others):,} more begin" if others else "begins"
            yield (
                f"warning: {first} {begin} with a byte order mark, which becomes tokens; "
                "to remove it from plain text: tail -c +4 FILE"
            )
        if self.empty:
            yield "warning: the corpus is empty; check the input"


_NOTES: Final[ContextVar[Notes | None]] = ContextVar("notes", default=None)


@contextmanager
def noting() -> Iterator[Notes]:
    """Collect the notes of a command."""
    notes = Notes()
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note_mark(name: str) -> None:
    """Note that an input begins with a byte order mark."""
    if notes := _NOTES.get():
        notes.marked.append(name)


def note_empty() -> None:
    """Note that the corpus has no text."""
    if notes := _NOTES.get():
        notes.empty = True
