"""Every functional requirement of the specification is named by an everyday test that shows it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, sources

REQUIREMENTS: Final = frozenset(range(1, 38))

THOROUGH: Final = "pytest.mark.thorough"

_NAMED: Final = re.compile(r"(FR-\d+(?:, FR-\d+)*): ")


def named_requirements(folder: Path) -> set[int]:
    """Return the numbers that the docstrings of the everyday tests below a folder begin with."""
    named: set[int] = set()
    for source in sources(folder):
        for test in _tests(source):
            if match := _NAMED.match(ast.get_docstring(test) or ""):
                named.update(int(number) for number in re.findall(r"\d+", match[1]))
    return named


def _tests(source: Path) -> Iterator[ast.FunctionDef]:
    """Yield the functions that pytest takes for everyday tests, those in classes too."""
    text = source.read_text(encoding="utf-8")
    if not source.name.startswith("test_") or f"\npytestmark = {THOROUGH}\n" in text:
        return
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and THOROUGH not in map(ast.unparse, node.decorator_list)
        ):
            yield node


def test_every_requirement_is_named() -> None:
    """Each of FR-1 to FR-37 is at the start of an everyday test's docstring, and no other is."""
    named = named_requirements(ROOT / "tests")
    assert sorted(REQUIREMENTS - named) == []
    assert sorted(named - REQUIREMENTS) == []


def write_test(folder: Path, docstring: str, name: str = "test_fact", file: str = "t") -> None:
    """Write a test file that holds one function with this docstring."""
    (folder / f"test_{file}.py").write_text(f'def {name}():\n    """{docstring}"""\n')


@pytest.mark.parametrize("missing", [1, 36, 37])
def test_a_missing_requirement_is_reported(missing: int, tmp_path: Path) -> None:
    """Where all requirements but one are named, that one is reported."""
    for number in REQUIREMENTS - {missing}:
        write_test(tmp_path, f"FR-{number}: a fact.", file=str(number))
    assert REQUIREMENTS - named_requirements(tmp_path) == {missing}


def test_several_requirements_are_named_at_once(tmp_path: Path) -> None:
    """A docstring may name several, and a test may stand in a class."""
    (tmp_path / "test_class.py").write_text(
        'class TestIt:\n    def test_fact(self):\n        """FR-16, FR-18, FR-3: a fact."""\n'
    )
    assert named_requirements(tmp_path) == {3, 16, 18}


@pytest.mark.parametrize(
    ("docstring", "name"),
    [
        ("A fact, after FR-7: no.", "test_fact"),
        ("FR-7 is a fact.", "test_fact"),
        ("FR-7 and FR-8: a fact.", "test_fact"),
        ("FR-7: a helper, no test.", "helper"),
    ],
)
def test_what_only_mentions_a_requirement_does_not_count(
    docstring: str, name: str, tmp_path: Path
) -> None:
    """A mention elsewhere, or in a function that is no test, names nothing."""
    write_test(tmp_path, docstring, name)
    assert named_requirements(tmp_path) == set()


def test_a_file_that_holds_no_tests_does_not_count(tmp_path: Path) -> None:
    """What pytest would not collect names nothing."""
    (tmp_path / "helpers.py").write_text('def test_fact():\n    """FR-7: a fact."""\n')
    assert named_requirements(tmp_path) == set()


@pytest.mark.parametrize(
    "source",
    [
        f'@{THOROUGH}\ndef test_fact():\n    """FR-7: a fact."""\n',
        f'import pytest\n\npytestmark = {THOROUGH}\n\ndef test_fact():\n    """FR-7: a fact."""\n',
    ],
)
def test_a_thorough_test_does_not_count(source: str, tmp_path: Path) -> None:
    """A test that does not run every day names nothing."""
    (tmp_path / "test_slow.py").write_text(source)
    assert named_requirements(tmp_path) == set()
