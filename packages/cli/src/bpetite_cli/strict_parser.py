"""Argparse without its surprises.

Options cannot be abbreviated, and only list options can be repeated. An unknown option is
reported before a missing one, and an option without effect is an error. What a command says about
its own options comes from its defaults (`arguments`) and from the actions `paths` and `same as`.
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import Final, NoReturn

from bpetite_cli.io.documents import expand_patterns
from bpetite_cli.io.outputs import write_output
from bpetite_cli.terminal.messages import say, say_error
from bpetite_cli.tips import called_here, meant
from bpetite_cli.values import Given

_LIKE_AN_OPTION: Final = re.compile(r"-[^\d ][^ ]*")
"""What may be an option; -1 is a number, and "- or not" is text."""


class StrictParser(argparse.ArgumentParser):
    """A parser without argparse's surprises, also for the commands.

    Its help goes to standard output as data, so a failed write is an error.
    """

    def __init__(self, **options: Given) -> None:
        options.setdefault("formatter_class", HelpFormatter)
        super().__init__(**options, allow_abbrev=False)
        actions = {None: _Once, "store": _Once, "paths": _Paths, "same as": _SameAs}
        for name, action in actions.items():
            self.register("action", name, action)
        self._mixing = False
        self.color = False  # Python 3.14 would color the usage

    def parse_known_args(
        self, args: Iterable[str] | None = None, namespace: Given = None
    ) -> tuple[Given, list[str]]:
        """Parse words; arguments may come before, between and after the options."""
        if self._mixing:
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(words)
        if (same := self._same_as) is None:
            options, rest = super().parse_known_args(words, namespace)
        else:
            self._mixing = True  # argparse calls this method twice
            end = words.index("--") if "--" in words else len(words)
            options, rest = self.parse_known_intermixed_args(words[:end], namespace)
            self._take_words(options, same, words[end + 1 :])
        if rest and not self._subparsers:  # argparse would refer to the help of `bpetite`
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        self._refuse_combinations(options)
        return options, rest

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Reject an unknown option before another check reports something missing."""
        known = self._option_string_actions
        before = ""
        for word in words:
            if word == "--" or (self._subparsers and not word.startswith("-")):
                return  # the rest are no options, or belong to the command
            name = word.partition("=")[0]
            if (short := known.get(word[:2])) and short.nargs != 0:
                name = word[:2]  # as in -j4
            if _LIKE_AN_OPTION.fullmatch(word) and name not in known:
                shown = name[:40]
                if before in known and known[before].nargs is None:
                    self.error(f"{before} requires a value; for {shown}, write {before}={shown}")
                advice = self._advice.get(name)
                way_out = f"; {advice}" if advice else called_here(name, known)
                self.error(f"unknown option {shown}{way_out}")
            before = word

    def _check_value(self, action: argparse.Action, value: Given) -> None:
        """Reject a word that is not among the choices of an option, and suggest a similar one."""
        if action.choices is not None and value not in action.choices:
            known = list(action.choices)
            found = f"invalid choice: {value!r:.40} (choose from {', '.join(known)})"
            raise argparse.ArgumentError(action, found + meant(value, known))

    @property
    def _advice(self) -> dict[str, str]:
        """The way out for each option that has one; `arguments.advise` sets it."""
        return self.get_default("advice") or {}

    @property
    def _same_as(self) -> "_SameAs | None":
        """The argument whose words are values of an option, if there is one."""
        return next((action for action in self._actions if isinstance(action, _SameAs)), None)

    def _take_words(self, options: argparse.Namespace, same: "_SameAs", more: list[str]) -> None:
        """Store the words of an argument, also as the value of its option."""
        words = expand_patterns([*getattr(options, same.dest), *more])
        setattr(options, same.dest, words)
        if not words:
            return
        option = self._option_string_actions[same.option]
        if getattr(options, option.dest) != option.default:
            self.error(f"argument {same.metavar}: not allowed with argument {same.option}")
        if option.nargs is None and len(words) > 1:
            self.error(f"argument {same.metavar}: expected one file, found {len(words)}")
        setattr(options, option.dest, words if option.nargs else words[0])

    def _refuse_combinations(self, options: argparse.Namespace) -> None:
        """Reject options that need another, that exclude each other, or a missing choice."""
        for option, needed in vars(options).pop("needs", {}).items():
            if self._given(options, [option]) and not self._given(options, needed):
                self.error(f"argument {option}: requires {' or '.join(needed)}")
        for kind in ("alternatives", "exclusive"):
            groups = vars(options).pop(kind, [])
            given = [names for group in groups if (names := self._given(options, group))]
            if kind == "alternatives" and groups and not given:
                every = " ".join(name for group in groups for name in group)
                if same := self._same_as:
                    every = every.replace(same.option, f"{same.metavar} {same.option}")
                self.error(f"one of the arguments {every} is required")
            if len(given) > 1:
                self.error(f"argument {given[1][0]}: not allowed with argument {given[0][0]}")

    def _given(self, options: argparse.Namespace, names: Iterable[str]) -> list[str]:
        """Return the options that were given, or the argument that was given for one."""
        same, actions = self._same_as, self._option_string_actions
        shown = {same.option: same.metavar} if same and getattr(options, same.dest) else {}
        return [
            str(shown.get(name, name))
            for name in names
            if getattr(options, actions[name].dest) != actions[name].default
        ]

    def print_help(self, file: object = None) -> None:
        """Write the help to standard output."""
        write_output([self.format_help().encode("utf-8")])

    def error(self, message: str) -> NoReturn:
        """Report wrong usage on standard error; argparse would fall back to standard output."""
        one_line = message.replace("\n", r"\n")  # the newline comes from an argument
        if one_line.startswith("the following arguments are required: "):
            missing = one_line.partition(": ")[2].split(", ")
            ways_out = (advice for option, advice in self._advice.items() if option in missing)
            one_line = "; ".join([one_line, *ways_out])
        say_error(one_line)
        if "--help" not in one_line:
            say(f"see `{self.prog} --help`")
        raise SystemExit(2)


