"""From the arguments to the exit status: run a command, and report what goes wrong."""

import os
import re
import signal
import threading
from collections.abc import Sequence
from typing import Final, NoReturn

from bpetite_cli.parser import make_parser
from bpetite_cli.streams.failure import Failure, explain
from bpetite_cli.streams.outputs import flush_output
from bpetite_cli.terminal.progress import quietly, say, say_error

__all__ = ["run"]

_SIZE_OF_A_SCREEN: Final = re.compile("[1-9][0-9]{0,4}")


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, run the command, and tell of a failure in a line or two."""
    try:
        _undo_when_terminated()
        _ignore_impossible_sizes()
        status = _run_command(arguments)
        flush_output()
    except _Terminated as end:
        return 128 + end.number
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except BrokenPipeError:
        return 1  # whoever read the output has read enough
    except Exception as error:  # noqa: BLE001 - whatever it is, a person reads the answer
        say_error(_error_message(error))
        return 1
    return status


def _undo_when_terminated() -> None:
    """Let SIGTERM and SIGHUP raise, where they would end the process on the spot."""
    if threading.current_thread() is not threading.main_thread():
        return  # only there can a signal be handled
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP.
        number: signal.Signals | None = getattr(signal, name, None)
        if number and signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has SIGHUP ignored
            signal.signal(number, _terminate)


def _ignore_impossible_sizes() -> None:
    """Ignore a COLUMNS or LINES that no screen has: rich would draw lines of any width."""
    for name in ("COLUMNS", "LINES"):
        if not _SIZE_OF_A_SCREEN.fullmatch(os.environ.get(name, "80")):
            del os.environ[name]


class _Terminated(BaseException):
    """The system asks for an end: what is under way is undone, as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _terminate(number: int, _: object) -> NoReturn:
    raise _Terminated(number)


def _error_message(error: Exception) -> str:
    if isinstance(error, Failure):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, (OSError, ValueError, KeyError)):
        return explain(error)
    return f"a fault in bpetite itself, please report it: {error!r}"


def _run_command(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["help"]:  # as in `bpetite help encode`
        arguments = [*arguments[1:], "--help"]
    try:
        parser = make_parser(arguments)
        for argument in arguments:
            if not _is_utf_8(argument):
                shown = os.fsencode(argument)
                parser.error(f"an argument is not UTF-8: {shown!r}; name a file, or use -")
        if not arguments:
            say(parser.format_help().rstrip("\n"))
            return 2
        options = parser.parse_args(arguments)
        with quietly(quiet=vars(options).get("quiet", False)):  # a plug-in may not have it
            options.run(options)
    except SystemExit as end:  # argparse, after --help, --version or a usage error
        return end.code if isinstance(end.code, int) else 2
    return 0


def _is_utf_8(argument: str) -> bool:
    try:
        os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return False
    return True
