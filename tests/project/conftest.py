"""Fixtures for the tests of the project itself."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_tools import BPETITE
from project_tools import ROOT, Gate, run


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with the files that pages expect in a clone."""
    for folder in ("course", "exercises"):  # their pages import from their own folder
        monkeypatch.syspath_prepend(ROOT / "docs" / folder)
    (tmp_path / "docs").mkdir()
    for name in ("sample.txt", "vocabulary-size.json"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    for folder in ("tests/vectors", "docs/exercises", "docs/reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with contextlib.chdir(tmp_path):
        yield tmp_path
    sys.modules.pop("toy", None)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `bpetite` a command of a shell, and keep other libraries in the test's folder."""
    monkeypatch.setenv("PATH", f"{Path(BPETITE).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Return a function that runs `.ci/run` in a small repository where uv only writes its calls.

    It takes the part to run and a pattern of the calls of uv that fail, and returns the exit
    status, the output and the calls.
    """
    for name in (".ci/run", "packages/core/pyproject.toml", "uv.lock", "docs/install.md"):
        (tmp_path / "repository" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "repository" / name)
    git = ("git", "-C", tmp_path / "repository", "-c", "user.name=a", "-c", "user.email=b")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=c"]):
        assert run(*git, *words).returncode == 0
    calls = tmp_path / "calls"
    uv = f'() {{ echo "$*" >> {calls}; case "$*" in $FAILING) return 1 ;; esac; }}'
    functions = {"uv": uv, "uvx": uv, "cmp": "() { cat > /dev/null; }"}  # nothing was trained
    exported = {f"BASH_FUNC_{name}%%": body for name, body in functions.items()}

    def run_gate(*part: str, failing: str = "") -> tuple[int, str, list[str]]:
        calls.write_text("")
        environment = {**exported, "FAILING": failing}
        done = run("bash", tmp_path / "repository/.ci/run", *part, env=environment)
        return done.returncode, done.stdout, calls.read_text().splitlines()

    return run_gate