class _Once(argparse.Action):
    """Store the value of an option, and reject the option a second time.

    argparse would keep the last value and silently drop the others.
    """

    def __call__(
        self, _: object, namespace: argparse.Namespace, values: object, *__: object
    ) -> None:
        """Store the value."""
        seen = vars(namespace).setdefault("options_seen", set())
        if self.dest in seen:
            raise argparse.ArgumentError(self, "given more than once")
        seen.add(self.dest)
        setattr(namespace, self.dest, values)


class _SameAs(_Once):
    """An argument whose words are values of an option."""

    def __init__(self, *, option: str, **options: Given) -> None:
        super().__init__(**options)
        self.option = option


class _Paths(argparse._ExtendAction):
    """Extend a list of paths; a word may be a pattern where the shell does not expand it."""

    def __call__(self, parser: Given, namespace: Given, values: Given, *_: object) -> None:
        """Extend the list."""
        super().__call__(parser, namespace, expand_patterns(values))


_START_OF_BLOCK: Final = re.compile(r"\n(?=\n| {1,3}\S)")
_TERM: Final = re.compile(r" +\S+ +(?=\S)")
_OPTION_WITH_VALUES: Final = re.compile(
    # A shell command can be broken before an option or an operator; both keep their values.
    r""" +(?:-\S|[|<>])(?:[^\s'"]|'[^']*'|"[^"]*"|\ +(?!-\S|[|<>]))*"""
)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fills paragraphs and items, and folds the shell commands below `examples:`.

    An item is an indented term and its description, which may continue on deeper lines.
    """

    def format_help(self) -> str:
        """Return the help; indent the usage less if an option would not fit."""
        shown = super().format_help()
        usage, empty, rest = shown.partition("\n\n")
        if max(map(len, usage.splitlines())) > self._width:
            usage = re.sub(r"\n +", "\n  ", usage)
        return usage + empty + rest

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:\n"):
            return "\n".join(_folded(line, width) for line in text.splitlines())
        return "\n".join(_filled(block, width) for block in _START_OF_BLOCK.split(text))


def _filled(block: str, width: int) -> str:
    """Return a filled paragraph, after an empty line, or a filled item."""
    empty = "\n" if block.startswith("\n") else ""
    term = _TERM.match(block)
    text = re.sub(r"\s*\n\s*", " ", block.removeprefix("\n"))
    indent = " " * len(term[0]) if term else ""
    return empty + textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)


def _folded(line: str, width: int) -> str:
    """Return a shell command; break a long one before options, with backslashes."""
    first = _OPTION_WITH_VALUES.search(line)
    if len(line) <= width or not first:
        return line
    lines = [line[: first.start()]]
    for part in _OPTION_WITH_VALUES.findall(line):
        if len(lines[-1]) + len(part) + len(" \\") > width:
            lines[-1] += " \\"
            lines.append(f"    {part.strip()}")
        else:
            lines[-1] += part.rstrip() if part.endswith(" ") else part
    return "\n".join(lines)
