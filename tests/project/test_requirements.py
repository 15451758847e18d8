"""Every requirement is on its page and has an everyday test; the page says what others need."""

import ast
import re
from functools import cache
from typing import Final

from project_tools import ROOT, sources

PAGE: Final = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
THOROUGH: Final = "pytest.mark.thorough"


@cache
def every_test() -> dict[str, tuple[str, bool, bool]]:
    """Return each test by its path and name: its docstring, if it always runs, if it is thorough.

    A test that may skip does not always run: a system might leave its requirement without a test.
    """
    found, folder = {}, ROOT / "tests"
    for source in sources(folder):
        text = source.read_text(encoding="utf-8")
        lines = text.split("\n")
        marks_of_file = re.findall(r"^pytestmark = (.*)$", text, re.MULTILINE)
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                marks = [*map(ast.unparse, node.decorator_list), *marks_of_file]
                name = f"{source.relative_to(folder).as_posix()}::{node.name}"
                body = "\n".join([*marks, *lines[node.lineno : node.end_lineno]])
                skips = re.search(r"pytest\.(mark\.)?skip", body)
                thorough = THOROUGH in marks
                always = not (thorough or skips)
                found[name] = (ast.get_docstring(node) or "", always, thorough)
    return found


ROWS: Final = [
    (number, re.findall(r"`([\w/]+\.py::\w+)`", row))
    for number, row in re.findall(r"^\| (FR-\d+) \|(.*)$", PAGE, re.MULTILINE)
]
"""Each requirement on the page, and the tests in its row."""


def test_every_requirement_has_an_everyday_test() -> None:
    """The page has a row for each of FR-1 to FR-37, with a test that runs on every system."""
    assert [number for number, _ in ROWS] == [f"FR-{number}" for number in range(1, 38)]
    named = re.findall(r"`([\w/]+\.py::\w+)`", PAGE)
    wrong = [name for name in named if name not in every_test()]
    assert wrong == [], "docs/requirements.md names these tests; name what replaced them"
    wrong = [number for number, names in ROWS if not any(every_test()[name][1] for name in names)]
    assert wrong == [], "name an everyday test in the rows of these requirements"


def test_a_cited_test_names_its_requirement() -> None:
    """The docstring of each test in a row starts with the number of the row."""
    wrong = [
        (number, name)
        for number, names in ROWS
        for name in names
        if not re.match(rf"(FR-\d+, )*{number}(, FR-\d+)*: ", every_test()[name][0])
    ]
    assert wrong == [], 'begin the docstrings of these tests with "NUMBER: "'


def test_what_pytest_leaves_out_is_marked() -> None:
    """`(thorough)` follows each test that `uv run pytest` does not run, and no other."""
    cited = re.findall(r"`([\w/]+\.py::\w+)`(?: \((thorough))?", PAGE)
    wrong = [name for name, mark in cited if bool(mark) != every_test()[name][2]]
    assert wrong == [], 'write "(thorough)" after these tests, or remove it'
