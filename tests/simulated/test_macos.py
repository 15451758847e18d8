"""The simulation of macOS; its docstring says what it cannot see."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

MACOS: Final = Path(__file__).parent / "macos"


def on_macos(*command: str | Path) -> str:
    """Run a command in the simulation, which has to succeed, and return its output."""
    done = subprocess.run(
        [sys.executable, MACOS, *command], capture_output=True, check=True, timeout=60
    )
    return done.stdout.decode()


def test_python_lacks_what_macos_lacks() -> None:
    """Paths and names of Linux are absent; the standard library and /dev/fd work."""
    program = """
        import asyncio, multiprocessing, os, resource, select, shutil, signal, sys, tempfile
        from pathlib import Path
        paths = ["/proc", b"/proc/self/status", "/sys", "/dev/full", Path("/dev/../proc")]
        calls = [os.stat, os.lstat, os.listdir, os.scandir, open, os.readlink, os.chdir]
        for call in calls:
            for path in paths:
                try:
                    print("exists:", call(path))
                except FileNotFoundError as error:
                    assert os.fspath(error.filename) == os.fspath(path)
        assert not any(os.access(path, os.F_OK) or os.path.exists(path) for path in paths)
        names = [(os, "sched_getaffinity"), (os, "fdatasync"), (os, "pipe2"),
                 (os, "posix_fallocate"), (os, "memfd_create"), (resource, "prlimit"),
                 (signal, "sigtimedwait"), (signal, "SIGPWR"), (select, "epoll")]
        print([name for module, name in names if hasattr(module, name)])
        resource.setrlimit(resource.RLIMIT_AS, (1, 1))
        with tempfile.TemporaryDirectory() as folder:
            assert os.path.realpath(folder) != folder
            shutil.copytree(os.path.dirname(multiprocessing.__file__), folder + "/copy")
        asyncio.run(asyncio.sleep(0))
        print(multiprocessing.get_context("spawn").Pipe()[0].writable, os.listdir("/dev/fd")[:3])
    """
    shown = on_macos("python", "-c", dedent(program))
    assert shown.splitlines() == ["[]", "True ['0', '1', '2']"]


@pytest.mark.parametrize("program", ["setsid", "timeout", "sha256sum", "prlimit", "taskset"])
def test_programs_of_linux_are_not_on_the_path(program: str) -> None:
    """A program that macOS does not ship is not found."""
    assert on_macos("sh", "-c", f"command -v {program} || echo none") == "none\n"


def test_processes_are_listed() -> None:
    """`ps` and `pgrep` work, although they read /proc themselves."""
    shown = on_macos("sh", "-c", "ps -o command= -p $$; pgrep -P $PPID")
    command, number = shown.splitlines()
    assert command.startswith("sh -c ps")
    assert number.isdecimal()
