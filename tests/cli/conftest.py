"""Fixtures for the tests of the command line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder whose packages count as installed in this process, before all others."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in sys.modules.keys() - known:
        if Path(getattr(sys.modules[name], "__file__", None) or "").is_relative_to(tmp_path):
            del sys.modules[name]
