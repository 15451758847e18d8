"""The script that mutates the core, and the list of the mutants that no test can kill.

What it finds takes an hour, and is told in docs/reliability.md.
"""

import ast
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from project_tools import ROOT, load_script, run

pytestmark = pytest.mark.thorough

CORE: Final = ROOT / "packages" / "core" / "src" / "bpetite"
TINY: Final = '''\
"""A module to be mutated."""

LIMIT = 3


class Counter:
    """It counts."""

    @staticmethod
    def below(number: int | None) -> int:
        """Count down to the limit."""
        while number > LIMIT:
            number -= 1
        return number
'''
TINY_TEST: Final = """\
from bpetite._tiny import Counter


def test_it() -> None:
    assert Counter.below(5) == 3
"""


@pytest.fixture
def mutate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script, which its own processes can import."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return load_script("mutate")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace with one small module and its test."""
    root = tmp_path / "workspace"
    package = root / "packages" / "core" / "src" / "bpetite"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "_tiny.py").write_text(TINY, encoding="utf-8")
    (root / "tests" / "core").mkdir(parents=True)
    (root / "tests" / "core" / "test_tiny.py").write_text(TINY_TEST, encoding="utf-8")
    return root


def test_mutant_without_a_reason_is_refused(
    mutate: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where a listed mutant has no reason, no mutant is tried."""
    listed = tmp_path / "mutants.toml"
    one = mutate.Name("_tiny", "", "LIMIT = 3", "LIMIT = 4")
    listed.write_text(mutate.entry(one), encoding="utf-8")
    monkeypatch.setattr(mutate, "LISTED", listed)
    with pytest.raises(mutate.MutationError, match=r"no reason for _tiny: LIMIT = 3"):
        list(mutate.read_listed())


def test_every_module_is_mutated(mutate: ModuleType) -> None:
    """Each module of the core but the one that only imports has tests that there are."""
    assert sorted(mutate.TESTS) == sorted(path.stem for path in CORE.glob("_[a-z]*.py"))
    for turns in mutate.TESTS.values():
        for name in " ".join(turns).split():
            assert (ROOT / "tests" / "core" / f"test_{name}.py").is_file()


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (("LIMIT = 3", "LIMIT = 4"), "killed"),
        (("while number > LIMIT", "while number != LIMIT"), "survived"),
        (("number -= 1", "number -= 0"), "hung"),
    ],
)
def test_planted_mutant_is_judged(
    mutate: ModuleType, workspace: Path, tmp_path: Path, change: tuple[str, str], outcome: str
) -> None:
    """A mutant that a test notices is killed, one that none does survives, a loop is ended."""
    copy = mutate.copy_workspace(workspace, tmp_path / "copy")
    mutated = TINY.replace(*change)
    mutant = mutate.Mutant(mutate.name_of("_tiny", TINY, mutated), mutated)
    turn = mutate.Turn(["tests/core/test_tiny.py"], 3 if outcome == "hung" else 100)
    assert mutate.try_all([mutant], [turn], [copy]) == {mutant.name: outcome}
    assert (copy / mutate.CORE / "_tiny.py").read_text(encoding="utf-8") == TINY


def test_checkout_is_not_touched(mutate: ModuleType, workspace: Path, tmp_path: Path) -> None:
    """All is done in the copy: of the workspace, nothing is changed and nothing is added."""
    before = {path: path.stat().st_mtime_ns for path in workspace.rglob("*")}
    copy = mutate.copy_workspace(workspace, tmp_path / "copy")
    mutated = TINY.replace("3", "4")
    mutant = mutate.Mutant(mutate.name_of("_tiny", TINY, mutated), mutated)
    mutate.try_all([mutant], list(mutate.turns_of(["tiny"], copy)), [copy])
    assert {path: path.stat().st_mtime_ns for path in workspace.rglob("*")} == before


def test_tests_that_fail_anyway_are_refused(
    mutate: ModuleType, workspace: Path, tmp_path: Path
) -> None:
    """Where a test fails without a mutant, no mutant is tried."""
    (workspace / "tests" / "core" / "test_tiny.py").write_text("def test_it(): assert False\n")
    copy = mutate.copy_workspace(workspace, tmp_path / "copy")
    with pytest.raises(mutate.MutationError, match=r"not even the core .* tests/core/test_tiny.py"):
        list(mutate.turns_of(["tiny"], copy))


def test_another_package_is_refused(mutate: ModuleType, tmp_path: Path) -> None:
    """Where the tests would import another `bpetite` than the copy, nothing is tried."""
    empty = tmp_path / "workspace"
    empty.mkdir()
    with pytest.raises(mutate.MutationError, match="not the copy is imported, but"):
        mutate.copy_workspace(empty, tmp_path / "copy")


def test_name_tells_the_place_without_a_number(mutate: ModuleType) -> None:
    """A change has the same name wherever in its file the function stands."""
    mutated = TINY.replace("number > LIMIT", "number is LIMIT")
    name = mutate.name_of("_tiny", TINY, mutated)
    assert name == (
        *("_tiny", "Counter.below", "while number > LIMIT:", "while number is LIMIT:"),
        1,
    )
    assert mutate.name_of("_tiny", f"import os\n\n{TINY}", f"import os\n\n{mutated}") == name


def test_survivors_are_held_to_the_list(
    mutate: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """What survives and is not listed is an error, and what is listed and does not survive, too."""
    one, other = (mutate.Name("_tiny", "", "LIMIT = 3", f"LIMIT = {limit}") for limit in (2, 4))
    assert mutate.report({one: "survived", other: "killed"}, {one}) == 0
    assert mutate.report({one: "survived", other: "hung"}, {one, other}) == 0
    assert capsys.readouterr().out == ""
    assert mutate.report({one: "survived", other: "killed"}, set()) == 1
    (found,) = tomllib.loads(capsys.readouterr().out)["equivalent"]
    assert found == {**one._asdict(), "becomes": [one.becomes], "reason": ""}
    assert mutate.report({one: "survived", other: "killed"}, {one, other}) == 1
    assert capsys.readouterr().out == "\nlisted, but killed: _tiny: : LIMIT = 4\n"
    assert mutate.report({one: "survived"}, {one, other}) == 1
    assert capsys.readouterr().out == "\nlisted, but not made: _tiny: : LIMIT = 4\n"


def test_row_counts_what_became_of_mutants(mutate: ModuleType) -> None:
    """A row gives mutants, killed, hung among them, survivors that are listed, and others."""
    names = [mutate.Name("_tiny", "", "LIMIT = 3", f"LIMIT = {limit}") for limit in range(4, 10)]
    outcomes = ["killed", "killed", "hung", "survived", "survived", "survived"]
    tried = dict(zip(names, outcomes, strict=True))
    assert mutate.row("all", tried, {names[-1]}) == "| all | 6 | 3 | 1 | 1 | 2 |"


def test_unknown_module_is_refused() -> None:
    """A module that there is not ends the command with one line that names those that there are."""
    done = run(sys.executable, ROOT / "scripts" / "mutate.py", "_nothing")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: _nothing is no module; they are _collector, ")


def test_mutants_are_python_and_change_what_is_done(mutate: ModuleType) -> None:
    """Operators, numbers and decorators are changed; annotations are left, and so is no Python."""
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is in the group `mutation`")
    mutants = list(mutate.mutants_of("_tiny", TINY))
    changes = {(mutant.name.line, mutant.name.becomes) for mutant in mutants}
    assert ("LIMIT = 3", "LIMIT = 4") in changes
    assert ("while number > LIMIT:", "while number >= LIMIT:") in changes
    assert ("@staticmethod", "") in changes
    assert [mutant for mutant in mutants if "def below" in mutant.name.line] == []
    for mutant in mutants:
        ast.parse(mutant.source)
