"""Messages on standard error, and the progress of long jobs.

On a terminal, a job that takes a while gets a bar; elsewhere it is silent. rich draws the
bar (`bars`), and is loaded only then.

Not here: the progress of training (`learning`).
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from bpetite_cli.streams.inputs import Advance, is_typed, total_size
from bpetite_cli.terminal.visible import escaped

__all__ = ["on_terminal", "reading", "say", "working"]

_PATIENCE_SECONDS: Final = 1.0
"""How long a job goes on before it gets a bar."""


@contextmanager
def reading(what: str, paths: Sequence[str], total: int | None = None) -> Iterator[Advance]:
    """Show how much of these files has been read, on a terminal, if it takes a while.

    Args:
        what: what is done meanwhile.
        paths: the files.
        total: how many bytes they have, where that is known already.
    """
    if not on_terminal() or is_typed(paths):
        yield _ignore
        return
    done = 0
    bar: Advance | None = None
    begin = time.monotonic()

    def advance(size: int) -> None:
        nonlocal done, bar
        done += size
        if bar is not None:
            bar(size)
        elif time.monotonic() - begin > _PATIENCE_SECONDS:
            from bpetite_cli.terminal.bars import reading_bar  # noqa: PLC0415 - rich is slow to load

            size_of_all = total_size(paths) if total is None else total
            bar = stack.enter_context(reading_bar(what, size_of_all, done))

    with ExitStack() as stack:
        yield advance


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show, on a terminal, that a job goes on whose end is unknown."""
    if not on_terminal():
        yield
        return
    from bpetite_cli.terminal.bars import spinner  # noqa: PLC0415 - rich is slow to load

    with spinner(what):
        yield


def say(line: str) -> None:
    """Write a line to standard error, if anybody is there to read it.

    A name or an argument in it cannot control the terminal.
    """
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{escaped(line)}\n")


def on_terminal() -> bool:
    """Return whether standard error is a terminal that can draw."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _ignore(_: int) -> None:
    """Nobody is watching."""
