"""The notebooks of the course: each runs outside a clone, with Jupyter and nothing else."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from pages import check
from project_tools import ROOT, run, run_uv

pytestmark = pytest.mark.thorough

PAGES: Final = sorted((ROOT / "docs" / "course").glob("[0-9]*.md"))
DATA: Final = {"15-gpt-2": "gpt2_merges", "17-since-gpt-2": "model_files"}
"""The pages whose notebooks download more, and the fixtures with the same files."""


@pytest.fixture(scope="module")
def programs_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that makes an environment for all notebooks with the same first cell."""

    @cache
    def make(_install: str) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        run_uv("venv", "--seed", folder)
        programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
        done = run_uv("pip", "install", "--python", folder, "nbclient", "ipykernel")
        if done.returncode or run(programs / "pip", "download", "-d", folder, "regex").returncode:
            pytest.skip("no package index answers")
        return programs

    return make


def text_of(cell: dict[str, Any]) -> str:
    """Return what a cell of a notebook has printed."""
    outputs = (one for one in cell["outputs"] if one.get("name") == "stdout")
    return "".join(part for output in outputs for part in output["text"])


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.data] * (page.stem in DATA)) for page in PAGES],
    ids=lambda page: page.stem,
)
def test_a_notebook_runs_without_a_clone(
    page: Path,
    tmp_path: Path,
    programs_for: Callable[[str], Path],
    request: pytest.FixtureRequest,
) -> None:
    """From the address of a repository, a notebook installs what it needs and prints its page."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone there is no address")
    address = ROOT.as_uri()
    done = run(sys.executable, ROOT / "scripts" / "notebooks.py", tmp_path, address)
    assert done.returncode == 0, done.stderr
    path = tmp_path / f"{page.stem}.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    install, *cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert f"git clone --quiet --depth 1 {address} " in install["source"]
    variables = {}
    if page.stem in DATA:
        source = request.getfixturevalue(DATA[page.stem])
        variables["TIKTOKEN_CACHE_DIR"] = str(request.getfixturevalue("tiktoken_cache"))
        (download,) = (cell for cell in cells if not cell["outputs"] and "%%sh" in cell["source"])
        names = f"{source} vocab.bpe" if source.is_file() else f"{source}/llama[23] ."
        download["source"] = f"%%sh\ncp -r {names}"
        path.write_text(json.dumps(notebook), "utf-8")
    programs = programs_for(install["source"])
    variables["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = run(programs / "jupyter-execute", "--inplace", path, cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    found = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" in cell]
    for cell, ran in zip(cells, found[1:], strict=True):
        check(text_of(cell), text_of(ran))


def test_a_notebook_has_the_page_and_leaves_solutions_folded() -> None:
    """No word or picture is lost, links lead into the clone, and solutions are not cells."""
    sys.modules.pop("notebooks", None)
    import notebooks  # scripts/notebooks.py

    page = next(page for page in PAGES if page.stem == "04-merging")
    cells = notebooks.notebook(page, "https://example.org/a b")["cells"]
    words = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "<summary>The code of merge</summary>\n\n```python\ndef merge(" in words
    assert "(data:image/svg+xml;base64," in words
    assert "(05-ties.ipynb)" in words
    assert "(bpetite/docs/exercises/tasks.md#05-merging-a-pair)" in words
    assert "'https://example.org/a b'" in cells[0]["source"]
    code = "".join(cell["source"] + text_of(cell) for cell in cells[1:] if "outputs" in cell)
    for line in page.read_text("utf-8").splitlines():
        assert line.startswith(("```", "!")) or "](" in line or line in f"{words}\n{code}"
