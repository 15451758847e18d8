"""Messages on standard error, and the progress of long jobs.

On a terminal, a job that takes a while gets a bar; elsewhere it is silent. rich draws the
bar (`bars`), and is loaded only then.

Not here: the progress of training (`learning`).
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import Final

from bpetite_cli.streams.inputs import Advance, is_typed, total_size
from bpetite_cli.terminal.visible import escaped

__all__ = [
    "is_quiet",
    "on_terminal",
    "quietly",
    "reading",
    "say",
    "say_error",
    "say_if_typed",
    "working",
]

_PATIENCE_SECONDS: Final = 1.0
"""How long a job goes on before it gets a bar."""

_QUIET: Final = ContextVar("quiet", default=False)


@contextmanager
def quietly(*, quiet: bool) -> Iterator[None]:
    """Write no messages and draw nothing in the meantime, if asked; errors are written."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_quiet() -> bool:
    """Return whether only errors are to be written."""
    return _QUIET.get()


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
    """Write a line to standard error, if anybody is there to read it and `--quiet` is not given.

    A name or an argument in it cannot control the terminal.
    """
    if not is_quiet():
        _write(line)


def say_error(message: str) -> None:
    """Write an error to standard error in the same way, also with `--quiet`."""
    _write(f"error: {message}")


def say_if_typed(what: str, paths: Iterable[str]) -> None:
    """Say that the command waits for what a person types, if it does."""
    if is_typed(paths):
        say(f"{what} what you type; Ctrl-D at the start of a line ends it")


def _write(line: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{escaped(line)}\n")


def on_terminal() -> bool:
    """Return whether standard error is a terminal that can draw, and may."""
    if is_quiet() or sys.stderr is None:
        return False
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _ignore(_: int) -> None:
    """Nobody is watching."""
