"""The page of promises names commands that there are, and tests that they select."""

import re
from typing import Final

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
COMMANDS: Final = re.findall(r"`[^`]*?(?:pytest|python|scripts)[^`]*`", PAGE)


@pytest.fixture(scope="module")
def tests_that_there_are() -> list[str]:
    """Return the id of every test, collected once."""
    done = run(tool("pytest"), "--collect-only", "-q", "--no-header")
    return [line for line in done.stdout.splitlines() if "::" in line]


def selected(command: str, tests: list[str]) -> list[list[str]]:
    """Return the tests that a command selects, for each of the words after its `-k`."""
    (paths, words) = re.fullmatch(r"([^\"]*?)(?: -k (.*))?", command.strip("`")).groups()  # type: ignore[union-attr]  # it matches any line
    places = re.findall(r"tests[\w/.]*", paths)
    inside = [test for test in tests if any(test.startswith(place) for place in places)]
    wanted = re.split(" or | and ", words.strip('"')) if words else [""]
    return [[test for test in inside if word in test] for word in wanted]


def test_commands_of_the_page_select_tests(tests_that_there_are: list[str]) -> None:
    """Every `pytest` command of docs/reliability.md, and each word after `-k`, selects a test."""
    commands = [command for command in COMMANDS if "pytest" in command and "tests" in command]
    assert len(commands) > 10
    empty = [c for c in commands if not all(selected(c, tests_that_there_are))]
    assert empty == []


def test_a_command_that_selects_nothing_is_found(tests_that_there_are: list[str]) -> None:
    """A word after `-k` that is in no name is noticed, and a path that is not there."""
    assert not all(selected('`pytest tests/core -k "stack or no_such_fact"`', tests_that_there_are))
    assert not all(selected("`pytest tests/cor.py`", tests_that_there_are))


def test_scripts_of_the_page_are_there() -> None:
    """Every script that docs/reliability.md names exists, and it names all that attack."""
    named = set(re.findall(r"scripts/\w+\.py", PAGE))
    assert [name for name in named if not (ROOT / name).is_file()] == []
    attacks = ("break_saves", "cut_power", "fuzz", "measure_loads")
    assert {f"scripts/{name}.py" for name in attacks} <= named
