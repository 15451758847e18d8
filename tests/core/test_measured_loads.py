"""Loading of large hostile files: a run of the script for it, on small ones."""

import sys

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

SCRIPT = ROOT / "scripts" / "measure_loads.py"


def test_memory_is_bounded_by_the_file() -> None:
    """Whatever is in a file, loading it takes at most 30 times its size, and 50 MB."""
    done = run(sys.executable, SCRIPT, "1.5")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    rows = done.stdout.splitlines()[2:]
    assert len(rows) > 30
    assert [row for row in rows if "| 0 | 0.0 |" not in row] != []
