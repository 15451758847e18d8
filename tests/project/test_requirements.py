"""Every requirement is in tests/requirements.toml and has an everyday test."""

import ast
import re
import tomllib
from functools import cache
from itertools import chain
from typing import Any, Final

from project_tools import ROOT, sources

LIST: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads(
    (ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8")
)
ALL: Final = [*chain.from_iterable(LIST.values())]
THOROUGH: Final = "pytest.mark.thorough"


def named_by(one: dict[str, Any]) -> list[str]:
    """Return the tests of a requirement, everyday and thorough."""
    return [*one.get("tests", ()), *one.get("thorough", ())]


NUMBERED: Final = [(one["number"], named_by(one)) for one in LIST["functional"]]
"""The number of each functional requirement, and its tests."""


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


def test_every_requirement_has_an_everyday_test() -> None:
    """The list has FR-1 to FR-37, each with a test that runs on every system; the tests exist."""
    assert [number for number, _ in NUMBERED] == [f"FR-{number}" for number in range(1, 38)]
    wrong = [name for one in ALL for name in named_by(one) if name not in every_test()]
    assert wrong == [], "tests/requirements.toml names these tests; name what replaced them"
    wrong = [number for number, tests in NUMBERED if not any(every_test()[one][1] for one in tests)]
    assert wrong == [], "name an everyday test of these requirements"


def test_every_requirement_names_what_shows_it() -> None:
    """Each has its text and a test or a page, under known names; the pages exist."""
    known = {"number", "requires", "tests", "thorough", "pages", "theorems"}
    assert [one for one in ALL if {*one} - known] == []
    assert [one for one in ALL if not one["requires"]] == []
    wrong = [one["requires"] for one in ALL if not {*one} & {"tests", "thorough", "pages"}]
    assert wrong == [], "name what shows these requirements"
    pages = {page.partition("#")[0] for one in ALL for page in one.get("pages", ())}
    assert pages
    assert [page for page in pages if not (ROOT / page).is_file()] == []


def test_a_cited_test_names_its_requirement() -> None:
    """The docstring of each test of a numbered requirement starts with its number."""
    wrong = [
        (number, name)
        for number, names in NUMBERED
        for name in names
        if not re.match(rf"(FR-\d+, )*{number}(, FR-\d+)*: ", every_test()[name][0])
    ]
    assert wrong == [], 'begin the docstrings of these tests with "NUMBER: "'


def test_what_pytest_leaves_out_is_marked() -> None:
    """The tests in `thorough` are those that `uv run pytest` does not run."""
    for key in ("tests", "thorough"):
        names = chain.from_iterable(one.get(key, ()) for one in ALL)
        wrong = [name for name in names if every_test()[name][2] != (key == "thorough")]
        assert wrong == [], f"in {key}, and should be in the other list"
