"""Run the pages' code and commands, and compare the output with the pages."""

import re
import shutil
from pathlib import Path

import pytest

from pages import run_page, sha256_of_artifact
from project_tools import ROOT

pytestmark = pytest.mark.thorough

PAGES = [
    "docs/architecture.md",
    "docs/comparison.md",
    "docs/exercises/README.md",
    "docs/exercises/answers/README.md",
    "docs/first-steps.md",
    "docs/index.md",
    "docs/patterns.md",
    "docs/reference/artifact.md",
    "docs/reference/output.md",
    "packages/core/README.md",
    "packages/cli/README.md",
    "packages/compare/README.md",
    *(f"docs/course/{path.name}" for path in sorted((ROOT / "docs" / "course").glob("*.md"))),
]


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.data] * page.endswith("-gpt-2.md")) for page in PAGES],
)
def test_page_output_is_correct(page: str, request: pytest.FixtureRequest) -> None:
    """Every block of Python and of commands runs, and prints what the page shows."""
    if page.endswith("-gpt-2.md"):
        shutil.copy(request.getfixturevalue("gpt2_merges"), "vocab.bpe")
    assert {"python", "console"} & run_page(ROOT / page)


def test_internal_links_are_valid() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    ]
    assert links
    assert [(page, target) for page, target in links if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("size", [512, 8192, 32000])
def test_training_on_tinyshakespeare_gives_the_published_hashes(
    tiny_shakespeare: Path, tmp_path: Path, size: int
) -> None:
    """FR-12: training on a megabyte gives the published hashes; it needs the corpus."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert f"| {size} | `{sha256_of_artifact(tiny_shakespeare, size, tmp_path)}` |" in page
