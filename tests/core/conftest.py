"""A fixture for the tests of the core."""

import sys

import pytest


@pytest.fixture
def synced_by_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the core call `os.fsync` on macOS too, where it calls `fcntl` first."""
    if sys.platform == "darwin":
        monkeypatch.setattr(sys, "platform", "another")
