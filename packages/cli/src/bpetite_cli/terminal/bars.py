"""The progress bar on standard error: one line, drawn by rich, in columns of fixed widths."""

from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

from bpetite_cli.terminal.work import Phase

_WIDEST: Final = 40
_WIDTH_WITHOUT_BAR: Final = 39
"""The width of the other columns, their gaps, and the ^C that a terminal echoes after them."""

_WIDTH_OF_AMOUNT: Final = 21
_WIDTH_WITH_AMOUNT: Final = 76


class Bar:
    """A line that shows a phase and disappears when it is stopped."""

    def __init__(self, phase: Phase) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            *_columns(console.width),
            console=console,
            refresh_per_second=5,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.show(phase)
        self._progress.start()

    def show(self, phase: Phase) -> None:
        """Show the end of the current phase, then switch to another."""
        self._progress.refresh()
        for task in self._progress.task_ids:
            self._progress.remove_task(task)
        self._phase = phase
        self._task = self._progress.add_task(
            phase.name, total=phase.total_cost, completed=phase.cost, phase=phase
        )

    def update(self) -> None:
        """Show how far the phase is."""
        self._progress.update(self._task, completed=self._phase.cost, total=self._phase.total_cost)

    def stop(self) -> None:
        """Remove the line."""
        self._progress.stop()


def _columns(width: int) -> list[ProgressColumn]:
    """Return the columns of a line on a terminal of this width."""
    left = width - _WIDTH_WITHOUT_BAR
    amount = []
    if width >= _WIDTH_WITH_AMOUNT:
        left -= _WIDTH_OF_AMOUNT
        amount = [TextColumn("{task.fields[phase].amount:>20}", markup=False)]
    return [
        TextColumn("{task.description:<14}", markup=False),
        BarColumn(max(1, min(_WIDEST, left)), "dim", "cyan", "cyan", "cyan"),
        TaskProgressColumn("{task.percentage:>3.0f}%", "    ", markup=False),
        *amount,
        TextColumn("{task.fields[phase].time:>14}", markup=False),
    ]
