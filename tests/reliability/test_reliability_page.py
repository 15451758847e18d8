"""The commands in docs/reliability.md exist, and select tests."""

import re
from typing import Final

from project_tools import ROOT

PAGE: Final = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def selects_nothing(command: str) -> bool:
    """Return whether a path of a command has no tests, or none of them has a word after `-k`."""
    options, _, words = command.partition(" -k ")
    places = [ROOT / place for place in re.findall(r"tests[\w/.]*", options)]
    files = [file for place in places for file in (place, *place.glob("**/test_*.py"))]
    found = [f"{file}\n{file.read_text('utf-8')}" for file in files if file.is_file()]
    wanted = re.split(" or | and ", words.strip('"'))
    return not all(any(word in text for text in found) for word in wanted)


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
