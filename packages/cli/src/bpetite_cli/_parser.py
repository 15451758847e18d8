"""The words that the command line understands.

Each command is added by a function that is given argparse's subparsers. It adds a parser
of its own, and names with `set_defaults(run=...)` the function that does the work: that
is given the parsed options, and raises what goes wrong. Another package adds a command in
the same way, by an entry point of the group `bpetite.commands`, called as the command is.
"""

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from bpetite_cli._arguments import Commands
from bpetite_cli._commands import BUILT_IN, add_command
from bpetite_cli._failure import Failure
from bpetite_cli._outputs import write_output
from bpetite_cli._progress import say

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

__all__ = ["GROUPS", "OF_COMPARE", "make_parser"]

_GROUP: Final = "bpetite.commands"
GROUPS: Final = {
    "make": ("train", "truncate", "import-tiktoken"),
    "use": ("encode", "decode", "count", "export"),
    "look": ("show", "inspect", "compare-tiktoken"),
    "prove": ("verify", "parity"),
}
OF_COMPARE: Final = frozenset({"compare-tiktoken", "export", "import-tiktoken", "parity"})
_COMPLETIONS: Final = {
    "bash": "bash-completion/completions/bpetite",
    "zsh": "zsh/site-functions/_bpetite",
    "fish": "fish/vendor_completions.d/bpetite.fish",
}
_COMMAND: Final = "COMMAND"
_LIKE_AN_OPTION: Final = re.compile(r"-[^\d ][^ ]*")  # -1 is a number, and "- or not" a text
_NARROW: Final = 60
_WRONG_USAGE: Final = 2


def make_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for these arguments."""
    parser: argparse.ArgumentParser = _Parser(
        prog="bpetite",
        epilog="`bpetite COMMAND --help` says more about one command, with examples.",
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the versions and exit")
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=_COMPLETIONS,
        metavar="SHELL",
        help="print the completion for bash, zsh or fish",
    )
    commands = parser.add_subparsers(metavar=_COMMAND, required=True)
    first = next(iter(arguments), "")
    # To load what is not named takes a while, and to look at what is installed takes longer.
    if first in BUILT_IN:
        add_command(commands, first)
    elif first not in {"--version", "--completion"}:
        for name in BUILT_IN:
            add_command(commands, name)
        _add_installed(commands, first)
        listed = "\n".join(_listed(commands))
        parser.description = f"A deterministic byte-level BPE tokenizer.\n\n{listed}"
    return parser


def _listed(commands: Commands) -> Iterator[str]:
    """Yield a line for each command, by what it is for, and one for what is not installed."""
    summaries = {action.dest: action.help for action in commands._choices_actions}
    known = [name for names in GROUPS.values() for name in names]
    others = [name for name in summaries if name not in known]
    width = shutil.get_terminal_size().columns
    narrow = width < _NARROW
    indent = " " * (7 if narrow else 25)
    for group, names in [*GROUPS.items(), ("more", others)]:
        title = group
        for name in names:
            if name in summaries:
                line = f"{title:<7}{f'{name}: ' if narrow else f'{name:<18}'}{summaries[name]}"
                yield textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False)
                title = ""
    if missing := [name for name in known if name in OF_COMPARE - summaries.keys()]:
        yield f"\nwith bpetite-compare also {', '.join(missing)}"


def _meant(word: str, known: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: one that is much like it, if there is."""
    from difflib import get_close_matches  # noqa: PLC0415 - it is slow to load

    close = get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _add_installed(commands: Commands, named: str | None) -> None:
    from importlib import metadata  # noqa: PLC0415 - it is slow to load

    entries = metadata.entry_points(group=_GROUP)
    if named in OF_COMPARE and named not in entries.names:
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
    """A formatter that leaves the commands out, which stand by groups in the description."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument, unless it is the command."""
        if action.metavar != _COMMAND:
            super().add_argument(action)


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
        if self._mixing:
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(words)
        files = [action for action in self._get_positional_actions() if action.nargs == "*"]
        if not files:
            options, rest = super().parse_known_args(words, namespace)
        else:
            self._mixing = True  # for argparse parses in two steps, by this method
            end = words.index("--") if "--" in words else len(words)
            options, rest = self.parse_known_intermixed_args(words[:end], namespace)
            found = getattr(options, files[0].dest)
            setattr(options, files[0].dest, [*found, *words[end + 1 :]])
        self._refuse_idle(options)
        return options, rest

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Refuse what looks like an option and is none, before something else is found missing."""
        known = self._option_string_actions
        before = ""
        for word in words:
            if word == "--" or (self._subparsers and not word.startswith("-")):
                return  # what follows is no option, or one of the command
            name = word.partition("=")[0]
            if _LIKE_AN_OPTION.fullmatch(word) and name not in known:
                if before in known and known[before].nargs is None:
                    self.error(f"{before} has no value; if it is {name[:40]}: {before}={name[:40]}")
                self.error(f"unknown option {name[:40]}{_meant(name, known)}")
            before = word

    def _refuse_idle(self, options: argparse.Namespace) -> None:
        """Refuse an option that would do nothing without another."""
        for option, needed in vars(options).pop("needs", {}).items():
            given, other = (
                vars(options)[self._option_string_actions[name].dest] for name in (option, needed)
            )
            if given and other is None:
                self.error(f"argument {option}: does nothing without {needed}")

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
        import platform  # noqa: PLC0415 - it is slow to load
        from importlib import metadata  # noqa: PLC0415 - the same

        cli, core, regex = map(metadata.version, ("bpetite-cli", "bpetite-core", "regex"))
        python = platform.python_version()
        line = f"bpetite {cli} (bpetite-core {core}, regex {regex}, Python {python})\n"
        write_output([line.encode("ascii")])
        parser.exit()


class _Completion(argparse.Action):
    """`--completion`, with a file that `scripts/make_manual.py` has made of these parsers."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: object, *__: object
    ) -> NoReturn:
        share = Path(__file__).parent / "installed" / "share"
        write_output([(share / _COMPLETIONS[str(shell)]).read_bytes()])
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
