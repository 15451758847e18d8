"""Saving when it is killed, interrupted, raced or refused: a bounded run of the script for it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

SCRIPT = ROOT / "scripts" / "break_saves.py"
LEFT = ", and a temporary file"
NAIVE = f"""
    import importlib.util, json, os, signal, sys

    spec = importlib.util.spec_from_file_location("break_saves", {str(SCRIPT)!r})
    script = importlib.util.module_from_spec(spec)
    sys.modules["break_saves"] = script
    spec.loader.exec_module(script)

    def save(path, data, *, overwrite):
        if not overwrite and os.path.exists(path):
            raise FileExistsError(path)
        with open(path, "wb", buffering=0) as file:
            for start in range(0, len(data), 4096):
                file.write(data[start : start + 4096])

    SECTIONS = {{
        "kill": lambda: script.at_random_instants(signal.SIGKILL, 60, save),
        "interrupt": lambda: script.at_random_instants(signal.SIGINT, 60, save),
        "race": lambda: script.races(200, save),
    }}
    for _ in range(50):  # what is left to chance may take a while on a busy machine
        seen = SECTIONS[sys.argv[1]]()
        if any("wrong" in what for what in seen):
            break
    print(json.dumps(seen))
"""


def broken(*arguments: str) -> dict[str, int]:
    """Run a section of the script, which must find nothing wrong; return what it saw."""
    done = run(sys.executable, SCRIPT, *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


def test_killed_save_leaves_the_old_file_or_the_new() -> None:
    """FR-28: killed at any instant, a save leaves one whole file, and the next one succeeds."""
    seen = broken("kill", "150")
    assert set(seen) <= {state + left for state in ("old", "new") for left in ("", LEFT)}
    assert sum(seen.values()) == 150
    assert len(seen) > 1


def test_interrupted_save_leaves_nothing_else() -> None:
    """FR-28: Ctrl-C at any instant leaves the old file or the new one, and no other."""
    seen = broken("interrupt", "150")
    assert set(seen) == {"old", "new"}
    assert sum(seen.values()) == 150


def test_one_of_two_racing_processes_wins() -> None:
    """FR-27: of two processes that save under one name, one wins, and its file stands."""
    assert broken("race", "200") == {"one won": 200, "file of the winner": 200}


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not on PATH")
@pytest.mark.parametrize("error", ["EIO", "INT"])
def test_every_system_call_may_fail(error: str) -> None:
    """FR-28: whichever call of a save the kernel refuses or a signal meets, nothing is torn."""
    seen = broken("calls", error)
    failures = {"EIO": {"refused: old", "in place: new"}, "INT": {"interrupted: old"}}
    assert failures[error] <= set(seen)
    assert sum(seen.values()) > 20


def may_mount() -> bool:
    """Return whether a process may have a namespace of its own, in which it may mount."""
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp"]  # noqa: S108 - a place that there is
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_mount(), reason="no right to mount, in a namespace either")
def test_disk_of_any_size_that_is_too_small_keeps_the_old_file() -> None:
    """FR-28: a full disk, one without inodes, and a limit on files leave the old file whole."""
    seen = broken("disk")
    assert set(seen) == {"ENOSPC: old", "EFBIG: old", "saved: new"}
    assert seen["ENOSPC: old"] > 10
    assert seen["EFBIG: old"] > 100


@pytest.mark.parametrize("section", ["kill", "interrupt", "race"])
def test_naive_save_is_found_out(run_python: Callable[..., str], section: str) -> None:
    """What saves without care is seen to tear files and to lose races."""
    seen: dict[str, Any] = json.loads(run_python(NAIVE, section))
    assert any("wrong" in what for what in seen)
