"""Argparse without its surprises.

Options cannot be abbreviated, and only list options can be repeated. An unknown option is
reported before a missing one, and an option without effect is an error.
"""

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from bpetite_cli.errors import Failure
from bpetite_cli.io.documents import expand_patterns
from bpetite_cli.io.outputs import wants_color, write_output
from bpetite_cli.terminal.messages import say, say_error
from bpetite_cli.tips import called_here, meant
from bpetite_cli.values import short, text_argument

Given: TypeAlias = Any
"""What argparse takes or passes on, which depends on the option."""

_COMMAND: Final = "COMMAND"

_LIKE_AN_OPTION: Final = re.compile(r"-[^\d ][^ ]*")
"""What may be an option; -1 is a number, and "- or not" is text."""

_EXAMPLES: Final = 2
"""The number of examples in the help of a command."""

_USAGE: Final = len("usage: ")
_NARROWEST: Final = 20
_HEADING: Final = re.compile(r"^usage:|^\S.*:$", re.MULTILINE)

_DIGITS: Final = re.compile("[0-9]+")


class StrictParser(argparse.ArgumentParser):
    """A parser without argparse's surprises, also for the commands.

    Its help goes to standard output as data, so a failed write is an error.

    options: the action of each option, by all its names.
    advice: what to do if an option is missing, or if the command does not have it; for FILE, if it
        is not allowed.
    more_examples, details: what only the page of the command has.
    """

    def __init__(self, **options: Given) -> None:
        self.options: dict[str, argparse.Action] = {}
        self.advice: dict[str, str] = {}
        self.more_examples: list[str] = []
        self.details = ""
        self._needs: dict[str, Sequence[str]] = {}
        self._one_of: list[Sequence[Sequence[str]]] = []
        self._required: list[tuple[Sequence[str], bool]] = []
        self._of_file = ""  # without it, there is no FILE
        self._of_digits = ""
        self.has_commands = False
        self._not_repeated: set[str] = set()
        options.setdefault("formatter_class", _Formatter)
        super().__init__(**options, allow_abbrev=False)
        self.color = False  # Python 3.14 would color the usage

    def add_argument(self, *names: str, **options: Given) -> argparse.Action:
        """Add an argument; one of several choices gets an error that suggests a similar one."""
        if "choices" in options:
            options["type"] = partial(_chosen, options["choices"])
        if options.pop("required", False):  # argparse would report it before errors in values
            self.require_one(names[-1])
        action = super().add_argument(*names, **options)
        self.options |= dict.fromkeys(action.option_strings, action)
        if action.option_strings and "action" not in options:
            self._not_repeated.add(action.option_strings[-1])
        return action

    def add_file_argument(self, *, option: str = "--input", digits: str = "") -> None:
        """Add FILE as an argument besides an option, of which it becomes the value.

        The help has it in the usage alone; what it takes, the option says.

        Args:
            option: the option.
            digits: another option, of which words of digits become the value instead.
        """
        self._of_file, self._of_digits = option, digits
        self.add_argument("file", nargs="*", metavar="FILE", default=[], help=argparse.SUPPRESS)

    def need(self, option: str, *others: str) -> None:
        """Reject an option without one of the others."""
        self._needs[option] = others

    def allow_one(self, *groups: str | Sequence[str]) -> None:
        """Allow one of several options, or options of one of several groups."""
        self._one_of.append([[group] if isinstance(group, str) else group for group in groups])

    def require_one(self, *groups: str | Sequence[str], or_pipe: bool = False) -> None:
        """Do the same, and reject a command line without any of them.

        With `or_pipe`, there may be none if standard input is no terminal.
        """
        self.allow_one(*groups)
        names = [name for group in self._one_of[-1] for name in group]
        self._required.append((names, or_pipe))

    def parse_known_args(
        self, args: Iterable[str] | None = None, namespace: Given = None
    ) -> tuple[Given, list[str]]:
        """Parse words; arguments may come before, between and after the options."""
        words = list(sys.argv[1:] if args is None else args)
        for word in words:
            try:
                text_argument(word)
            except UnicodeError:
                shown = os.fsencode(word)
                self.error(
                    f"expected UTF-8 in an argument, found {shown!r}; use a file or standard input"
                )
            if re.fullmatch("--?[a-z-]+=--", word):  # argparse would drop the value
                self.error(f"{word[:-3]} cannot have the value --, which ends the options")
        words, arguments, given = self._sorted(words)
        if arguments and not self.has_commands:
            words += ["--", *arguments]
        options, rest = super().parse_known_args(words, namespace)
        if rest:  # argparse would refer to the help of `bpetite`
            self.error(f"unrecognized arguments: {' '.join(rest).removeprefix('-- ')}")
        self._take(expand_patterns(vars(options).pop("file", [])), vars(options), given)
        self._check(given)
        return options, rest

    def _take(self, files: Sequence[str], options: dict[str, Given], given: dict[str, str]) -> None:
        """Make FILE the value of the option that it stands for."""
        name = self._of_file
        if files and self._of_digits and all(map(_DIGITS.fullmatch, files)):
            if existing := [*filter(os.path.lexists, files)]:
                self.error(f"{existing[0]} is also a file; write {name} or {self._of_digits}")
            name = self._of_digits
            files = [*map(self.options[name].type, files)]  # type: ignore[arg-type]
        if not files:
            return
        option = self.options[name]
        if name in given:
            way_out = f"; {self.advice['FILE']}" if "FILE" in self.advice else ""
            self.error(f"argument FILE: not allowed with argument {name}{way_out}")
        if option.nargs is None and len(files) > 1:
            self.error(f"argument FILE: expected one file, found {len(files)}; run it for each")
        options[option.dest] = files if option.nargs else files[0]
        given[name] = "FILE"

    def _sorted(self, words: Sequence[str]) -> tuple[list[str], list[str], dict[str, str]]:
        """Return the words of options, other arguments, and how each option given was named.

        An unknown option is reported here, before another check reports something missing.
        """
        own: list[str] = []
        arguments: list[str] = []
        given: dict[str, str] = {}
        before = ""  # the option that takes the next words
        for place, typed in enumerate(words):
            # argparse would read the -5 of --max as an option, too, if -0 were one.
            word = "--null" if typed == "-0" and "--null" in self.options else typed
            if word == "--":
                return own, [*arguments, *words[place + 1 :]], given
            if self.has_commands and not word.startswith("-"):
                return [*own, *words[place:]], [], given  # the rest belongs to the command
            name, equals, _ = word.partition("=")
            if (short := self.options.get(word[:2])) and short.nargs != 0 and word != word[:2]:
                name, equals = word[:2], "="  # as in -j4
            option = self.options.get(name)
            if option is self.options["--help"]:
                self.print_help()
                self.exit()
            if option is not None:
                own.append(word)
                long = option.option_strings[-1]
                if long in given and long in self._not_repeated:
                    self.error(f"argument {self._told([long])}: given more than once")
                given[long] = long
                before = "" if equals or option.nargs == 0 else name
            elif _LIKE_AN_OPTION.fullmatch(word):
                self._refuse(name[:40], before)
            elif before:
                own.append(word)
                before = before if self.options[before].nargs else ""
            else:
                arguments.append(word)
        return own, arguments, given

    def _refuse(self, name: str, before: str) -> NoReturn:
        """Report an unknown option, which may be meant as the value of the one before."""
        option = self.options.get(before)
        if option is not None and option.nargs is None:
            self.error(f"{before} requires a value; for {name}, write {before}={name}")
        advice = self.advice.get(name)
        way_out = f"; {advice}" if advice else called_here(name, self.options)
        self.error(f"unknown option {name}{way_out}")

    def _check(self, given: Mapping[str, str]) -> None:
        """Reject a missing option, and options that need another or exclude each other."""
        piped = sys.stdin is not None and not sys.stdin.isatty()
        missing = [
            names
            for names, or_pipe in self._required
            if not (or_pipe and piped) and not given.keys() & {*names}
        ]
        if missing:
            listed = ", ".join(map(self._told, missing))
            ways_out = [
                self.advice[one] for names in missing for one in names if one in self.advice
            ]
            self.error("; ".join([f"the following arguments are required: {listed}", *ways_out]))
        for option, needed in self._needs.items():
            if option in given and not given.keys() & {*needed}:
                self.error(f"argument {option}: requires {' or '.join(needed)}")
        for alternatives in self._one_of:
            of_groups = [[given[name] for name in group if name in given] for group in alternatives]
            found = [names for names in of_groups if names]
            if len(found) > 1:
                self.error(f"argument {found[1][0]}: not allowed with argument {found[0][0]}")

    def _told(self, names: Sequence[str]) -> str:
        """Return how a message names an option, or several of which one is required."""
        if len(names) == 1:
            return "/".join(self.options[names[0]].option_strings)
        files = ["FILE"] if self._of_file in names else []
        return " or ".join([*files, *names])

    def format_help(self) -> str:
        """Return the help; the usage of a command is short."""
        if not self.has_commands:
            self.usage = _filled(f"{' ' * _USAGE}{self._short_usage()}").lstrip()
        return super().format_help()

    def _short_usage(self) -> str:
        """Return the command with what it requires, and what may stand without an option."""
        words = [f"{self.prog} [options]"]
        several = self._of_digits or (self._of_file and self.options[self._of_file].nargs)
        more = " ..." if several else ""
        of_file = f"{self.options[self._of_file].metavar}{more}" if self._of_file else ""
        files = f" [{of_file}]" if of_file else ""
        for names, or_pipe in self._required:
            if self._of_file in names:
                files = f" [{of_file}]" if or_pipe else f" {of_file}"
                continue
            options = [self.options[name] for name in names]
            each = [f"{one.option_strings[0]} {one.metavar or one.dest.upper()}" for one in options]
            words.append(each[0] if len(each) == 1 else f"({' | '.join(each)})")
        words += [str(one.metavar) for one in self._get_positional_actions() if one.nargs is None]
        return " ".join(words) + files

    def print_help(self, file: object = None) -> None:
        """Write the help to standard output, on a terminal with bold headings."""
        text = self.format_help()
        if sys.stdout is not None and wants_color(sys.stdout):
            text = _HEADING.sub("\x1b[1m\\g<0>\x1b[0m", text)
        write_output([text.encode("utf-8")])

    def error(self, message: str) -> NoReturn:
        """Report wrong usage on standard error; argparse would fall back to standard output."""
        one_line = message.replace("\n", r"\n")  # the newline comes from an argument
        say_error(one_line)
        if "--help" not in one_line:
            say(f"see `{self.prog} --help`")
        raise SystemExit(2)


