"""What a command is doing: one progress bar on a terminal, named after the current phase.

A command that takes less than a second shows nothing. rich is loaded only to draw the bar
(`bars`).
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from threading import RLock, Timer
from typing import IO, TYPE_CHECKING, Final, Self

from bpetite_cli.jobs.signals import signals_blocked
from bpetite_cli.streams.inputs import is_typed
from bpetite_cli.streams.outputs import is_terminal, send_output
from bpetite_cli.terminal.messages import in_units, on_terminal

if TYPE_CHECKING:
    from bpetite_cli.terminal.bars import Bar  # loads rich, which is slow

__all__ = ["Phase", "Work", "seconds_left"]

_PATIENCE_SECONDS: Final = 1.0
"""How long a command runs before it gets a bar."""

_LEAST_SHARE: Final = 0.05
"""The share of a phase that has to be done before the rest is estimated."""


class Phase:
    """One phase of a command.

    Args:
        name: what the command does in this phase.
        total: the number of bytes or steps, or None if it is unknown.
        done: how many of them are done already.
        cost: a function from a number of steps to their cost, which grows evenly with
            time; None for bytes.
    """

    def __init__(
        self,
        name: str,
        total: int | None = None,
        done: int = 0,
        cost: Callable[[int], int] | None = None,
    ) -> None:
        self.name = name
        self._total = total
        self._done = done
        self._cost = cost
        self._more_done = self._more_known = 0
        self._first = self.cost
        self._begin = self._last = time.monotonic()
        # Times and costs. The speed since the first mark is the speed of the last half or more.
        self._marks = [(self._begin, self._first)] * 2

    def advance(self, amount: int) -> None:
        """Add what has been done."""
        self._done += amount
        self._last = time.monotonic()
        if self.cost - self._first >= 2 * (self._marks[1][1] - self._first):
            self._marks = [self._marks[1], (self._last, self.cost)]

    def note_more(self, done: int, known: int) -> None:
        """Set the cost of the further work that came up so far.

        The rest of the phase is expected to bring as much, in proportion.

        Args:
            done: what is done of it.
            known: all that came up.
        """
        self._more_done, self._more_known = done, known

    @property
    def cost(self) -> int:
        """The cost of what is done."""
        return self._cost_of(self._done) + self._more_done

    @property
    def total_cost(self) -> int | None:
        """The cost of the whole phase, or None if it is unknown."""
        if self._total is None:
            return None
        more = self._more_known * self._total // self._done if self._done else 0
        return self._cost_of(self._total) + more

    @property
    def amount(self) -> str:
        """How much is done, and of how much, for people."""
        show = in_units if self._cost is None else "{:,}".format
        done = show(self._done) if self._done else ""
        return done if self._total is None else f"{done or 0} of {show(self._total)}"

    @property
    def time(self) -> str:
        """How long the rest takes or, while that is unknown, how long the phase has run."""
        now = time.monotonic()
        total = self.total_cost
        if total is not None:
            since, first = self._marks[0]
            left = seconds_left(self._last - since, first, self.cost, total)
            if left is not None:
                return f"{_clock(left - (now - self._last))} left"
        return f"{_clock(now - self._begin)} so far"

    def _cost_of(self, amount: int) -> int:
        return amount if self._cost is None else self._cost(amount)


def seconds_left(seconds: float, first: int, done: int, total: int) -> float | None:
    """Estimate how long the rest of a phase takes; return None while too little is known.

    Args:
        seconds: how long the phase took from `first` to `done`.
        first: the cost of what was done at an earlier time.
        done: the cost of what is done now.
        total: the cost of the whole phase.
    """
    if done - first < _LEAST_SHARE * total:
        return None
    return seconds * (total - done) / (done - first)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))


class Work:
    """The work of a command, phase by phase. A bar shows it after a second.

    Args:
        phase: the name of the first phase.
        paths: the input files. There is no bar if one of them is a keyboard.
        total: how many bytes the first phase reads, or None if that is unknown.
    """

    def __init__(self, phase: str, paths: Sequence[str] = (), total: int | None = None) -> None:
        self._phase = Phase(phase, total)
        self._bar: Bar | None = None
        self._lock = RLock()
        self._timer: Timer | None = None
        self.has_bar = on_terminal() and not is_typed(paths)
        if self.has_bar:
            # A phase may be silent for long, so the bar does not wait for its progress.
            self._timer = Timer(_PATIENCE_SECONDS, self._draw)
            self._timer.daemon = True

    def __enter__(self) -> Self:
        if self._timer is not None:
            with signals_blocked():
                self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def begin(
        self,
        phase: str,
        total: int | None = None,
        done: int = 0,
        cost: Callable[[int], int] | None = None,
    ) -> None:
        """Begin the next phase; see `Phase`."""
        with self._lock:
            self._phase = Phase(phase, total, done, cost)
            if self._bar is not None:
                self._bar.show(self._phase)

    def advance(self, amount: int) -> None:
        """Add what has been done in this phase, such as bytes that have been read."""
        with self._lock:
            self._phase.advance(amount)
            if self._bar is not None:
                self._bar.update()

    def note_more(self, done: int, known: int) -> None:
        """Set the cost of the further work in this phase; see `Phase`."""
        with self._lock:
            self._phase.note_more(done, known)
            self.advance(0)

    def to_disk(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the parts of a file; after the last, begin a phase in which it reaches the disk."""
        yield from parts
        self.begin("writing")

    def send(self, held: IO[bytes]) -> None:
        """Write a result to standard output."""
        if is_terminal():
            self.hide()
        self.begin("writing", held.seek(0, os.SEEK_END))
        held.seek(0)
        send_output(held, self.advance)

    def hide(self) -> None:
        """Remove the bar for good."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _draw(self) -> None:
        """Draw the bar, unless the work has ended."""
        from bpetite_cli.terminal.bars import Bar  # noqa: PLC0415 - rich is slow to load

        with self._lock, suppress(OSError):
            if self._timer is not None:
                self._bar = Bar(self._phase)
