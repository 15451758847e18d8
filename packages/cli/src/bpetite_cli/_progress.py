"""Tell a person on standard error how a long job is getting on.

On a terminal bars are drawn, by `_drawing`, the only module that knows rich; it is loaded
only then. Elsewhere `train` writes the records of the core as lines, and the other
commands write nothing.
"""

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from bpetite_cli._inputs import is_typed, total_size
from bpetite_cli._training import Advance, Training
from bpetite_cli._visible import escaped

__all__ = ["on_terminal", "reading", "say", "watch_training"]

_PATIENCE_SECONDS: Final = 1.0
"""How long a job goes on before it gets a bar."""


@contextmanager
def watch_training(paths: Sequence[str]) -> Iterator[Training]:
    """Show the training on these files that goes on inside."""
    logging.raiseExceptions = False  # a standard error that is full is no reason to stop
    logger = logging.getLogger("bpetite")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    with ExitStack() as stack:
        handlers: list[logging.Handler] = []
        if on_terminal() and not is_typed(paths):
            from bpetite_cli._drawing import TrainingBars  # noqa: PLC0415 - rich is slow to load

            training: Training = stack.enter_context(TrainingBars(total_size(paths)))
        else:
            training = Training()
            if sys.stderr is not None:
                handlers.append(logging.StreamHandler(sys.stderr))
        for handler in (training, *handlers):
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield training


@contextmanager
def reading(what: str, paths: Sequence[str]) -> Iterator[Advance]:
    """Show how much of these files has been read, on a terminal, if it takes a while."""
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
            from bpetite_cli._drawing import reading_bar  # noqa: PLC0415 - rich is slow to load

            bar = stack.enter_context(reading_bar(what, total_size(paths), done))

    with ExitStack() as stack:
        yield advance


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