class Commands:
    """The commands of a parser; each module adds its own, also one of another package.

    summaries: a line about each command, by its name.
    """

    def __init__(self, parser: StrictParser) -> None:
        parser.has_commands = True
        self._all = parser.add_subparsers(
            metavar=_COMMAND, required=True, parser_class=StrictParser
        )
        self.summaries: dict[str, str] = {}

    def add_parser(self, name: str, **options: Given) -> StrictParser:
        """Add the parser of a command, as argparse does."""
        self.summaries[name] = options.get("help", "")
        return self._all.add_parser(name, **options)

    def add(self, name: str, doc: str | None) -> StrictParser:
        """Add the parser of a command of ours.

        Its help is the docstring of the command's module: a summary, more text, examples, of which
        the help shows the first, and details, which only the page of commands has.
        With `python -OO`, which drops docstrings, it is the name.
        """
        told, _, details = (doc or name).partition("\nDetails:\n")
        text, _, listed = told.partition("\nExamples:\n")
        examples = re.split(r"\n(?=  \S)", listed.rstrip())  # some have several lines
        summary = text.partition("\n")[0].rstrip(".")
        parser = self.add_parser(
            name,
            help=f"{summary[0].lower()}{summary[1:]}",
            description=text.rstrip(),
            epilog="\n".join(["examples:", *examples[:_EXAMPLES]]) if listed else None,
        )
        parser.more_examples = examples[_EXAMPLES:]
        parser.details = details.strip()
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="write only errors to standard error"
        )
        parser.add_argument(
            "--json",
            action="store_const",
            const="json",
            dest="output_format",
            help="print the result as JSON",
        )
        parser.add_argument(
            "--output-format",
            choices=("text", "json"),
            metavar="FORMAT",
            help="of the result: text for people, or json for programs",
        )
        parser.allow_one("--json", "--output-format")
        return parser


