"""What the commands have in common: options, data to standard output, lines for a person."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, TypeAlias

from bpetite_compare._visible import escaped, visible

__all__ = [
    "Commands",
    "add_output",
    "add_parser",
    "check_output",
    "check_output_file",
    "code_points",
    "described",
    "on_terminal",
    "say",
    "text_argument",
    "working",
    "write",
    "write_json",
]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_MOST_CODE_POINTS: Final = 8


def add_parser(
    commands: Commands, name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """Add the parser of one command, with its summary and its example in the help."""
    return commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n{example}",
    )


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options that say where a result goes, and what goes there."""
    parser.add_argument(
        "--output", required=True, type=_file, metavar="PATH", help=f"where {what} goes"
    )
    parser.add_argument("--force", action="store_true", help="replace what is at PATH")


def _file(word: str) -> str:
    """Refuse the dash, by which somebody will have meant standard output."""
    if word == "-":
        message = "- is standard input or output, and no file; for a file of that name write ./-"
        raise argparse.ArgumentTypeError(message)
    return word


def check_output_file(path: str) -> None:
    """Refuse an output that is there and is not a file: `--force` does not replace it."""
    if os.path.exists(path) and not os.path.isfile(path):
        message = f"{path!r} is not a regular file and cannot be replaced; name another file"
        raise ValueError(message)


def text_argument(word: str) -> str:
    """Return the text of an argument, which Python may have read by a locale that is not UTF-8."""
    return os.fsencode(word).decode("utf-8")


def check_output() -> None:
    """Refuse to begin where the result could not be written."""
    if sys.stdout is None:
        message = "standard output is closed; send it to a file or to a program"
        raise ValueError(message)


def write(data: bytes) -> None:
    """Write data to standard output."""
    check_output()
    sys.stdout.flush()
    # Not `sys.stdout.buffer`: under `python -u` that may write a part and not say so.
    with open(sys.stdout.fileno(), "wb", closefd=False) as output:
        output.write(data)


def write_json(data: Mapping[str, object]) -> None:
    """Write one JSON object and a newline to standard output."""
    write(json.dumps(data).encode("ascii") + b"\n")


def say(line: str) -> None:
    """Write a line to standard error, if anybody is there to read it.

    A name or an argument in it cannot control the terminal.
    """
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{escaped(line)}\n")


class _Saying(logging.Handler):
    """Shows what the library warns of."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message of a record."""
        say(record.getMessage())


# Only the command line loads this module; a program that uses the library has its own handlers.
logging.getLogger("bpetite_compare").addHandler(_Saying())


def on_terminal() -> bool:
    """Return whether standard error is a terminal that can draw."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show, on a terminal, that something is going on."""
    if not on_terminal():
        yield
        return
    from bpetite_compare._drawing import spinner  # noqa: PLC0415 - rich is slow to load

    with spinner(what):
        yield


def described(token: tuple[int, bytes] | None) -> str:
    """Return an id and its token for a message; None is where there are no more."""
    return f"{visible(token[1])!r} (id {token[0]})" if token else "no more tokens"


def code_points(characters: Iterable[str]) -> str:
    """Return characters for a message: their code points, in order, and how many more."""
    found = [f"U+{ord(character):04X}" for character in sorted(characters)]
    more = len(found) - _MOST_CODE_POINTS
    shown = ", ".join(found[:_MOST_CODE_POINTS])
    return f"{shown} and {more:,} more" if more > 0 else shown
