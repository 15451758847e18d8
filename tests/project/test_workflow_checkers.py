"""The files that GitHub reads are safe and well formed, according to checkers of such files."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

GITHUB: Final = ROOT / ".github"
SCHEMAS: Final = {
    ".github/workflows/*.yml": "vendor.github-workflows",
    ".github/dependabot.yml": "vendor.dependabot",
    ".github/ISSUE_TEMPLATE/[!c]*.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    "CITATION.cff": "vendor.citation-file-format",
}
"""The files that GitHub reads, each with its schema."""

WORKFLOWS: Final = ".github/workflows/*.yml"
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
    """Look for weaknesses that an attacker could use in the workflows and Dependabot's file."""
    options = ("--offline", "--no-config", "--pedantic", "--strict-collection", "--no-progress")
    return run(tool("zizmor"), *options, folder)


def check_schema(root: Path, pattern: str) -> CompletedProcess[str]:
    """Check the files matching a pattern against their schema."""
    files = sorted(root.glob(pattern))
    assert files
    return run(tool("check-jsonschema"), "--builtin-schema", SCHEMAS[pattern], *files)


def plant(folder: Path, text: str) -> Path:
    """Write a workflow where the checks look for one."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "planted.yml").write_text(text, encoding="utf-8")
    return workflows


def test_the_workflows_are_safe() -> None:
    """Zizmor finds nothing, even with its strictest persona."""
    result = audit(GITHUB)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("pattern", SCHEMAS)
def test_the_files_are_well_formed(pattern: str) -> None:
    """GitHub knows every key of a file, and its value has the right type."""
    result = check_schema(ROOT, pattern)
    assert result.returncode == 0, result.stdout


def test_no_file_is_forgotten() -> None:
    """Every YAML file that GitHub reads has a schema."""
    checked = {path for pattern in SCHEMAS for path in ROOT.glob(pattern)}
    assert set(GITHUB.rglob("*.y*ml")) < checked


def test_a_good_workflow_passes(tmp_path: Path) -> None:
    """The workflow that the next tests break is valid as it is."""
    assert audit(plant(tmp_path, GOOD)).returncode == 0
    assert check_schema(tmp_path, WORKFLOWS).returncode == 0


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
    """An unknown key and a value of the wrong type are found."""
    assert old in GOOD
    plant(tmp_path, GOOD.replace(old, new))
    assert check_schema(tmp_path, WORKFLOWS).returncode != 0


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (".github/dependabot.yml", "directory: /", "folder: /"),
        (".github/ISSUE_TEMPLATE/bug.yml", "type: textarea", "type: text"),
        ("CITATION.cff", "type: software", "type: program"),
    ],
)
def test_another_malformed_file_is_found(path: str, old: str, new: str, tmp_path: Path) -> None:
    """An unknown key of Dependabot, field of an issue and type of citation are found."""
    text = (ROOT / path).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text.replace(old, new), encoding="utf-8")
    (pattern,) = (pattern for pattern in SCHEMAS if (tmp_path / path) in tmp_path.glob(pattern))
    assert check_schema(tmp_path, pattern).returncode != 0
