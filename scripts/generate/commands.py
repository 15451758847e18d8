"""The page of commands, made from each help, the README's table, and the completions.

`bpetite --completion SHELL` prints the completions, which shtab generates from the parsers.
"""

import argparse
import os
import pkgutil
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest import mock

import bpetite_compare.commands
from bpetite_cli.app import make_parser
from bpetite_cli.commands import GROUPS
from bpetite_cli.strict_parser import StrictParser
from generate.command import filled

_INTRODUCTION: Final = """\
# Commands

<!-- made by scripts/generate -->

The line "Also" of a command names options that many have, which are explained
[below](#options-of-many-commands). The package `bpetite-compare` adds {of_compare}.

Results go to standard output, messages and progress to standard error. On a terminal, a result
is lines for people; a pipe or a file gets [JSON](output.md). `--output-format text` or `json`
chooses one, and `--json` is short for the latter. `NO_COLOR` and `FORCE_COLOR` turn colors off and
on.

The exit status is 0 for success, 1 for a failure, 2 for wrong usage and 130 for Ctrl-C. In `diff`,
1 means that the tokenizers differ, and 2 a failure. A failed command leaves standard output empty,
so no program reads half a result. There are three exceptions:

- `count`, `parity` and `verify` print results with status 1, and `inspect` describes a tokenizer
  that does not open.
- `show`, `inspect` and `diff` print lines for people as they go.
- A signal, a full disk or a closed pipe may stop a command while it writes.

## Options of many commands

**Every command** has:

- `-h`, `--help`: all options, and another example
- `-q`, `--quiet`: only errors on standard error
- `--json`, `--output-format FORMAT`: as above

**tokenizer** means both of these:

- `-m TOKENIZER`, `--model`: a tokenizer file. With `bpetite-compare`, also a model's folder or
  file, an encoding of tiktoken (`o200k_base`) or a model of OpenAI (`gpt-4o`). `compare` takes
  several. `export`, `inspect` and `truncate` take it without `-m`.
- `--download`: let tiktoken download what its cache lacks. Nothing else opens a connection.

**documents** means all of these:

- FILE, or `-i FILE`, `--input`: UTF-8 text, also compressed with gzip, bzip2, xz or zstd. A folder
  stands for the text files in it, in the order of their names. `-` is standard input, which is
  also read if nothing is named. No token spans two files.
- `--glob PATTERN`: in folders, only files with such a name: `'*.md'`
- `--files-from FILE`: read more paths from FILE, one on each line
- `--null`, `-0`: NUL bytes end these paths, as from `find -print0`
- `--jsonl FIELD`: each line is JSON, and its FIELD is a document (`text`) or has several
  (`messages[].content`)
- `--parquet COLUMN`: each row has a document, also inside a struct (`meta.text`). This requires
  pyarrow.
- `--document-separator TEXT`: what ends documents in text, such as `'<|endoftext|>'` or `'\\n\\n'`
- `--skip-invalid`: leave out documents that are null, missing or not text, instead of stopping

**Others**, named one by one:

- `--counts FILE`: lines of `{{"text": ..., "count": ...}}`, as `chunks` writes them. Counts of
  equal texts add up, also from several files.
- `--text TEXT`: this text, instead of files. If it starts with a dash, write `--text=-x`.
- `--ordinary`: read special tokens in the text as ordinary text, as for
  [untrusted text](../untrusted-text.md)
- `-o PATH`, `--output`: write the result to PATH, which appears only when it is complete
- `--force`: replace an existing file
- `-j N`, `--jobs`: processes for inputs over 8 MB; by default one per core, at most 8. The result
  is the same for every N.
- `--engine tiktoken`: let tiktoken encode, which is faster and needs `bpetite-compare`. If the ids
  would differ, it is an error.

## Completion

For completion in bash, run `eval "$(bpetite --completion bash)"`; in zsh, the same with `zsh` after
`compinit`; in fish, `bpetite --completion fish | source`.
"""

_SHARED: Final[Mapping[str, Sequence[str]]] = {
    "": ("--help", "--quiet", "--json", "--output-format"),
    "tokenizer": ("--model", "--download"),
    "documents": (
        "--input",
        "--glob",
        "--files-from",
        "--null",
        "--jsonl",
        "--parquet",
        "--document-separator",
        "--skip-invalid",
    ),
    "others": ("--counts", "--text", "--ordinary", "--output", "--force", "--jobs", "--engine"),
}
"""The options that the introduction explains, by the name of their list.

A command that has a whole list names the list, except the others; every command has the first.
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
        usual = _usual(commands.values())
        modules = pkgutil.iter_modules(bpetite_compare.commands.__path__)
        compare = {module.name.rstrip("_").replace("_", "-") for module in modules}
        of_compare = [f"`{name}`" for name in commands if name in compare]
        yield _INTRODUCTION.format(
            of_compare=f"{', '.join(of_compare[:-1])} and {of_compare[-1]}",
        )
        for group, names in GROUPS.items():
            yield f"## {group.capitalize()}\n"
            for name in names:
                if name in commands:
                    yield f"### {name}\n"
                    yield from _section(commands[name], usual)


def _section(parser: StrictParser, usual: Mapping[str, object]) -> Iterator[str]:
    """Yield what the page has about a command."""
    yield f"{parser.description}\n"
    usage = parser.format_help().partition("\n\n")[0]
    shared = {
        name
        for name, action in parser.options.items()
        if name in usual and action.metavar == usual[name]
    }
    if parser._of_digits:
        shared.remove("--input")  # it has ids
    own = [one for one in parser._actions if not {*one.option_strings[-1:]} & shared]
    formatter = parser._get_formatter()
    formatter.start_section("options")
    formatter.add_arguments(own)
    formatter.end_section()
    listed = formatter.format_help().partition("\n")[2].rstrip("\n")
    usage = " ".join(usage.removeprefix("usage: ").split())
    yield f"```text\n{usage}\n" + (f"\n{listed}\n" if listed else "") + "```\n"
    also: list[str] = []
    for group, names in _SHARED.items():
        if group in {"tokenizer", "documents"} and {*names} <= shared:
            also.append(f"**{group}**")
        elif group:
            also += [f"`{name}`" for name in names if name in shared]
    if also:
        yield f"[Also](#options-of-many-commands): {', '.join(also)}\n"
    _, first, *_ = re.split(r"\n(?=  \S)", parser.epilog or "\n")
    examples = "\n".join([first, *parser.more_examples])
    yield f"```sh\n{textwrap.dedent(examples)}\n```\n"
    if parser.details:
        yield f"{parser.details}\n"


def _usual(found: Iterable[argparse.ArgumentParser]) -> dict[str, object]:
    """Return what most commands call the value of each option that many have.

    An option with another value, such as the SOURCE of `import --input`, is one of its own.
    """
    values: dict[str, Counter[object]] = {
        name: Counter() for names in _SHARED.values() for name in names
    }
    for parser in found:
        for action in parser._actions:
            if action.option_strings and action.option_strings[-1] in values:
                values[action.option_strings[-1]][action.metavar] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in values.items()}
