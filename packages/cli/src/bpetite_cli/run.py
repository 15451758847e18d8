"""Run a command, report its errors, and return its exit status."""

import os
import re
import signal
from collections.abc import Sequence
from typing import Final

from bpetite_cli import Ended
from bpetite_cli.parser import make_parser
from bpetite_cli.streams.failure import Failure, explain
from bpetite_cli.streams.outputs import flush_output
from bpetite_cli.terminal.messages import quietly, say, say_error, say_interrupted

_SIZE_OF_A_SCREEN: Final = re.compile("[1-9][0-9]{0,4}")


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, run the command, and report an error in one or two lines."""
    try:
        _ignore_impossible_sizes()
        status = _run_command(arguments)
        flush_output()
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - all become messages
        if interrupt := _interrupt_before(error):
            return _interrupted(interrupt)
        if not isinstance(error, BrokenPipeError):  # the reader of the output stopped reading
            say_error(_error_message(error))
        return 1
    return status


def _interrupt_before(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interrupt that this error is, or that caused it in a `finally`, if any."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__context__
    return None


def _interrupted(interrupt: KeyboardInterrupt) -> int:
    number = interrupt.number if isinstance(interrupt, Ended) else signal.SIGINT
    if number == signal.SIGINT:
        say_interrupted()
    return 128 + number


def _ignore_impossible_sizes() -> None:
    """Ignore impossible values of COLUMNS and LINES: rich would draw lines of any width."""
    for name in ("COLUMNS", "LINES"):
        if not _SIZE_OF_A_SCREEN.fullmatch(os.environ.get(name, "80")):
            del os.environ[name]


def _error_message(error: BaseException) -> str:
    if isinstance(error, Failure):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory for this input"
    if isinstance(error, (OSError, ValueError, KeyError)):
        return explain(error)
    return f"this is a bug in bpetite; please report it: {error!r}"


def _run_command(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["help"]:  # as in `bpetite help encode`
        arguments = [*arguments[1:], "--help"]
    try:
        parser = make_parser(arguments)
        for argument in arguments:
            if not _is_utf_8(argument):
                shown = os.fsencode(argument)
                parser.error(
                    f"expected UTF-8 in an argument, found {shown!r}; use a file or standard input"
                )
        if not arguments:
            say(parser.format_help().rstrip("\n"))
            return 2
        options = parser.parse_args(arguments)
        with quietly(quiet=vars(options).get("quiet", False)):  # a plug-in may lack it
            options.run(options)
    except SystemExit as end:  # from argparse, after --help, --version or a usage error
        return end.code if isinstance(end.code, int) else 2
    return 0


def _is_utf_8(argument: str) -> bool:
    try:
        os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return False
    return True
