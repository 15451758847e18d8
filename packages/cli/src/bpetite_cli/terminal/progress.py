"""The work of a command: its phases, what it reads, and what it prints at the end.

On a terminal, one progress bar has the name of the current phase. A command that takes less
than a second shows no bar. rich is loaded only to draw one.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from threading import RLock, Timer
from typing import TYPE_CHECKING, Final, Self

from bpetite_cli.io.inputs import is_typed
from bpetite_cli.io.outputs import Result, stream_output
from bpetite_cli.io.reading import Oddity, warnings
from bpetite_cli.jobs.signals import signals_blocked
from bpetite_cli.terminal.messages import in_units, on_terminal, say, say_if_typed
from bpetite_cli.terminal.results import write_result

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE_SECONDS: Final = 1.0
"""How long a command runs before a bar appears."""

_LEAST_SHARE: Final = 0.05
"""The share of a phase that must be done before the remaining time is estimated."""

_WIDEST: Final = 40
_WIDTH_WITHOUT_BAR: Final = 39
"""The width of the other columns, their gaps, and the ^C that a terminal echoes after them."""

_WIDTH_OF_AMOUNT: Final = 21
_WIDTH_WITH_AMOUNT: Final = 76


class Phase:
    """One phase of a command.

    Args:
        name: what the command does in this phase.
        total: the number of bytes or steps, or None if it is unknown.
        done: the number of them already done.
        cost: a function from a number of steps to their cost, which is proportional to
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
        self.total = total
        self.done = done
        self._cost = cost
        self._first = self.cost
        self._begin = self._last = time.monotonic()
        # Times and costs. The first mark is at or before half of the cost so far.
        self._marks = [(self._begin, self._first)] * 2

    def advance(self, amount: int) -> None:
        """Add what has been done."""
        self.done += amount
        self._last = time.monotonic()
        if self.cost - self._first >= 2 * (self._marks[1][1] - self._first):
            self._marks = [self._marks[1], (self._last, self.cost)]

    @property
    def cost(self) -> int:
        """The cost of the work done."""
        return self._cost_of(self.done)

    @property
    def amount(self) -> str:
        """The amount done and the total amount, for people."""
        show = in_units if self._cost is None else "{:,}".format
        done = show(self.done) if self.done else ""
        return done if self.total is None else f"{done or 0} of {show(self.total)}"

    @property
    def time(self) -> str:
        """The remaining time or, while that is unknown, the time so far."""
        now = time.monotonic()
        if self.total is not None:
            since, first = self._marks[0]
            total = self._cost_of(self.total)
            left = seconds_left(self._last - since, first, self.cost, total)
            if left is not None:
                return f"{_clock(left - (now - self._last))} left"
        return f"{_clock(now - self._begin)} so far"

    def _cost_of(self, amount: int) -> int:
        return amount if self._cost is None else self._cost(amount)


def seconds_left(seconds: float, first: int, done: int, total: int) -> float | None:
    """Estimate the remaining time of a phase; return None while too little is known.

    Args:
        seconds: the time from `first` to `done`.
        first: the cost of the work done at an earlier time.
        done: the cost of the work done now.
        total: the cost of the whole phase.
    """
    if done - first < _LEAST_SHARE * total:
        return None
    return seconds * (total - done) / (done - first)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))


class Work:
    """The work of a command, phase by phase. A bar shows it after a second.

    At its end, it says what was odd about the inputs, also if the command failed.

    Args:
        phase: the name of the first phase.
        paths: the input files. There is no bar if a person types one of them.
        total: the number of bytes that the first phase reads, or None if it is unknown.
    """

    def __init__(self, phase: str, paths: Sequence[str] = (), total: int | None = None) -> None:
        self._phase = Phase(phase, total)
        self._paths = paths
        self._notes: dict[Oddity, list[str]] = {}
        self._bar: Progress | None = None
        self._lock = RLock()
        self._timer: Timer | None = None
        self.has_bar = on_terminal() and not is_typed(paths)
        if self.has_bar:
            # A phase may be silent for long, so a timer shows the bar.
            self._timer = Timer(_PATIENCE_SECONDS, self._draw)
            self._timer.daemon = True

    def __enter__(self) -> Self:
        if self._timer is not None:
            with signals_blocked():
                self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()
        for warning in warnings(self._notes):
            say(warning)

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
                self._bar.refresh()  # the end of the last phase
                self._bar.remove_task(self._bar.task_ids[0])
                self._add_phase(self._bar)

    def begin_reading(self, phase: str, total: int | None, what: str = "") -> None:
        """Begin to read the inputs; if a person types one, explain how to end it."""
        say_if_typed(what or phase, self._paths)
        self.begin(phase, total)

    def advance(self, amount: int) -> None:
        """Add work done in this phase, such as bytes read."""
        with self._lock:
            self._phase.advance(amount)
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._phase.done)

    def note(self, name: str, oddity: Oddity) -> None:
        """Note that an input is odd, although the command can use it."""
        self._notes.setdefault(oddity, []).append(name)

    def send(self, result: Result) -> None:
        """Write a complete result to standard output, which may be where the bar is."""
        self.hide()
        result.send()

    def stream(self, parts: Iterable[str]) -> None:
        """Write each part to standard output as it comes."""
        self.hide()
        stream_output(parts)

    def report(
        self, data: Mapping[str, object], *lines: str, tell: Callable[..., None] = say
    ) -> None:
        """Write one JSON object to standard output, and lines for people; see `write_result`."""
        self.hide()
        write_result(data, *lines, tell=tell)

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
        with self._lock, suppress(OSError):
            if self._timer is not None:
                bar = _line()
                self._add_phase(bar)
                bar.start()
                self._bar = bar

    def _add_phase(self, bar: "Progress") -> None:
        phase = self._phase
        bar.add_task(phase.name, total=phase.total, completed=phase.done, phase=phase)


def _line() -> "Progress":
    """Return a line on standard error, in columns of fixed widths."""
    from rich import progress  # noqa: PLC0415 - rich is slow to load
    from rich.console import Console  # noqa: PLC0415 - the same

    console = Console(stderr=True)
    left = console.width - _WIDTH_WITHOUT_BAR
    percentage, name = "{task.percentage:>3.0f}%", "{task.description}"
    amount = []
    if console.width >= _WIDTH_WITH_AMOUNT:
        left -= _WIDTH_OF_AMOUNT
        amount = [progress.TextColumn("{task.fields[phase].amount:>20}", markup=False)]
    columns: list[progress.ProgressColumn] = [
        progress.TextColumn("{task.description:<14}", markup=False),
        progress.BarColumn(min(_WIDEST, left), "dim", "cyan", "cyan", "cyan"),
        progress.TaskProgressColumn(percentage, "    ", markup=False),
        *amount,
        progress.TextColumn("{task.fields[phase].time:>14}", markup=False),
    ]
    if left < 1:
        columns = [progress.TaskProgressColumn(f"{percentage} {name}", name, markup=False)]
    return progress.Progress(
        *columns,
        console=console,
        refresh_per_second=5,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
