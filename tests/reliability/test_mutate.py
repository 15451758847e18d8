"""The script that mutates the core distinguishes killed mutants from survivors."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT
from reliability import mutate
from reliability.mutate import Mutant, MutationError, Name, Turn

pytestmark = pytest.mark.thorough

TINY: Final = """\
LIMIT = 3


class Counter:
    @staticmethod
    def below(number: int | None) -> int:
        while number > LIMIT:
            number -= 1
        return number
"""
TINY_TEST: Final = """\
from bpetite._tiny import Counter


def test_it() -> None:
    assert Counter.below(5) == 3
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of a workspace with one small module and its test."""
    root = tmp_path / "workspace"
    for path, text in (
        (mutate.CORE / "__init__.py", ""),
        (mutate.CORE / "_tiny.py", TINY),
        (Path("tests/core/test_tiny.py"), TINY_TEST),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return mutate.copy_workspace(root, tmp_path / "copy")


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("LIMIT = 3", "LIMIT = 4", "killed"),
        ("while number > LIMIT", "while number != LIMIT", "survived"),
        ("number -= 1", "number -= 0", "hung"),
    ],
)
def test_mutants_are_classified(copy: Path, old: str, new: str, outcome: str) -> None:
    """A mutant that a test notices is killed, another survives, and an endless loop is stopped."""
    mutated = TINY.replace(old, new)
    mutant = Mutant(mutate.name_of("_tiny", TINY, mutated), mutated)
    turn = Turn(["tests/core/test_tiny.py"], 3 if outcome == "hung" else 100)
    assert mutate.try_all([mutant], [turn], [copy]) == {mutant.name: outcome}
    assert (copy / mutate.CORE / "_tiny.py").read_text(encoding="utf-8") == TINY


def test_tests_must_pass_without_mutants(copy: Path) -> None:
    """No mutant is tried if a test fails on the core itself."""
    (copy / "tests" / "core" / "test_tiny.py").write_text("def test_it(): assert False\n")
    with pytest.raises(MutationError, match=r"not even the core .* tests/core/test_tiny.py"):
        list(mutate.turns_of(["tiny"], copy))


def test_survivors_are_compared_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """An unlisted survivor is an error, and so is a listed mutant that is killed."""
    one, other = (Name("_tiny", "", "LIMIT = 3", f"LIMIT = {limit}") for limit in (2, 4))
    assert mutate.report({one: "survived", other: "hung"}, {one, other}) == 0
    assert capsys.readouterr().out == ""
    assert mutate.report({one: "survived", other: "killed"}, set()) == 1
    (found,) = tomllib.loads(capsys.readouterr().out)["equivalent"]
    assert found == {**one._asdict(), "becomes": [one.becomes], "reason": ""}
    for outcomes, why in (({one: "killed"}, "killed"), ({}, "not made")):
        assert mutate.report(outcomes, {one}) == 1
        assert capsys.readouterr().out == f"\nlisted, but {why}: _tiny: : LIMIT = 2\n"


def test_every_module_has_tests() -> None:
    """Each module of the core is mutated, and its tests exist."""
    core = ROOT / mutate.CORE
    assert sorted(mutate.TESTS) == sorted(path.stem for path in core.glob("_[a-z]*.py"))
    names = {name for turns in mutate.TESTS.values() for turn in turns for name in turn.split()}
    assert [name for name in names if len([*ROOT.glob(f"tests/*/test_{name}.py")]) != 1] == []


def test_only_code_that_runs_is_mutated() -> None:
    """Operators, numbers and decorators are changed; annotations are not."""
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is in the group `mutation`")
    names = [mutant.name for mutant in mutate.mutants_of("_tiny", TINY)]
    changes = {(name.line, name.becomes) for name in names}
    assert ("LIMIT = 3", "LIMIT = 4") in changes
    assert ("while number > LIMIT:", "while number >= LIMIT:") in changes
    assert ("@staticmethod", "") in changes
    assert [name for name in names if "def below" in name.line] == []
