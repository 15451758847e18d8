"""Start the real `bpetite` and look at what it writes and how it ends."""

import os
import subprocess
import sysconfig
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

__all__ = ["BPETITE", "bpetite", "in_terminal", "lines", "pipeline", "shown_in_terminal"]

BPETITE = str(Path(sysconfig.get_path("scripts")) / "bpetite")


def bpetite(
    *arguments: str | os.PathLike[str] | bytes,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `bpetite` to its end; `env` is added to the environment."""
    return subprocess.run(
        [BPETITE, *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=60,
        check=False,
    )


def lines(output: bytes) -> list[str]:
    """Return the lines of an output."""
    return output.decode("utf-8").splitlines()


def pipeline(command: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, with the `bpetite` of this environment first on the path."""
    path = f"{Path(BPETITE).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env={**os.environ, "PATH": path},
        cwd=cwd,
        timeout=60,
        check=False,
    )


def in_terminal(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """Run `bpetite` with a terminal as its standard error.

    Returns:
        The exit status, standard output, and what the terminal was sent.
    """
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **(env or {})}
    with subprocess.Popen(
        [BPETITE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment,
        cwd=cwd,
    ) as process:
        os.close(theirs)
        drawn = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not read:
                break
            drawn += read
        output = process.stdout.read() if process.stdout else b""
        status = process.wait(timeout=60)
    os.close(ours)
    return status, output, drawn


def shown_in_terminal(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, columns: int = 80
) -> tuple[int, str]:
    """Run `bpetite` with a terminal as its standard output, which errors are sent to as well.

    Returns:
        The exit status, and what the terminal was sent.
    """
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    own = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}}
    with subprocess.Popen(
        [BPETITE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**own, "TERM": "xterm-256color", **(env or {})},
        cwd=cwd,
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux says so when the other end is closed
            while read := os.read(ours, 65536):
                shown += read
        status = process.wait(timeout=60)
    os.close(ours)
    return status, shown.decode("utf-8").replace("\r\n", "\n")
