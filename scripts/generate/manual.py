"""Generate the page of commands and the man page from the command line's parsers.

The wheel has the man page below `installed`. It is installed into `share` of the environment,
where `man` looks. `completions` generates the shells' completions, which need shtab.
"""

import argparse
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

from bpetite_cli.app import make_parser
from bpetite_cli.commands import GROUPS

SHARE: Final = Path("packages/cli/src/bpetite_cli/installed/share")
_SHARING: Final = 4
"""An option that so many commands have, with the same help, is described once on the page."""

_INTRODUCTION: Final = """\
# Commands

<!-- made by scripts/generate -->

This page has the text of `bpetite COMMAND --help` for every command. `bpetite-compare` adds four
of them: {of_compare}.

Data goes to standard output, messages and progress to standard error. [JSON output](output.md)
describes the fields. The exit status is 0 for success, 1 for a failure, 2 for wrong usage and 130
for Ctrl-C. A failed command leaves standard output empty, with three exceptions:

- `count`, `parity` and `verify` print their result even if it means status 1.
- `show` and `inspect` draw as they go.
- If a signal, a full disk or a closed pipe stops a command while it writes, the output is
  incomplete.

For completion in bash, run `eval "$(bpetite --completion bash)"`; in zsh, the same with `zsh` after
`compinit`; in fish, `bpetite --completion fish | source`. `man bpetite` works if the folder of
`bpetite` is on `PATH`.
"""
_SHARED: Final = """\
## Shared options

Many commands share these options. The usage of each command lists all its options; its table
describes the ones that are not here.
"""

_EXIT_STATUS: Final = (
    "0 for success, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C. "
    "count, parity and verify print their result even if it means status 1. "
    "If the status is not 0, the output may be incomplete: a signal, a full disk or a closed pipe "
    "may have stopped the command while it was writing."
)


def files() -> dict[Path, str]:
    """Return the page and the man page."""
    parser = make_parser([])
    commands = parsers(parser)
    for each in (parser, *commands.values()):
        # Python versions wrap a usage differently.
        each.formatter_class = partial(argparse.HelpFormatter, width=1000)
    return {
        SHARE / "man/man1/bpetite.1": "\n".join(_man_page(parser, commands)) + "\n",
        Path("docs/reference/commands.md"): "\n".join(_page(commands)),
    }


def parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by name, in the order of the help."""
    (action,) = (action for action in parser._actions if action.metavar == "COMMAND")
    found: dict[str, argparse.ArgumentParser] = vars(action)["choices"]
    return {name: found[name] for names in GROUPS.values() for name in names if name in found}


def _usage(parser: argparse.ArgumentParser) -> str:
    return parser.format_usage().removeprefix("usage: ").replace("[-h] ", "").strip()


def description(parser: argparse.ArgumentParser) -> tuple[str, str]:
    """Return the summary of a command, and the rest of its help as lines."""
    summary, _, more = (parser.description or "").partition("\n\n")
    return summary, more


def _examples(parser: argparse.ArgumentParser) -> str:
    return textwrap.dedent((parser.epilog or "").removeprefix("examples:\n")).rstrip("\n")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield each argument with its value and help."""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.metavar != "COMMAND" and "--help" not in action.option_strings:
            yield formatter._format_action_invocation(action), formatter._expand_help(action)


def _page(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the lines of the page in Markdown."""
    of_compare = ", ".join(
        f"`{name}`"
        for name, command in commands.items()
        if command.get_default("run").__module__.startswith("bpetite_compare.")
    )
    yield _INTRODUCTION.format(of_compare=of_compare)
    counts = Counter(row for parser in commands.values() for row in _arguments(parser))
    shared = [row for row, count in counts.items() if count >= _SHARING]
    yield _SHARED
    yield from _table(shared)
    for group, names in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name in names:
            if name in commands:
                yield from _section(name, commands[name], shared)


def _section(
    name: str, parser: argparse.ArgumentParser, shared: Iterable[tuple[str, str]]
) -> Iterator[str]:
    summary, more = description(parser)
    # Keep an option and its value on one line.
    usage = re.sub(r"(-[a-z]|--[a-z-]+) ", "\\1\u00a0", _usage(parser))
    lines = textwrap.fill(usage, 80, subsequent_indent="    ", break_on_hyphens=False)
    yield f"### {name}\n\n{summary}\n\n```text\n{lines}\n```\n".replace("\u00a0", " ")
    if more:
        yield f"```text\n{more}\n```\n"
    if own := [row for row in _arguments(parser) if row not in shared]:
        yield from _table(own)
    yield f"```sh\n{_examples(parser)}\n```\n"


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of a table of arguments."""
    yield "| argument | |\n| --- | --- |"
    for row in rows:
        yield "| `{}` | {} |".format(*(cell.replace("|", r"\|") for cell in row))
    yield ""


def _man_page(
    parser: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]
) -> Iterator[str]:
    """Yield the lines of the man page."""
    yield r".\" made by scripts/generate"
    yield f'.TH BPETITE 1 "" "bpetite {version("bpetite-cli")}"'
    yield ".SH NAME\n" + _roff("bpetite - a deterministic byte-level BPE tokenizer")
    yield ".SH SYNOPSIS\n" + _roff(_usage(parser))
    yield ".SH OPTIONS"
    yield from _man_arguments(parser)
    yield ".SH COMMANDS"
    for name, command in commands.items():
        summary, more = description(command)
        yield f".SS {_roff(name)}\n{_roff(summary)}"
        yield f".PP\n{_roff(_usage(command))}"
        if more:
            yield _as_it_is(more)
        yield from _man_arguments(command)
        yield ".PP\nFor example:\n" + _as_it_is(_examples(command))
    yield f".SH EXIT STATUS\n{_roff(_EXIT_STATUS)}"


def _man_arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for option, told in _arguments(parser):
        words = (_bold(word) if word.startswith("-") else _roff(word) for word in option.split(" "))
        yield f".TP\n{' '.join(words)}"
        yield _roff(told)


def _bold(option: str) -> str:
    name, comma, _ = option.partition(",")
    return f"\\fB{_roff(name)}\\fR{comma}"


def _as_it_is(text: str) -> str:
    """Return lines that roff prints unchanged."""
    lines = "\n".join(map(_escaped, text.splitlines()))
    return f".PP\n.EX\n{lines}\n.EE"


def _roff(text: str) -> str:
    """Return a paragraph as lines for roff."""
    return "\n".join(map(_escaped, textwrap.wrap(text, 72, break_on_hyphens=False)))


def _escaped(line: str) -> str:
    """Escape a line for roff, with each hyphen as a minus."""
    guard = r"\&" if line.startswith((".", "'")) else ""
    return guard + line.replace("\\", "\\e").replace("-", "\\-")
