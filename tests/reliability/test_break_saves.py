"""Saves that are killed, interrupted or fail: short runs of the script."""

import json
import shutil
import sys
from typing import Final

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

SCRIPTS: Final = ROOT / "scripts"
LEFT: Final = ", and a temporary file"


def broken(*arguments: str) -> dict[str, int]:
    """Run a section of the script, which must find nothing wrong; return its output."""
    done = run(sys.executable, SCRIPTS / "reliability" / "break_saves.py", *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


def test_a_killed_save_leaves_the_old_file_or_the_new() -> None:
    """FR-28: killed at any instant, a save leaves one complete file, and the next one succeeds."""
    seen = broken("kill", "150")
    assert set(seen) <= {state + left for state in ("old", "new") for left in ("", LEFT)}
    assert sum(seen.values()) == 150


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not on PATH")
@pytest.mark.parametrize(
    ("error", "failures"),
    [
        ("EIO", {"refused: old", "unsynced: new"}),
        ("INT", {"interrupted: old"}),
        ("KILL", {"died: old", f"died: empty{LEFT}"}),
    ],
)
def test_every_system_call_may_fail(error: str, failures: set[str]) -> None:
    """FR-28: no fault of a call tears a file; only a kill without hard links may leave it empty."""
    seen = broken("calls", error)
    assert failures <= set(seen)
    assert sum(seen.values()) > 20
