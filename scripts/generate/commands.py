"""The page of commands, which prints each help, the README's table, and the completions.

`bpetite --completion SHELL` prints the completions, which shtab generates from the parsers.
"""

import argparse
import os
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from unittest import mock

import bpetite_compare.commands
from bpetite_cli.app import make_parser
from bpetite_cli.commands import GROUPS
from generate.command import filled

_INTRODUCTION: Final = """\
# Commands

<!-- made by scripts/generate -->

This page has the text of `bpetite COMMAND --help` for every command, then what the help leaves
out. `bpetite-compare` adds these: {of_compare}.

Results go to standard output, messages and progress to standard error. On a terminal, a result
is lines for people; a pipe or a file gets JSON, whose fields are in [JSON output](output.md).
`--output-format text` or `json` says otherwise, and `--json` is short for the latter. Data, such as
ids or a text, and the table of `count` are the same everywhere. `NO_COLOR` and `FORCE_COLOR` turn
colors off and on.

The exit status is 0 for success, 1 for a failure, 2 for wrong usage and 130 for Ctrl-C. In `diff`,
1 means that the tokenizers differ, and 2 a failure. A failed command leaves standard output empty,
with three exceptions:

- `count`, `parity` and `verify` print their result even if it means status 1, and `inspect`
  describes a tokenizer that does not open.
- `show`, `inspect` and `diff` print lines for people as they go.
- If a signal, a full disk or a closed pipe stops a command while it writes, the output is
  incomplete.

## Options of many commands

- FILE or `-i`: UTF-8 text, also compressed with gzip, bzip2, xz or zstd. A folder stands for the
  text files in it, in the order of their names; `--glob` narrows them. `-` is standard input, which
  is also read if nothing is named. No token spans two files.
- `--files-from FILE`: a list of paths, one on each line. With `--null` or `-0`, NUL bytes end them.
- `--jsonl FIELD`: each line of JSON Lines has a document, or several. `--parquet COLUMN`: each row
  has one, also inside a struct (`meta.text`); this requires pyarrow.
- `--counts FILE`: documents with counts; those of equal texts add up, also in several files.
- `--text TEXT`: for a text that starts with a dash, write `--text=-x`.
- `-m TOKENIZER`: a tokenizer file or, with `bpetite-compare`, an encoding of tiktoken or a model of
  OpenAI (`gpt-4o`). It is read from tiktoken's cache; only `--download` opens a connection.
- `--ordinary`: special tokens in the text are ordinary text, as for untrusted text.
- `--jobs N`: processes for inputs over 8 MB. The result is the same for every N.

## Completion

For completion in bash, run `eval "$(bpetite --completion bash)"`; in zsh, the same with `zsh` after
`compinit`; in fish, `bpetite --completion fish | source`.
"""

_COMPLETIONS: Final = Path("packages/cli/src/bpetite_cli/completions")
_FILES: Final = {"FILE", "PATH", "TOKENIZER"}
"""The metavars of options that are files."""

_BASH: Final = """\
# Behind an option that takes several files, another option may follow.
_bpetite_files() {
  if [[ "${COMP_WORDS[COMP_CWORD]}" == -* ]]; then
    compgen -W "${current_option_strings[*]}" -- "${COMP_WORDS[COMP_CWORD]}"
  else
    compgen -f -- "$1"
  fi
}
"""


def files() -> dict[Path, str]:
    """Return the page, the README, and the completions of each shell."""
    import shtab  # here, because everyday tests use `parsers` without it

    table = "| to | commands |\n|---|---|\n"
    for group, names in GROUPS.items():
        table += f"| {group} | {', '.join(f'`{name}`' for name in names)} |\n"
    made = {
        Path("README.md"): filled("README.md", {"commands": table}),
        Path("docs/reference/commands.md"): "\n".join(_page()),
    }
    parser = make_parser([])
    for each in (parser, *parsers(parser).values()):
        each.description = (each.description or "").partition("\n\n")[0]  # a shell shows one line
        for action in each._actions:
            if action.metavar in _FILES:
                vars(action)["complete"] = {**shtab.FILE, "bash": "_bpetite_files"}
    for shell in ("bash", "zsh", "fish"):
        text = shtab.complete(parser, shell, preamble={"bash": _BASH})
        lines = (line.rstrip() for line in text.rstrip().split("\n"))
        made[_COMPLETIONS / shell] = "".join(f"{line}\n" for line in lines)
    return made


def parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by name, in the order of the help."""
    (action,) = (action for action in parser._actions if action.metavar == "COMMAND")
    found: dict[str, argparse.ArgumentParser] = vars(action)["choices"]
    return {name: found[name] for names in GROUPS.values() for name in names if name in found}


def _page() -> Iterator[str]:
    """Yield the parts of the page in Markdown."""
    with mock.patch.dict(os.environ, COLUMNS="80"):
        commands: Mapping[str, Any] = parsers(make_parser([]))
        helps = {name: command.format_help() for name, command in commands.items()}
    modules = [module.name for module in pkgutil.iter_modules(bpetite_compare.commands.__path__)]
    compare = {name.rstrip("_").replace("_", "-") for name in modules}
    of_compare = ", ".join(f"`{name}`" for name in commands if name in compare)
    yield _INTRODUCTION.format(of_compare=of_compare)
    for group, names in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name in names:
            if name in helps:
                yield f"### {name}\n\n```text\n{helps[name]}```\n"
                if commands[name].details:
                    yield f"{commands[name].details}\n"
                if more := commands[name].more_examples:
                    yield "More examples:\n\n```text\n{}\n```\n".format("\n".join(more))
