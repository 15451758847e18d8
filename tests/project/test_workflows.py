"""The gate runs what the specification lists, and the workflows run the gate's parts.

uv is replaced by a program that writes its calls: what the calls find is tested elsewhere.
"""

import re
from fnmatch import fnmatchcase
from typing import Final

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT, Gate, project

GATES: Final = {
    "tests": "run pytest",
    "lint": "run ruff check .",
    "format": "run ruff format --check .",
    "imports": "run lint-imports",
    "types": "run mypy --strict",
    "build": "build --all-packages *",
}
WORKFLOW: Final = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", GATES)
def test_the_gates_are_run(gate: Gate, part: str) -> None:
    """FR-36: each gate is run by `.ci/run`, which fails if it fails, and by the workflow."""
    for arguments in ((), (part,)):
        status, _, calls = gate(*arguments, failing=GATES[part])
        assert status != 0
        assert fnmatchcase(calls[-1], GATES[part])
    assert f"\n        run: bash .ci/run {part}\n" in WORKFLOW


def test_no_gate_is_switched_off() -> None:
    """FR-36: every push to `main` and every pull request runs each gate, and a failure counts."""
    assert "\non:\n  push:\n    branches: [main]\n  pull_request:\n" in WORKFLOW
    assert "continue-on-error" not in WORKFLOW
    conditions = {line.strip() for line in WORKFLOW.splitlines() if re.match(r" +(- )?if:", line)}
    assert conditions == {
        "if: ${{ !cancelled() }}",
        "if: ${{ steps.cache.outputs.cache-hit != 'true' }}",
    }


def test_every_supported_python_is_tested(gate: Gate) -> None:
    """Each version among the classifiers is tested, and the gate's end names those not found."""
    texts = ["\n".join(project(PACKAGES / member)["classifiers"]) for member in MEMBERS]
    core, *others = (re.findall(r"Python :: (3\.\d+)\n", text) for text in texts)
    assert others == [core] * 2
    assert gate("supported")[1].replace('"', "") == f"[{','.join(core)}]\n"
    find = "python find --system --no-python-downloads --no-project"
    status, printed, calls = gate(failing=f"{find} 3.14t")
    assert status == 0
    for version in core:
        assert f"tests/compare on Python {version}, with that package alone" in printed
        assert f"{find} {version}" in calls
    assert re.search(r"were not found: 3\.14t \(at \d+ s\)\n$", printed)
    assert "tests/core on Python 3.14t" not in printed
    assert "python: ${{ fromJSON(needs.supported.outputs.versions) }}\n" in WORKFLOW


def test_the_workflow_runs_on_linux_and_macos() -> None:
    """Tests and commands run on both systems with Python 3.12; each line of shell is a part."""
    assert "        os: [ubuntu-latest]\n" in WORKFLOW
    assert '          - { os: macos-latest, python: "3.12" }\n' in WORKFLOW
    parts = re.findall(r"^        run: bash \.ci/run ([\w-]+)", WORKFLOW, re.MULTILINE)
    assert {*GATES, "smoke", "determinism", "policy", "syntax", "packages", "thorough"} <= {*parts}
    functions = re.findall(r"^([\w-]+)\(\) ", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert {*parts, "lowest", "free-threaded"} <= {*functions}
