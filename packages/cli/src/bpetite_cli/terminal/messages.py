"""Messages on standard error, for people."""

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from shutil import get_terminal_size
from typing import Final

from bpetite_cli.io.outputs import is_terminal, write_json
from bpetite_cli.terminal.visible import escaped

_KILO: Final = 1000
_QUIET: Final = ContextVar("quiet", default=False)


@contextmanager
def quietly(*, quiet: bool) -> Iterator[None]:
    """Suppress messages and the progress bar if `quiet` is true; errors are still written."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def say(*lines: str) -> None:
    """Write lines to standard error, unless it is closed or `--quiet` is given.

    Control characters are escaped, so a name in a line cannot control the terminal.
    """
    if not _QUIET.get():
        for line in lines:
            _write(escaped(line))


def say_error(message: str) -> None:
    """Write an error to standard error, also with `--quiet`."""
    _write(escaped(f"error: {message}"))


def say_interrupted() -> None:
    """Report Ctrl-C; on a terminal, the message overwrites the ^C."""
    start = "\r" if sys.stderr is not None and sys.stderr.isatty() else ""
    _write(f"{start}interrupted")


def report(data: Mapping[str, object], *lines: str, tell: Callable[..., None] = say) -> None:
    """Write one JSON object to standard output; `tell` prints the lines for people.

    On a terminal, these come first, unless a long object would push them out of sight. The
    object has the same bytes everywhere. The lines are printed even if it cannot be
    written: what they name is saved.
    """
    columns, rows = get_terminal_size()
    told_first = is_terminal() and len(json.dumps(data)) < columns * rows // 2
    if told_first:
        tell(*lines)
    try:
        write_json(data)
    finally:
        if not told_first:
            tell(*lines)


def _write(line: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")


def on_terminal() -> bool:
    """Return whether a bar can be drawn on standard error and `--quiet` is not given."""
    if _QUIET.get() or sys.stderr is None:
        return False
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def in_units(size: float) -> str:
    """Return a number of bytes in the unit that suits it.

    >>> in_units(1), in_units(3600), in_units(999_960), in_units(1.2e9)
    ('1 byte', '3.6 kB', '1.0 MB', '1.2 GB')
    """
    if size < _KILO:
        return f"{size:.0f} byte{'' if size == 1 else 's'}"
    for unit in ("kB", "MB", "GB"):
        size /= _KILO
        if round(size, 1) < _KILO:
            return f"{size:.1f} {unit}"
    return f"{size / _KILO:,.1f} TB"


def id_range(ids: Collection[int]) -> str:
    """Return some ids in words.

    >>> id_range([512]), id_range([512, 513, 514])
    ('id 512', 'ids 512-514')
    """
    return f"id {min(ids)}" if len(ids) == 1 else f"ids {span(ids, '-')}"


def span(ids: Collection[int], to: str = " to ") -> str:
    """Return the lowest and the highest of some ids, and whether others are missing.

    >>> span([0, 1, 2]), span([0, 2, 5])
    ('0 to 2', '0 to 5, with gaps')
    """
    lowest, highest = min(ids), max(ids)
    return f"{lowest}{to}{highest}{', with gaps' if highest - lowest >= len(ids) else ''}"


def listed(names: Sequence[str], most: int) -> str:
    """Return names for a message, at most this many, and how many more there are.

    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 1)
    ('a, b', 'a and 2 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "token"), counted(1200, "byte")
    ('1 token', '1,200 bytes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