def _chosen(choices: Iterable[str], word: str) -> str:
    """Reject a word that is not a choice, and suggest a similar one."""
    if word not in choices:
        listed = ", ".join(choices)
        raise Failure(f"invalid choice: {short(word)} (choose from {listed}){meant(word, choices)}")
    return word


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Fills texts; omits the list of commands, which the description has in groups."""

    def add_text(self, text: str | None) -> None:
        """Add a text; examples stay as they are."""
        super().add_text(text if text is None or text.startswith("examples:") else _filled(text))

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument, unless it is the command."""
        if action.metavar != _COMMAND:
            super().add_argument(action)


_START_OF_BLOCK: Final = re.compile(r"\n(?=\n| {1,3}\S)")
_TERM: Final = re.compile(r" +\S+ +(?=\S)")


def _filled(text: str) -> str:
    """Return paragraphs and items, filled as argparse fills the help of options.

    An item is an indented term and its description, which may continue on deeper lines.
    """
    width = max(_NARROWEST, shutil.get_terminal_size().columns - 2)
    filled = []
    for block in _START_OF_BLOCK.split(text):
        empty = "\n" if block.startswith("\n") else ""
        term = _TERM.match(block)
        line = re.sub(r"\s*\n\s*", " ", block.removeprefix("\n"))
        indent = " " * len(term[0]) if term else ""
        lines = textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False)
        filled.append(empty + lines)
    return "\n".join(filled)
