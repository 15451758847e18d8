"""The workflow on GitHub: safe, well formed, and running the gates that we run here."""

import re
import tomllib
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT, run, tool

WORKFLOWS: Final = ROOT / ".github" / "workflows"
GATES: Final = (
    "uv run pytest",
    "uv run ruff check .",
    "uv run ruff format --check .",
    "uv run mypy --strict",
)

GOOD: Final = """\
name: planted
on: [push]
permissions: {}
concurrency:
  group: ${{ github.ref }}
  cancel-in-progress: true
jobs:
  job:
    name: job
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
"""


def audit(folder: Path) -> CompletedProcess[str]:
    """Look for what an attacker could use in the workflows of a folder."""
    options = ("--offline", "--no-config", "--pedantic", "--strict-collection", "--no-progress")
    return run(tool("zizmor"), *options, folder)


def check_schema(folder: Path) -> CompletedProcess[str]:
    """Hold the workflows of a folder to GitHub's schema of workflows."""
    files = sorted(folder.glob("*.yml"))
    assert files
    return run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *files)


def plant(folder: Path, text: str) -> Path:
    """Write a workflow where the checks look for one."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "planted.yml").write_text(text, encoding="utf-8")
    return workflows


def commands(text: str) -> set[str]:
    """Return the lines of a workflow or of a shell script, less comments and `run:` in front."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return {re.sub(r"^(- )?run: ", "", line) for line in lines}


def test_the_workflows_are_safe() -> None:
    """Zizmor finds nothing, not even what only a pedant would mind."""
    result = audit(WORKFLOWS)
    assert result.returncode == 0, result.stdout


def test_the_workflows_are_well_formed() -> None:
    """Every key of the workflows is one that GitHub knows."""
    result = check_schema(WORKFLOWS)
    assert result.returncode == 0, result.stdout


def test_a_good_workflow_passes(tmp_path: Path) -> None:
    """The workflow that the next tests spoil passes both checks as it is."""
    workflows = plant(tmp_path, GOOD)
    assert audit(workflows).returncode == 0
    assert check_schema(workflows).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "v7", "unpinned-uses"),
        ("persist-credentials: false", "fetch-depth: 1", "artipacked"),
        ("permissions: {}", "permissions: write-all", "excessive-permissions"),
        ("false\n", "false\n      - run: echo ${{ github.head_ref }}\n", "template-injection"),
    ],
)
def test_an_unsafe_workflow_is_found(old: str, new: str, finding: str, tmp_path: Path) -> None:
    """Actions without a full hash, kept credentials, wide permissions, pasted text are found."""
    assert old in GOOD
    result = audit(plant(tmp_path, GOOD.replace(old, new)))
    assert result.returncode != 0
    assert finding in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("old", "new"), [("runs-on", "run-on"), ("timeout-minutes: 5", "timeout-minutes: soon")]
)
def test_a_malformed_workflow_is_found(old: str, new: str, tmp_path: Path) -> None:
    """A key that GitHub does not know and a value of the wrong type are found."""
    assert old in GOOD
    assert check_schema(plant(tmp_path, GOOD.replace(old, new))).returncode != 0


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
