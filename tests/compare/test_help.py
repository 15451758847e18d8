"""The help of the comparison, and the examples in its docstrings."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import bpetite_compare
from bpetite_cli.commands import NAMES
from help_tools import OF_COMPARE, SUMMARIES, check_help, prepare_files, run_example, with_examples


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the examples use."""
    folder = tmp_path_factory.mktemp("prepared")
    prepare_files(folder)
    return folder


def test_every_command_is_listed() -> None:
    """FR-32, FR-35: if the comparison is installed, the help lists its commands."""
    assert SUMMARIES.keys() == {*NAMES}


@pytest.mark.usefixtures("offline")
@with_examples(*OF_COMPARE)
def test_help_examples_work(example: str, prepared: Path, tmp_path: Path) -> None:
    """Each example in a command's help runs, or reports which file it needs."""
    result = run_example(example, prepared, tmp_path / "folder")
    if result.returncode:
        assert b"set TIKTOKEN_CACHE_DIR" in result.stderr


@pytest.mark.parametrize("command", OF_COMPARE)
def test_every_command_has_examples(command: str) -> None:
    """The help of each command has at least two examples, in lines that fit the screen."""
    check_help(command)


def test_examples_are_correct() -> None:
    """Every example in a docstring prints what it shows."""
    package = bpetite_compare.__name__
    modules = [one.name for one in pkgutil.walk_packages(bpetite_compare.__path__, f"{package}.")]
    results = [doctest.testmod(importlib.import_module(name)) for name in [package, *modules]]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 8
