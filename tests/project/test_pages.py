"""Run the pages' code and commands, and compare the output with the pages."""

import contextlib
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from pages import run_page, sha256_of_artifact
from project_tools import ROOT

pytestmark = pytest.mark.thorough

DOCS: Final = [page for page in ROOT.glob("docs/**/*.md") if ".ipynb_checkpoints" not in page.parts]
ALL: Final = [*ROOT.glob("*.md"), *DOCS, *ROOT.glob("packages/*/README.md")]
WITH_OWN_TESTS: Final = {
    *(ROOT / name for name in ("README.md", "docs/large-corpora.md", "docs/use-with.md")),
    ROOT / "docs/extend.md",
    ROOT / "docs/shrink.md",
    ROOT / "docs/your-own.md",
    ROOT / "docs/reference/api.md",
    *ROOT.glob("docs/course/[!1]*.md"),
    *ROOT.glob("docs/course/1[!5]*.md"),
}
RUNNING: Final = [
    pytest.param(page, marks=[pytest.mark.data] * page.name.endswith(("gpt-2.md", "models.md")))
    for page in sorted({*ALL} - WITH_OWN_TESTS)
    if re.search("^```(python|console)$", page.read_text("utf-8"), re.MULTILINE)
]
"""The other pages with blocks that run."""


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", RUNNING, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_output_is_correct(
    page: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every block of Python and of commands runs, and prints what the page shows."""
    monkeypatch.setenv("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")  # it would miss PyTorch
    folder = Path()
    if page.name.endswith("gpt-2.md"):
        folder = Path("docs/course")
        folder.mkdir()
        shutil.copytree(ROOT / "docs" / "samples", "docs/samples")
        shutil.copy(request.getfixturevalue("gpt2_merges"), folder / "vocab.bpe")
    elif page.parent.name == "exercises":
        folder = Path("docs/course")
        folder.mkdir()
    elif page.name == "models.md":
        for name in ("llama3", "qwen3"):
            Path(name).symlink_to(request.getfixturevalue("model_files") / name)
    with contextlib.chdir(folder):
        assert {"python", "console"} & run_page(page)


def test_internal_links_are_valid() -> None:
    """Each link from a page to a file of the repository leads to one."""
    links = [
        (page, target)
        for page in ALL
        for target in re.findall(r"\]\(([^)#: ]+)[)#]", page.read_text("utf-8"))
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
