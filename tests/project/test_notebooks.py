"""The notebooks of the course: each runs outside a clone, with Jupyter and nothing else."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pages import check
from project_tools import ROOT, run, run_uv

pytestmark = pytest.mark.thorough


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
    text = "".join(part for output in outputs for part in output["text"])
    return text.replace("\r\n", "\n")  # a terminal ends lines so


@pytest.mark.parametrize("name", ["04-merging", "11-beside-others", "16-puzzles"])
def test_a_notebook_runs_without_a_clone(
    name: str, tmp_path: Path, programs_for: Callable[[str], Path]
) -> None:
    """From the address of a repository, a notebook installs what it needs and prints its page.

    These three have folds, other libraries, and commands.
    """
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone there is no address")
    address = ROOT.as_uri()
    done = run(sys.executable, ROOT / "scripts" / "notebooks.py", tmp_path, address)
    assert done.returncode == 0, done.stderr
    path = tmp_path / f"{name}.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    install, *cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert f"git clone --quiet --depth 1 {address} " in install["source"]
    programs = programs_for(install["source"])
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = run(programs / "jupyter-execute", "--inplace", path, cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    found = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" in cell]
    for cell, ran in zip(cells, found[1:], strict=True):
        check(text_of(cell), text_of(ran))
