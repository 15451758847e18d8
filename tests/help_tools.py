"""Read the commands' help, and run its examples."""

import argparse
import gzip
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite_cli.app import make_parser
from cli_tools import bpetite, pipeline
from compare_tools import CORPUS


def _subparsers() -> argparse.Action:
    """Return argparse's parsers of the commands."""
    (action,) = (action for action in make_parser([])._actions if action.metavar == "COMMAND")
    return action


SUMMARIES: Final[dict[str, str]] = {
    choice.dest: choice.help for choice in vars(_subparsers())["_choices_actions"]
}
"""The one-line description of each installed command in the help."""


def examples_of(command: str) -> list[str]:
    """Return the examples in the help of a command."""
    return list(examples_in(vars(_subparsers())["choices"][command].epilog))


def examples_in(epilog: str) -> Iterator[str]:
    """Yield the examples at the end of a help, each one or more lines of shell."""
    example = ""
    for line in epilog.removeprefix("examples:\n").splitlines():
        example += f"{line.strip()}\n"
        if not line.endswith(("|", "\\", "&&", "||")):
            yield example
            example = ""


def needs_shell(example: str) -> bool:
    """Return whether an example has a pipe, a redirection or a variable."""
    return not example.startswith("bpetite ") or bool(re.search("[<>|]", example))


def with_examples(*commands: str) -> pytest.MarkDecorator:
    """Return a decorator that runs a test with each example; those for a shell are thorough."""
    examples = [
        pytest.param(
            example,
            id=f"{command} {number}",
            marks=[pytest.mark.thorough] if needs_shell(example) else [],
        )
        for command in commands
        for number, example in enumerate(examples_of(command), 1)
    ]
    return pytest.mark.parametrize("example", examples)


def check_help(command: str) -> None:
    """Check that a help has at least two examples and fits the screen; wrapping changes nothing."""
    examples = examples_of(command)
    assert len(examples) >= 2
    assert all(f"bpetite {command} " in example for example in examples)
    for columns in 60, 80, 200:
        shown = bpetite(command, "--help", env={"COLUMNS": str(columns)}).stdout.decode()
        assert max(map(len, shown.splitlines())) <= columns
        epilog = shown.partition("\nexamples:\n")[2]
        assert [*map(_shell_words, examples_in(epilog))] == [*map(_shell_words, examples)]


def _shell_words(example: str) -> list[str]:
    return shlex.split(example.replace("\\\n", " "))


def prepare_files(folder: Path) -> None:
    """Make a folder with the files that the examples name."""
    folder.mkdir(exist_ok=True)
    tokenizer = Tokenizer.train(CORPUS, 310)
    tokenizer.save(folder / "tokenizer.json")
    Tokenizer.train(CORPUS, 32000).save(folder / "big.json")
    for name in ("text.txt", "a.txt", "b.txt"):
        (folder / name).write_bytes(CORPUS.encode())
    (folder / "list.txt").write_text("text.txt\n")
    (folder / "docs.jsonl").write_text('{"text": "Hello world"}\n{"text": "the end"}\n')
    (folder / "counts.jsonl").write_text('{"text": "Hello world", "count": 1000}\n')
    (folder / "corpus.gz").write_bytes(gzip.compress(CORPUS.encode()))


def run_example(example: str, prepared: Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run an example in a copy of a folder, without the files that the example makes.

    A pipe or a redirection needs a shell; anything else runs in this process.
    """
    shutil.copytree(prepared, folder)
    for output in re.findall(r"--output (\S+)", example):
        (folder / output).unlink(missing_ok=True)
    if needs_shell(example):
        return pipeline(example, folder)
    _, *words = _shell_words(example)
    return bpetite(*words, cwd=folder)
