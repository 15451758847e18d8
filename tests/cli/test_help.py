"""The help, its examples and the completions."""

import doctest
import importlib
import shlex
from collections.abc import Callable
from pathlib import Path
from pkgutil import walk_packages

import pytest

import bpetite_cli
import oracle
from bpetite_cli.commands import GROUPS, NAMES
from cli_tools import bpetite, pipeline
from help_tools import BUILT_IN, SUMMARIES, check_help, run_example, with_examples


def listed(shown: str) -> dict[str, dict[str, str]]:
    """Return the commands of each group in a help, with their descriptions."""
    groups: dict[str, dict[str, str]] = {}
    for block in shown.partition("\n\noptions:")[0].split("\n\n")[2:]:
        title, *items = block.splitlines()
        if items:
            groups[title] = dict(item.split(maxsplit=1) for item in items)
    return groups


def test_every_command_is_in_the_help() -> None:
    """FR-32: `--help` lists each command once, in its group, with a one-line description."""
    result = bpetite("--help", env={"COLUMNS": "80"})
    assert (result.returncode, result.stderr) == (0, b"")
    groups = listed(result.stdout.decode())
    assert {group: [*commands] for group, commands in groups.items()} == {
        f"{group}:": [name for name in names if name in SUMMARIES]
        for group, names in GROUPS.items()
    }
    assert {name: said for group in groups.values() for name, said in group.items()} == SUMMARIES
    for columns in (40, 200):  # a narrow terminal wraps descriptions
        shown = bpetite("--help", env={"COLUMNS": str(columns)}).stdout.decode()
        assert max(map(len, shown.splitlines())) <= columns
        assert all(f"{name} {said}" in " ".join(shown.split()) for name, said in SUMMARIES.items())


def test_uninstalled_commands_have_no_group(install: Callable[..., None]) -> None:
    """Without the comparison its commands are listed in a line of their own."""
    install("bpetite_compare")  # an empty package
    shown = bpetite("--help", env={"COLUMNS": "80"}).stdout.decode()
    last = "bpetite-compare adds import, export, compare, compare-tiktoken, parity"
    assert shown.partition("\n\noptions:")[0].endswith(f"\n\n{last}")
    names = [name for group in listed(shown).values() for name in group]
    assert names == [name for name in NAMES if name in BUILT_IN]


PLUG_IN = """
def add(commands):
    parser = commands.add_parser("greet", help="say hello")
    parser.set_defaults(run=lambda options: print("hello"))
"""


def test_another_package_can_add_a_command(install: Callable[..., None], here: Path) -> None:
    """FR-32: a package adds a command by an entry point; the help lists it under `more`."""
    install("greet", PLUG_IN)
    assert bpetite("greet").stdout == b"hello\n"
    assert bpetite("greet", "--help").stdout.startswith(b"usage: bpetite greet ")
    shown = bpetite("--help", env={"COLUMNS": "80"}).stdout.decode()
    assert listed(shown)["more:"] == {"greet": "say hello"}


@pytest.mark.posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_what_another_package_prints_is_flushed(install: Callable[..., None], here: Path) -> None:
    """If that fails, there is one error: the interpreter does not try again as it ends."""
    install("greet", PLUG_IN)
    result = pipeline("PYTHONUNBUFFERED= PYTHONPATH=. bpetite greet > /dev/full", here)
    error = b"error: cannot write to standard output: No space left on device\n"
    assert (result.returncode, result.stderr) == (1, error)


# the examples


@with_examples(*BUILT_IN)
def test_help_examples_work(example: str, prepared: Path, here: Path) -> None:
    """Each example in a command's help runs as written."""
    result = run_example(example, prepared, here / "folder")
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize("command", BUILT_IN)
def test_every_command_has_examples(command: str) -> None:
    """The help of each command has at least two examples, in lines that fit the screen."""
    check_help(command)


# the completion


COMPLETED: dict[str, list[str]] = {
    "bpetite --completion ''": ["bash", "fish", "zsh"],
    "bpetite train --input 'my t'": ["my text.txt"],
    "bpetite train --input text.txt to": ["tokenizer.json"],
    "bpetite train --input text.txt --vo": ["--vocab-size"],
    "bpetite train --pattern ''": sorted(oracle.PATTERNS),
    "bpetite export --to ''": ["gguf", "gpt2", "huggingface", "tiktoken"],
    "bpetite ''": sorted(NAMES),
}
"""How the tab key completes the last word, in a folder with a few files."""


@pytest.mark.posix
def test_bash_completes(here: Path) -> None:
    """In bash the tab key completes commands, options, choices and file names."""
    program = """
        eval "$(bpetite --completion bash)"
        function=$(complete -p bpetite | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    """
    for words in COMPLETED:
        program += f"""
            COMP_WORDS=({words}) COMP_CWORD={len(shlex.split(words)) - 1} COMPREPLY=()
            $function 2>/dev/null
            printf '%s\n' "${{COMPREPLY[@]}}" =
        """
    for name in ("text.txt", "tokenizer.json", "my text.txt"):
        (here / name).touch()
    result = pipeline(program, here)
    assert result.returncode == 0, result.stderr.decode()
    found = [part.splitlines() for part in result.stdout.decode().split("=\n")]
    assert dict(zip(COMPLETED, map(sorted, found[:-1]), strict=True)) == COMPLETED


# the examples in docstrings


def test_examples_in_docstrings_are_correct() -> None:
    """Every example in a docstring prints what it shows."""
    names = [one.name for one in walk_packages(bpetite_cli.__path__, "bpetite_cli.")]
    names.remove("bpetite_cli.__main__")  # importing it would run the command
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 8
