"""The work of a command: its phases, what it reads, and what it prints at the end.

On a terminal, one progress bar has the name of the current phase. A command that takes less
than a second shows no bar. rich is loaded only to draw one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from threading import RLock, Timer
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from bpetite_cli.io.inputs import is_typed
from bpetite_cli.io.outputs import Result, stream_output
from bpetite_cli.io.reading import Oddity, warnings
from bpetite_cli.jobs.signals import signals_blocked
from bpetite_cli.terminal.messages import in_units, on_terminal, say, say_if_typed
from bpetite_cli.terminal.results import write_result

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


class Work:
    """The work of a command, phase by phase. A bar shows it after a second.

    At its end, it says what was odd about the inputs, also if the command failed.

    Args:
        phase: the name of the first phase.
        paths: the input files. There is no bar if a person types one of them.
        total: the number of bytes that the first phase reads, or None if it is unknown.
    """

    def __init__(self, phase: str, paths: Sequence[str] = (), total: int | None = None) -> None:
        self._paths = paths
        self._notes: dict[Oddity, list[str]] = {}
        self._warnings: list[str] = []
        self._bar: Progress | None = None
        self._lock = RLock()
        self.begin(phase, total)
        self._timer: Timer | None = None
        self.has_bar = on_terminal() and not is_typed(paths)

    def __enter__(self) -> Self:
        if self.has_bar:
            # A phase may be silent for long, so a timer shows the bar.
            self._timer = Timer(_PATIENCE_SECONDS, self._draw)
            self._timer.daemon = True
            with signals_blocked(), suppress(RuntimeError):  # without another thread, no bar
                self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()
        say(*self._warnings, *warnings(self._notes))

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
            self._phase, self._total, self._done, self._show = phase, total, done, show
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
            self._done += amount
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._done)

    def warn(self, message: str) -> None:
        """Say a message at the end, when no bar is in the way."""
        self._warnings.append(message)

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
        with self._lock, suppress(OSError, RuntimeError, MemoryError):
            if self._timer is not None:
                bar = _line()
                self._add_phase(bar)
                self._bar = bar  # before it starts, which may fail half-way
                bar.start()

    def _add_phase(self, bar: "Progress") -> None:
        bar.add_task(self._phase, total=self._total, completed=self._done, show=self._show)


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
            return Text(self._text(task))

    console = Console(stderr=True)
    left = console.width - _WIDTH_WITHOUT_BAR
    percentage, name = "{task.percentage:>3.0f}%", "{task.description}"
    amount = []
    if console.width >= _WIDTH_WITH_AMOUNT:
        left -= _WIDTH_OF_AMOUNT
        amount = [Column(_amount)]
    columns: list[progress.ProgressColumn] = [
        progress.TextColumn("{task.description:<14}", markup=False),
        progress.BarColumn(min(_WIDEST, left), "dim", "cyan", "cyan", "cyan"),
        progress.TaskProgressColumn(percentage, "    ", markup=False),
        *amount,
        Column(_time),
    ]
    if left < 1:
        columns = [progress.TaskProgressColumn(f"{percentage} {name}", name, markup=False)]
    return progress.Progress(
        *columns,
        console=console,
        speed_estimate_period=3600,  # a hundred merges may take more than the default
        refresh_per_second=5,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


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
