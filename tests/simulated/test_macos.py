"""The simulation of macOS; its docstring says what it cannot see."""

import subprocess
import sys
from pathlib import Path


def test_what_macos_lacks_is_missing() -> None:
    """Paths, names and programs of Linux are absent; /dev/fd, `ps` and temporary files work."""
    program = """import os, subprocess, tempfile
present = [path for path in ("/proc", "/sys", "/dev/full") if os.path.exists(path)]
print(present, hasattr(os, "sched_getaffinity"), bool(os.listdir("/dev/fd")), flush=True)
print(os.path.realpath(tempfile.gettempdir()) != tempfile.gettempdir(), flush=True)
subprocess.run("command -v setsid || ps -o command= -p $$", shell=True)
"""
    done = subprocess.run(
        [sys.executable, Path(__file__).parent / "macos", "python", "-c", program],
        capture_output=True,
        check=True,
        timeout=60,
    )
    shown = done.stdout.decode().splitlines()
    assert shown == ["[] False True", "True", shown[-1]]
    assert shown[-1].startswith(("sh -c", "/bin/sh -c"))
