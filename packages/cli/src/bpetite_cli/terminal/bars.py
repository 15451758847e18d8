"""Progress bars, a spinner and a summary on standard error, drawn by rich."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from bpetite_cli.streams.inputs import Advance
from bpetite_cli.terminal.training import Training
from bpetite_cli.terminal.visible import escaped

__all__ = ["TrainingBars", "draw_summary", "reading_bar", "spinner"]


_WIDE: Final = 72


class TrainingBars(Training):
    """A bar for counting and one for merging."""

    def __init__(self, total: int | None) -> None:
        super().__init__()
        self._progress = _bars()
        self._counting = self._progress.add_task("counting", total=total, unit="MB", scale=1e-6)
        self._merging = self._progress.add_task(
            "merging", total=None, unit="merges", scale=1, start=False
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def advance(self, size: int) -> None:
        """Move the bar of the counting."""
        self._progress.advance(self._counting, size)

    def emit(self, record: logging.LogRecord) -> None:
        """Move the bars by a record of the core."""
        super().emit(record)
        match vars(record):
            case {"event": "start", "vocab_size": int(size)}:
                self._progress.update(self._merging, total=size - 256, visible=size > 256)
            case {"event": "counted"}:
                read = self._progress.tasks[self._counting].completed
                self._progress.update(self._counting, total=read, completed=read)
                self._progress.start_task(self._merging)
            case {"event": "merge", "merges": int(merges)}:
                self._progress.update(self._merging, completed=merges)
            case {"event": "end"}:
                merges = self.mergeable_vocab_size - 256
                self._progress.update(self._merging, total=merges, completed=merges)


@contextmanager
def reading_bar(what: str, total: int | None, done: int) -> Iterator[Advance]:
    """Draw one bar, and yield what moves it on."""
    with _bars() as progress:
        task = progress.add_task(what, total=total, completed=done, unit="MB", scale=1e-6)

        def advance(size: int) -> None:
            progress.advance(task, size)

        yield advance
        progress.update(task, total=progress.tasks[task].completed)  # it may not have been known


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Draw something that moves, until the end."""
    with Console(stderr=True).status(Text(what)):
        yield


def draw_summary(rows: Mapping[str, str]) -> None:
    """Draw what came of it, a line for each fact."""
    table = Table.grid(padding=(0, 2))
    for name, fact in rows.items():
        table.add_row(Text(name, style="bold"), Text(escaped(fact), overflow="fold"))
    Console(stderr=True, highlight=False).print(table)


def _bars() -> Progress:
    console = Console(stderr=True)
    one_line = Column(no_wrap=True)
    columns: list[ProgressColumn] = [
        SpinnerColumn(),
        TextColumn("{task.description:<8}", table_column=one_line),
        BarColumn(bar_width=None),
        TaskProgressColumn(table_column=one_line),
        _Amount(table_column=one_line),
        _Time(table_column=one_line),
    ]
    if console.width < _WIDE:
        del columns[4]  # how much and how fast finds no room
    return Progress(*columns, console=console, expand=True)


class _Amount(ProgressColumn):
    """How much is done, of how much, and how fast, in the unit of the task."""

    def render(self, task: Task) -> Text:
        """Return the text of the column."""
        unit, scale = task.fields["unit"], task.fields["scale"]
        digits = 0 if scale == 1 else 1
        done, total = (f"{(n or 0) * scale:,.{digits}f}" for n in (task.completed, task.total))
        speed = (task.finished_speed or task.speed or 0) * scale
        amount = done if task.total is None or task.finished else f"{done}/{total}"
        per_second = f"{speed:,.{digits}f}{' MB' if digits else ''}/s"
        return Text(f"{amount} {unit}, {per_second}", style="progress.data.speed")


class _Time(TimeRemainingColumn):
    """The time that is left or, at the end, the time that it took."""

    def __init__(self, table_column: Column) -> None:
        super().__init__(elapsed_when_finished=True, table_column=table_column)

    def render(self, task: Task) -> Text:
        """Return the text of the column."""
        if task.total is None:
            return Text("")
        return Text.assemble("took " if task.finished else "left ", super().render(task))
