"""Generate the page of commands and the man page, which print each help, and the README's table.

The wheel has the man page below `installed`. It is installed into `share` of the environment,
where `man` looks. `completions` generates the shells' completions, which need shtab.
"""

import argparse
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final
from unittest import mock

from bpetite_cli.app import make_parser
from bpetite_cli.commands import GROUPS
from generate.places import filled

_ROOT: Final = Path(__file__).parents[2]
SHARE: Final = Path("packages/cli/src/bpetite_cli/installed/share")
_PAGE_COLUMNS: Final = 80
_MAN_COLUMNS: Final = 72
"""A man page has a margin, and its example lines are not filled."""

_INTRODUCTION: Final = """\
# Commands

<!-- made by scripts/generate -->

This page has the text of `bpetite COMMAND --help` for every command. `bpetite-compare` adds four
of them: {of_compare}.

Data goes to standard output, messages and progress to standard error. A terminal gets rows,
or the messages before the JSON; [JSON output](output.md) describes the fields. The exit status is
0 for success, 1 for a failure, 2 for wrong usage and 130 for Ctrl-C. A failed command leaves
standard output empty, with three exceptions:

- `count`, `parity` and `verify` print their result even if it means status 1.
- `show` and `inspect` draw as they go.
- If a signal, a full disk or a closed pipe stops a command while it writes, the output is
  incomplete.

For completion in bash, run `eval "$(bpetite --completion bash)"`; in zsh, the same with `zsh` after
`compinit`; in fish, `bpetite --completion fish | source`. `man bpetite` works if the folder of
`bpetite` is on `PATH`.
"""

_EXIT_STATUS: Final = (
    "0 for success, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C. "
    "count, parity and verify print their result even if it means status 1. "
    "If the status is not 0, the output may be incomplete: a signal, a full disk or a closed pipe "
    "may have stopped the command while it was writing."
)


def files() -> dict[Path, str]:
    """Return the page, the man page and the README."""
    rows = [
        f"| {group} | {', '.join(f'`{name}`' for name in names)} |"
        for group, names in GROUPS.items()
    ]
    table = "\n".join(["| to | commands |", "|---|---|", *rows, ""])
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")
    return {
        Path("README.md"): filled(readme, {"commands": table}),
        SHARE / "man/man1/bpetite.1": "\n".join(_man_page()) + "\n",
        Path("docs/reference/commands.md"): "\n".join(_page()),
    }


def parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by name, in the order of the help."""
    (action,) = (action for action in parser._actions if action.metavar == "COMMAND")
    found: dict[str, argparse.ArgumentParser] = vars(action)["choices"]
    return {name: found[name] for names in GROUPS.values() for name in names if name in found}


def _helps(columns: int) -> tuple[str, Mapping[str, str]]:
    """Return the help of `bpetite`, and of each command by name, for a terminal of this width."""
    with mock.patch.dict(os.environ, COLUMNS=str(columns)):
        parser = make_parser([])
        commands = parsers(parser)
        return parser.format_help(), {name: one.format_help() for name, one in commands.items()}


def _page() -> Iterator[str]:
    """Yield the parts of the page in Markdown."""
    of_compare = ", ".join(
        f"`{name}`"
        for name, command in parsers(make_parser([])).items()
        if _module_of(command.get_default("run")).startswith("bpetite_compare.")
    )
    yield _INTRODUCTION.format(of_compare=of_compare)
    _, helps = _helps(_PAGE_COLUMNS)
    for group, names in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name in names:
            if name in helps:
                yield f"### {name}\n\n```text\n{helps[name]}```\n"


def _module_of(run: Callable[..., None]) -> str:
    """Return the module of a function, which `partial` may wrap."""
    return (run.func if isinstance(run, partial) else run).__module__


def _man_page() -> Iterator[str]:
    """Yield the lines of the man page."""
    ours, helps = _helps(_MAN_COLUMNS)
    yield r".\" made by scripts/generate"
    yield f'.TH BPETITE 1 "" "bpetite {version("bpetite-cli")}"'
    yield ".SH NAME\n" + _escaped("bpetite - a deterministic byte-level BPE tokenizer")
    yield ".SH DESCRIPTION\n" + _as_it_is(ours)
    yield ".SH COMMANDS"
    for name, text in helps.items():
        yield f".SS {_escaped(name)}\n{_as_it_is(text)}"
    yield ".SH EXIT STATUS\n" + "\n".join(map(_escaped, textwrap.wrap(_EXIT_STATUS, 72)))


def _as_it_is(text: str) -> str:
    """Return lines that roff prints unchanged."""
    return ".EX\n" + "".join(f"{_escaped(line)}\n" for line in text.splitlines()) + ".EE"


def _escaped(line: str) -> str:
    """Escape a line for roff, with each hyphen as a minus."""
    guard = r"\&" if line.startswith((".", "'")) else ""
    return guard + line.replace("\\", "\\e").replace("-", "\\-")
