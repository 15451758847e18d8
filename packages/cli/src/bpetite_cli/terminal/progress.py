"""The progress bar, which has the name of the current phase of a command.

A command that takes less than a second shows no bar. rich is loaded only to draw one.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from threading import RLock, Timer
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from bpetite_cli.io.inputs import is_typed
from bpetite_cli.jobs import signals_blocked
from bpetite_cli.terminal.messages import in_units, on_terminal

if TYPE_CHECKING:
    from rich.progress import Progress, Task

_Show: TypeAlias = Callable[[int], str]
"""Writes a number of bytes or steps."""

_PATIENCE_SECONDS: Final = 1.0
"""How long a command runs before a bar appears."""

_WIDEST: Final = 40
_WIDTH_WITHOUT_BAR: Final = 39
"""The width of the other columns, their gaps, and the ^C that a terminal echoes after them."""

_WIDTH_OF_AMOUNT: Final = 21
_WIDTH_WITH_AMOUNT: Final = 76


class Bar:
    """The bar of a command, which shows its work phase by phase.

    is_wanted: whether the bar appears after a second.
    done: how much of the phase is done, in bytes or steps.

    Args:
        phase: the name of the first phase.
        paths: the input files. There is no bar if a person types one of them.
    """

    def __init__(self, phase: str, paths: Sequence[str] = ()) -> None:
        self._bar: Progress | None = None
        self._lock = RLock()
        self.begin(phase)
        self._timer: Timer | None = None
        self.is_wanted = on_terminal() and not is_typed(paths)

    def __enter__(self) -> Self:
        if self.is_wanted:
            # A phase may be silent for long, so a timer shows the bar.
            self._timer = Timer(_PATIENCE_SECONDS, self._draw)
            self._timer.daemon = True
            with signals_blocked(), suppress(RuntimeError):  # without another thread, no bar
                self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def begin(
        self, phase: str, total: int | None = None, done: int = 0, show: _Show = in_units
    ) -> None:
        """Begin the next phase.

        Args:
            phase: what the command does in this phase.
            total: the number of bytes or steps, or None if it is unknown.
            done: the number of them already done.
            show: how to write such a number.
        """
        with self._lock:
            self._phase, self._total, self.done, self._show = phase, total, done, show
            if self._bar is not None:
                self._bar.refresh()  # the end of the last phase
                self._bar.remove_task(self._bar.task_ids[0])
                self._add_phase(self._bar)

    def advance(self, amount: int) -> None:
        """Add work done in this phase, such as bytes read."""
        with self._lock:
            self.done += amount
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self.done)

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
        with self._lock, suppress(OSError, RuntimeError, MemoryError):
            if self._timer is not None:
                bar = _line()
                self._add_phase(bar)
                self._bar = bar  # before it starts, which may fail half-way
                bar.start()

    def _add_phase(self, bar: "Progress") -> None:
        bar.add_task(self._phase, total=self._total, completed=self.done, show=self._show)


def _line() -> "Progress":
    """Return a line on standard error, in columns of fixed widths."""
    from rich import progress  # noqa: PLC0415 - rich is slow to load
    from rich.console import Console  # noqa: PLC0415 - the same
    from rich.text import Text  # noqa: PLC0415 - the same

    class Column(progress.ProgressColumn):
        def __init__(self, text: Callable[[progress.Task], str]) -> None:
            super().__init__()
            self._text = text

        def render(self, task: progress.Task) -> Text:
            return Text(self._text(task), no_wrap=True)

    console = Console(stderr=True)
    left = console.width - _WIDTH_WITHOUT_BAR
    amount = []
    if console.width >= _WIDTH_WITH_AMOUNT:
        left -= _WIDTH_OF_AMOUNT
        amount = [Column(_amount)]
    columns: list[progress.ProgressColumn] = [
        progress.TextColumn("{task.description:<14}", markup=False),
        progress.BarColumn(min(_WIDEST, left), "dim", "cyan", "cyan", "cyan"),
        Column(_share),
        *amount,
        Column(_time),
    ]
    if left < 1:
        columns = [Column(_short)]
    return progress.Progress(
        *columns,
        console=console,
        speed_estimate_period=3600,  # a hundred merges may take more than the default
        refresh_per_second=5,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _share(task: "Task") -> str:
    """Return the percentage that is done, which is 100 only when the bar is gone."""
    return "    " if task.total is None else f"{min(99, int(task.percentage)):>3}%"


def _short(task: "Task") -> str:
    """Return what a narrow terminal shows."""
    return task.description if task.total is None else f"{_share(task)} {task.description}"


def _amount(task: "Task") -> str:
    """Return the amount done and the total amount."""
    show: _Show = task.fields["show"]
    done = show(int(task.completed)) if task.completed else ""
    return f"{done if task.total is None else f'{done or 0} of {show(int(task.total))}':>20}"


def _time(task: "Task") -> str:
    """Return the remaining time or, while that is unknown, the time so far."""
    left = None if task.finished else task.time_remaining
    seconds, word = (task.elapsed or 0, "so far") if left is None else (left, "left")
    return f"{timedelta(seconds=round(seconds))} {word}".rjust(14)
