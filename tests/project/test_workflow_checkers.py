"""The files that GitHub reads are safe and well formed, according to checkers of such files."""

from typing import Final

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

SCHEMAS: Final = {
    ".github/workflows/*.yml": "vendor.github-workflows",
    ".github/dependabot.yml": "vendor.dependabot",
    ".github/ISSUE_TEMPLATE/[!c]*.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    "CITATION.cff": "vendor.citation-file-format",
}
"""The files that GitHub reads, each with its schema."""


def test_the_workflows_are_safe() -> None:
    """Zizmor finds nothing, even with its strictest persona."""
    options = ("--offline", "--no-config", "--pedantic", "--strict-collection", "--no-progress")
    result = run(tool("zizmor"), *options, ROOT / ".github")
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("pattern", SCHEMAS)
def test_the_files_are_well_formed(pattern: str) -> None:
    """GitHub knows every key of a file, and its value has the right type."""
    files = sorted(ROOT.glob(pattern))
    assert files
    result = run(tool("check-jsonschema"), "--builtin-schema", SCHEMAS[pattern], *files)
    assert result.returncode == 0, result.stdout
