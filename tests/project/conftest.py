"""Fixtures for the tests of the project itself."""

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from project_tools import ROOT


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with the files that pages expect in a clone."""
    for folder in ("course", "exercises"):  # their pages import from their own folder
        monkeypatch.syspath_prepend(ROOT / "docs" / folder)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path / "docs")
    for folder in ("tests/vectors", "docs/exercises", "docs/reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with contextlib.chdir(tmp_path):
        yield tmp_path
    sys.modules.pop("toy", None)
