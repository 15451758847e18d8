"""Messages on standard error and results on standard output, for people."""

import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from shutil import get_terminal_size
from typing import Final, TextIO

from bpetite_cli.io.outputs import is_terminal, wants_color, wants_json, write_object
from bpetite_cli.terminal.visible import escaped, visible

_KILO: Final = 1000

QUIET: Final = ContextVar("quiet", default=False)
"""Whether messages and the progress bar are suppressed; errors are still written."""


def say(*lines: str) -> None:
    """Write lines to standard error, unless it is closed or `--quiet` is given.

    Control characters are escaped, so a name in a line cannot control the terminal.
    """
    if not QUIET.get():
        for line in lines:
            _write(escaped(line))


def say_error(message: str) -> None:
    """Write an error to standard error, also with `--quiet`."""
    _write(escaped(f"error: {message}"))


def say_interrupted() -> None:
    """Report Ctrl-C; on a terminal, the message overwrites the ^C."""
    start = "\r" if is_terminal(sys.stderr) else ""
    _write(f"{start}interrupted")


def report(data: Mapping[str, object], *lines: str, saved: str = "", code: str = "") -> None:
    """Write what a command did to standard output: lines for people, or one JSON object.

    Args:
        data: the JSON object.
        lines: the lines, after `saved`.
        saved: what was saved. A person who sees standard error alone gets it there, and so does
            everybody if standard output fails, because it is saved all the same.
        code: lines to copy, which stay whole.
    """
    told = wants_json() and is_terminal(sys.stderr) and not is_terminal(sys.stdout)
    try:
        shown = [_fitted(escaped(line), sys.stdout) for line in (saved, *lines) if line]
        shown += escaped(code).splitlines()
        write_object(data, ["".join(f"{line}\n" for line in shown)])
    except BaseException:
        told = True
        raise
    finally:
        if saved and told:
            say(saved)


def _write(line: str) -> None:
    if sys.stderr is None:
        return
    line = _fitted(line, sys.stderr)
    if line.startswith("error: ") and wants_color(sys.stderr):
        line = f"\x1b[1;31merror:\x1b[0m{line.removeprefix('error:')}"
    with suppress(OSError):
        sys.stderr.write(f"{line}\n")


_COMMAND: Final = re.compile("`[^`\n]*`")


def _fitted(text: str, stream: TextIO) -> str:
    """Return lines that break at spaces where a terminal would cut words; a command stays whole."""
    if not is_terminal(stream):
        return text
    own = os.get_terminal_size(stream.fileno())
    width = get_terminal_size(own if own.columns else (80, 24)).columns
    kept = _COMMAND.sub(lambda found: found[0].replace(" ", "\0"), text)
    fill = partial(textwrap.fill, width=width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(fill, kept.split("\n"))).replace("\0", " ")


def on_terminal() -> bool:
    """Return whether a bar can be drawn on standard error and `--quiet` is not given."""
    return not QUIET.get() and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"


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


def counted_ids(tokens: int, special: int) -> str:
    """Return how many ids there are, in the words that all commands use.

    >>> counted_ids(512, 1), counted_ids(256, 0)
    ('512 tokens and 1 special token', '256 tokens')
    """
    others = f" and {counted(special, 'special token')}" if special else ""
    return f"{counted(tokens, 'token')}{others}"


def special_tokens(ids: Mapping[str, int]) -> Iterator[str]:
    """Yield a line that names the special tokens with their ids, unless there are none.

    >>> list(special_tokens({"<|endoftext|>": 512}))
    ['special tokens: <|endoftext|> (512)']
    """
    if ids:
        names = [f"{visible(name)} ({token_id})" for name, token_id in ids.items()]
        yield f"special tokens: {listed(names, 6)}"


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
