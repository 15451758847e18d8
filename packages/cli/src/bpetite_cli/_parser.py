"""The words that the command line understands.

Each command is added by a function that is given argparse's subparsers. It adds a parser
of its own, and names with `set_defaults(run=...)` the function that does the work: that
is given the parsed options, and raises what goes wrong. Another package adds a command in
the same way, by an entry point of the group `bpetite.commands`, called as the command is.
"""

import argparse
import platform
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final, NoReturn

from bpetite_cli import _count, _decode, _encode, _train
from bpetite_cli._arguments import Commands
from bpetite_cli._failure import Failure
from bpetite_cli._outputs import write_output
from bpetite_cli._progress import say

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

__all__ = ["make_parser"]

_GROUP: Final = "bpetite.commands"
_BUILT_IN: Final[dict[str, Callable[[Commands], None]]] = {
    "train": _train.add_command,
    "encode": _encode.add_command,
    "decode": _decode.add_command,
    "count": _count.add_command,
}
_WRONG_USAGE: Final = 2
_OF_COMPARE: Final = frozenset({"compare-tiktoken", "export", "import-tiktoken", "parity"})


def make_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for these arguments."""
    parser: argparse.ArgumentParser = _Parser(
        prog="bpetite",
        description="A deterministic byte-level BPE tokenizer.",
        epilog="example:\n"
        "  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json\n"
        '  bpetite encode --model tokenizer.json --text "Hello world"\n'
        "\n"
        "`bpetite COMMAND --help` says more about one command.",
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the versions and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add_command in _BUILT_IN.values():
        add_command(commands)
    named = next((word for word in arguments if not word.startswith("-")), None)
    if named not in _BUILT_IN:  # a look at what is installed takes a while
        _add_installed(commands, named)
    return parser


def _add_installed(commands: Commands, named: str | None) -> None:
    entries = metadata.entry_points(group=_GROUP)
    if named in _OF_COMPARE and named not in entries.names:
        message = (
            f"no installed package has the command {named}\n"
            f"it comes with bpetite-compare; install that, or the extra bpetite-cli[compare]"
        )
        raise Failure(message)
    for entry in entries:
        try:
            entry.load()(commands)
        except Exception as error:  # noqa: BLE001 - it is not our code
            owner = entry.dist.name if entry.dist else "another package"
            message = f"the command {entry.name} of {owner} cannot be loaded: {error}"
            raise Failure(message) from None


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that makes room for the names of the commands."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument; argparse forgets how far the names of commands are indented."""
        self._indent()
        super().add_argument(action)
        self._dedent()


class _Parser(argparse.ArgumentParser):
    """A parser without argparse's surprises; those of the commands are made of it, too.

    Its help is data, so that a failure to write it is one. An option is spelled out, and
    given once unless it says that it takes more.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - what argparse takes
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**options, allow_abbrev=False)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self._mixing = False

    def parse_known_args(
        self,
        args: Iterable[str] | None = None,
        namespace: Any = None,  # noqa: ANN401 - argparse's
    ) -> tuple[Any, list[str]]:
        """Parse words; FILEs may stand before, between and behind the options."""
        if self._mixing or not any(
            action.nargs == "*" for action in self._get_positional_actions()
        ):
            return super().parse_known_args(args, namespace)
        self._mixing = True  # for argparse parses in two steps, by this method
        return self.parse_known_intermixed_args(args, namespace)

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Write the help to standard output."""
        if file is not None:
            super().print_help(file)
        else:
            write_output([self.format_help().encode("utf-8")])

    def error(self, message: str) -> NoReturn:
        """Tell of wrong usage; argparse would use standard output where there is no other."""
        say(f"{self.format_usage()}{self.prog}: error: {message}")
        raise SystemExit(_WRONG_USAGE)


class _Version(argparse.Action):
    """`--version`, with all that the result of a training depends on."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        cli, core, regex = map(metadata.version, ("bpetite-cli", "bpetite-core", "regex"))
        python = platform.python_version()
        line = f"bpetite {cli} (bpetite-core {core}, regex {regex}, Python {python})\n"
        write_output([line.encode("ascii")])
        parser.exit()


class _Once(argparse.Action):
    """Store the value of an option, and refuse the option a second time.

    argparse would keep the last value and not say that it dropped the others.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Store the value."""
        seen = vars(namespace).setdefault("options_seen", set())
        if self.dest in seen:
            raise argparse.ArgumentError(self, "given more than once")
        seen.add(self.dest)
        setattr(namespace, self.dest, values)
