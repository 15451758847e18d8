"""Run a command: parse the whole command line, report errors, and return the exit status.

The function `add_command` of a module adds a command; `commands` describes it. Another package
provides a function that adds its commands, as an entry point in the group `bpetite.commands`.
"""

import argparse
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from bpetite_cli.commands import GROUPS, NAMES, add_command
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.outputs import FORMAT, check_output, flush_output, write_output
from bpetite_cli.plugins import entries_of, not_installed_message, owner_of
from bpetite_cli.strict_parser import Commands, StrictParser
from bpetite_cli.terminal.messages import QUIET, say, say_error, say_interrupted
from bpetite_cli.tips import called_here
from bpetite_cli.values import short

_SIZE_OF_A_SCREEN: Final = re.compile("[1-9][0-9]{0,4}")


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, run the command, and report an error in one or two lines.

    The status is what the command returns, 0 if that is nothing. For an error it is the command's
    `trouble`, which is 1 if it has none.
    """
    trouble = 1
    for name in ("COLUMNS", "LINES"):  # with an impossible one, rich would draw lines of any width
        if not _SIZE_OF_A_SCREEN.fullmatch(os.environ.get(name, "80")):
            del os.environ[name]
    if arguments[:1] == ["help"]:  # as in `bpetite help encode`
        arguments = [*arguments[1:], "--help"]
    QUIET.set(False)  # of an earlier command in this process
    try:
        parser = make_parser(arguments)
        if not arguments:
            say(parser.format_help().rstrip("\n"))
            return 2
        options = parser.parse_args(arguments)
        given = vars(options)  # a plug-in may lack these
        trouble = given.get("trouble", trouble)
        QUIET.set(given.get("quiet", False))
        FORMAT.set(given.get("output_format"))
        check_output()
        status: int | None = options.run(options)
        flush_output()
    except SystemExit as end:  # from argparse, after --help, --version or a usage error
        return end.code if isinstance(end.code, int) else 2
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - all become messages
        if interrupt := _interrupt_before(error):
            number: int = getattr(interrupt, "number", signal.SIGINT)  # `bpetite_cli.Ended` has one
            if number == signal.SIGINT:
                say_interrupted()
            return 128 + number
        if not isinstance(error, BrokenPipeError):  # the reader of the output stopped reading
            say_error(explain(error))
        return trouble
    return status or 0


def _interrupt_before(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interrupt that this error is, or that caused it in a `finally`, if any."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__context__
    return None


def make_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for these arguments."""
    parser = StrictParser(prog="bpetite")
    parser.add_argument("-V", "--version", action=_Version, nargs=0, help="print version numbers")
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "zsh", "fish"),
        metavar="SHELL",
        help="print completions for bash, zsh or fish",
    )
    commands = Commands(parser)
    first = next(iter(arguments), "")
    # Loading other commands takes time, and searching for installed packages takes longer.
    if first in {"-V", "--version", "--completion"} or add_command(commands, first):
        return parser
    for name in NAMES:
        add_command(commands, name)
    _add_installed(commands)
    if first in NAMES and first not in commands.summaries:
        raise Failure(not_installed_message(f"the command {first}"))
    if first and not first.startswith("-") and first not in commands.summaries:
        way_out = called_here(first, commands.summaries) or "; `bpetite --help` lists all commands"
        parser.error(f"unknown command {short(first)}{way_out}")
    listed = "\n".join(_command_list(commands))
    parser.epilog = "Run `bpetite COMMAND --help` for options and examples."
    parser.description = f"A deterministic byte-level BPE tokenizer.\n{listed}"
    return parser


def _command_list(commands: Commands) -> Iterator[str]:
    """Yield the commands by group, and those that are not installed."""
    summaries = dict(commands.summaries)
    for group, names in GROUPS.items():
        yield f"\n{group}:"
        yield from (f"  {name:<16}  {summaries.pop(name)}" for name in names if name in summaries)
    if summaries:
        yield "\nmore:"
        yield from (f"  {name:<16}  {summary}" for name, summary in summaries.items())
    if missing := [name for name in NAMES if name not in commands.summaries]:
        yield f"\nbpetite-compare adds {', '.join(missing)}"


def _add_installed(commands: Commands) -> None:
    for entry in entries_of("bpetite.commands"):
        try:
            entry.load()(commands)
        except Exception as error:  # noqa: BLE001 - it is not our code
            raise Failure(f"the commands of {owner_of(entry)} cannot be loaded: {error}") from None


class _Version(argparse.Action):
    """`--version`: every version that the result of training depends on."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib import metadata  # noqa: PLC0415 - it is slow to load

        cli, core, regex = map(metadata.version, ("bpetite-cli", "bpetite-core", "regex"))
        python = sys.version.partition(" ")[0]
        line = f"bpetite {cli} (bpetite-core {core}, regex {regex}, Python {python})\n"
        write_output([line.encode("ascii")])
        parser.exit()


class _Completion(argparse.Action):
    """`--completion`: a file that `scripts/generate` made from these parsers."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: object, *__: object
    ) -> NoReturn:
        write_output([(Path(__file__).parent / "completions" / str(shell)).read_bytes()])
        parser.exit()
