"""The script that mutates the core distinguishes killed mutants from survivors."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT
from reliability import mutate
from reliability.mutate import MutationError, Name

pytestmark = pytest.mark.thorough

TINY: Final = """\
LIMIT = 3


class Counter:
    @staticmethod
    def below(number: int | None) -> int:
        return min(number, LIMIT)
"""
TINY_TEST: Final = """\
from bpetite._tiny import Counter


def test_it() -> None:
    assert Counter.below(3) == 3
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace with one small module and its test."""
    root = tmp_path / "workspace"
    for path, text in (
        (mutate.CORE / "__init__.py", ""),
        (mutate.CORE / "_tiny.py", TINY),
        (Path("tests/core/test_tiny.py"), TINY_TEST),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.setattr(mutate, "TESTS", {"_tiny": "tiny"})
    return root


def test_mutants_are_classified(root: Path, tmp_path: Path) -> None:
    """A mutant that a test notices is killed, another survives; annotations are not mutated."""
    found = mutate.try_module(root, tmp_path, "_tiny")
    assert {(name.function, name.line, name.becomes): found[name] for name in found} == {
        ("", "LIMIT = 3", "LIMIT = 2"): "killed",
        ("", "LIMIT = 3", "LIMIT = 4"): "survived",
        ("Counter.below", "@staticmethod", ""): "survived",
    }
    assert (root / mutate.CORE / "_tiny.py").read_text(encoding="utf-8") == TINY


def test_tests_must_pass_without_mutants(root: Path, tmp_path: Path) -> None:
    """No mutant is tried if a test fails on the core itself."""
    (root / "tests" / "core" / "test_tiny.py").write_text("def test_it(): assert False\n")
    with pytest.raises(MutationError, match=r"not even the core .* tests/core/test_tiny.py"):
        mutate.try_module(root, tmp_path, "_tiny")


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


def test_every_listed_line_is_in_its_module() -> None:
    """The list of equivalent mutants names code that exists."""
    listed = tomllib.loads((ROOT / "tests/reliability/mutants.toml").read_text("utf-8"))
    gone = [
        f"{entry['module']}: {entry['line']}"
        for entry in listed["equivalent"]
        if entry["line"]
        not in " ".join((ROOT / mutate.CORE / f"{entry['module']}.py").read_text("utf-8").split())
    ]
    assert gone == [], "update these entries of tests/reliability/mutants.toml"


def test_every_module_has_tests() -> None:
    """Each module of the core is mutated, and its tests exist."""
    core = ROOT / mutate.CORE
    assert sorted(mutate.TESTS) == sorted(path.stem for path in core.glob("_[a-z]*.py"))
    names = " ".join(mutate.TESTS.values()).split()
    assert [name for name in names if len([*ROOT.glob(f"tests/*/test_{name}.py")]) != 1] == []
