"""The notebooks of the course: each runs outside a clone, with Jupyter and nothing else."""

import contextlib
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from notebooks import notebook
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


def completed(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell, with the answer if it writes the starting file of an exercise."""
    first, newline, _ = cell["source"].partition("\n")
    if not first.startswith("%%writefile my_"):
        return cell
    answer = ROOT / "docs/exercises/answers" / f"exercise_{first[15:17]}.py"
    return {**cell, "source": first + newline + answer.read_text("utf-8")}


def test_each_exercise_is_checked_in_one_notebook() -> None:
    """A notebook writes the starting files of its page's exercises, and checks them, without uv."""
    checks = []
    for page in sorted((ROOT / "docs" / "course").glob("[0-9]*.md")):
        cells = notebook(page, "URL")["cells"]
        source = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
        pattern = r"^!python \.\./exercises/check\.py (\d\d)"
        checks += re.findall(pattern, source, re.MULTILINE)
        assert "uv run" not in source
    assert checks == [f"{number:02}" for number in range(1, 15)]


@pytest.mark.parametrize("name", ["00-why-tokens", "05-ties", "08-special-tokens"])
def test_the_cells_of_a_notebook_run_in_order(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells print what the page shows, and the check of an exercise says first what is open."""
    folder = tmp_path / "docs" / "course"
    shutil.copytree(ROOT / "docs" / "exercises", tmp_path / "docs" / "exercises")
    shutil.copytree(ROOT / "docs" / "course", folder)
    for path in ("samples", "sample.txt"):
        (tmp_path / "docs" / path).symlink_to(ROOT / "docs" / path)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    install, *cells = notebook(folder / f"{name}.md", "URL")["cells"]
    assert "%pip install --quiet ./bpetite/packages/core" in install["source"]
    names: dict[str, Any] = {}
    verdicts = []
    for cell in (one for one in cells if one["cell_type"] == "code"):
        for source in dict.fromkeys([cell["source"], completed(cell)["source"]]):
            if source.startswith("%%writefile"):
                first, _, code = source.partition("\n")
                Path(first.split()[1]).write_text(code, "utf-8")
                number = first[15:17]
                check_file = ("../exercises/check.py", number, f"my_{number}.py")
                done = run(sys.executable, *check_file, cwd=folder)
                assert done.stdout, done.stderr
                verdicts.append(done.stdout.splitlines()[0])
            elif not source.startswith("!"):
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(source, names)  # noqa: S102 - our own pages
                check(text_of(cell), output.getvalue())
    sys.modules.pop("toy", None)
    assert verdicts
    assert {verdict.partition(": ")[2] for verdict in verdicts[::2]} == {"not started"}
    assert {verdict.partition(": ")[2] for verdict in verdicts[1::2]} == {"right"}


@pytest.mark.parametrize("name", ["05-ties", "06-encoding", "11-beside-others"])
def test_a_notebook_runs_without_a_clone(
    name: str, tmp_path: Path, programs_for: Callable[[str], Path]
) -> None:
    """From the address of a repository, a notebook installs what it needs and prints its page.

    These three have exercises, commands, and other libraries. The exercises are solved.
    """
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone there is no address")
    address = ROOT.as_uri()
    done = run(sys.executable, ROOT / "scripts" / "notebooks.py", tmp_path, address)
    assert done.returncode == 0, done.stderr
    path = tmp_path / f"{name}.ipynb"
    made = json.loads(path.read_text("utf-8"))
    made["cells"] = [completed(cell) for cell in made["cells"]]
    path.write_text(json.dumps(made), "utf-8")
    install, *cells = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert f"git clone --quiet --depth 1 {address} " in install["source"]
    programs = programs_for(install["source"])
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = run(programs / "jupyter-execute", "--inplace", path, cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    found = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" in cell]
    for cell, ran in zip(cells, found[1:], strict=True):
        if "check.py" in cell["source"]:
            assert ": right\n" in text_of(ran)
        elif not cell["source"].startswith("%%writefile"):
            check(text_of(cell), text_of(ran))
