"""The commands in docs/reliability.md exist, and select tests."""

import re
from functools import cache
from typing import Final

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


@cache
def collected() -> list[str]:
    """Return the id of every test of both tiers."""
    done = run(tool("pytest"), "--collect-only", "-q", "--no-header", "-m=")
    return [line for line in done.stdout.splitlines() if "::" in line]


def selects_nothing(command: str) -> bool:
    """Return whether a command's path, or a word after its `-k`, selects no test."""
    options, _, words = command.partition(" -k ")
    places = tuple(re.findall(r"tests[\w/.]*", options))
    inside = [test for test in collected() if test.startswith(places)]
    return not all(
        any(word in test for test in inside) for word in re.split(" or | and ", words.strip('"'))
    )


def test_commands_of_the_page_select_tests() -> None:
    """Every `pytest` command, and each word after its `-k`, selects a test."""
    commands = re.findall(r"`([^`]*pytest [^`]*tests[^`]*)`", PAGE)
    assert len(commands) > 10
    assert [command for command in commands if selects_nothing(command)] == []
    assert selects_nothing('pytest tests/core -k "stack or no_such_fact"')
    assert selects_nothing("pytest tests/cor.py")


def test_scripts_of_the_page_exist() -> None:
    """Every script that the page names exists, and it names all of scripts/reliability."""
    named = set(re.findall(r"scripts/[\w/]+(?:\.py)?", PAGE))
    assert [name for name in named if not (ROOT / name).exists()] == []
    scripts = {f"scripts/reliability/{path.name}" for path in ROOT.glob("scripts/reliability/*.py")}
    assert scripts <= named
