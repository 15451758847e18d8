"""Fixtures for the tests of the project itself."""

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from project_tools import ROOT, build_site


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder that holds what a clone does of the pages' files."""
    for folder in ("course", "exercises"):  # their pages import from the folder they are in
        monkeypatch.syspath_prepend(ROOT / "docs" / folder)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path / "docs")
    for folder in ("tests/vectors", "docs/exercises", "docs/reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with contextlib.chdir(tmp_path):
        yield tmp_path
    sys.modules.pop("toy", None)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built from the pages as they are."""
    folder = tmp_path_factory.mktemp("site")
    result = build_site(ROOT / "docs", folder)
    assert (result.returncode, result.stderr) == (0, "")
    return folder
