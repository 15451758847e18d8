"""The workflow on GitHub is safe and well formed, by the tools that check that."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

WORKFLOWS: Final = ROOT / ".github" / "workflows"
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
