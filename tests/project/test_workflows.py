"""The workflow on GitHub runs the gates that we run here."""

import re
import tomllib
from typing import Final

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT

WORKFLOWS: Final = ROOT / ".github" / "workflows"
GATES: Final = (
    "uv run pytest",
    "uv run ruff check .",
    "uv run ruff format --check .",
    "uv run mypy --strict",
)


def commands(text: str) -> set[str]:
    """Return the lines of a workflow or of a shell script, less comments and `run:` in front."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return {re.sub(r"^(- )?run: ", "", line) for line in lines}


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("path", [".ci/run", ".github/workflows/ci.yml"])
def test_the_gates_are_run(path: str, gate: str) -> None:
    """FR-36: each of the four gates is a command of the local check and of the workflow."""
    assert gate in commands((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    ["# uv run pytest", "uv run pytest tests/core", "echo uv run pytest", "uv run pytest -x"],
)
def test_what_only_looks_like_a_gate_is_no_gate(line: str) -> None:
    """A gate that is commented out, narrowed or merely printed is none."""
    assert "uv run pytest" not in commands(f"      - run: {line}\n{line}\n")


def test_every_job_has_an_end() -> None:
    """No job may hang for longer than its own limit of minutes."""
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert text.count("runs-on:") == text.count("timeout-minutes:") > 0


def test_the_lock_file_is_not_changed_on_the_way() -> None:
    """In the workflow a stale uv.lock stops `uv run`, which elsewhere updates it and goes on."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    assert re.search(r'^env:\n(  .*\n)*?  UV_LOCKED: "1"', text, re.MULTILINE)


def test_every_python_that_is_claimed_is_tested() -> None:
    """The versions of Python among the classifiers are those in the workflow's matrix."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    matrix = re.search(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    assert matrix
    tested = set(re.findall(r'"(3\.\d+)"', matrix[1]))
    for member in MEMBERS:
        metadata = tomllib.loads((PACKAGES / member / "pyproject.toml").read_text(encoding="utf-8"))
        classifiers = metadata["project"]["classifiers"]
        claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE)
        assert set(claimed) == tested
