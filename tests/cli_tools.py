"""Call `bpetite` in this process, or start it as its users do, and look at what it writes."""

import logging
import os
import signal
import subprocess
import sys
import sysconfig
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Final

import pytest

from bpetite_cli import main

__all__ = [
    "BPETITE",
    "bpetite",
    "bpetite_process",
    "in_terminal",
    "lines",
    "pipeline",
    "shown_in_terminal",
]

BPETITE: Final = str(Path(sysconfig.get_path("scripts")) / "bpetite")

_READ_AT_START: Final = ("PYTHON", "LC_", "LANG")
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TEMPORARY: Final = gettempdir()


def bpetite(
    *arguments: str | os.PathLike[str] | bytes,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `bpetite` to its end in this process; `env` is added to the environment.

    Files replace the descriptors 0, 1 and 2, and everything that the command changes is
    restored afterwards. A process of its own takes a hundred times as long.
    """
    too_late = [name for name in env or {} if name.startswith(_READ_AT_START)]
    assert not too_late, f"Python reads {too_late} when it starts: use bpetite_process"
    words = [BPETITE, *map(os.fsdecode, arguments)]
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile(dir=_TEMPORARY)) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        with _signals_and_loggers_restored(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", words)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            if cwd is not None:
                patch.chdir(cwd)
            with _standard_streams(files, patch):
                status = main()
        output, errors = map(_content, files[1:])
    return subprocess.CompletedProcess(words, status, output, errors)


@contextmanager
def _standard_streams(files: Sequence[IO[bytes]], patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replace the descriptors 0, 1 and 2 by files, and Python's streams by new ones."""
    sys.stdout.flush()
    sys.stderr.flush()
    with ExitStack() as stack:
        for number, file in enumerate(files):
            stack.callback(_put_back, os.dup(number), number)
            os.dup2(file.fileno(), number)
        for number, (name, mode, errors) in enumerate(
            [("stdin", "r", "strict"), ("stdout", "w", "strict"), ("stderr", "w", "backslashreplace")]
        ):
            stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)
            patch.setattr(sys, name, stack.enter_context(stream))
        yield


def _put_back(kept: int, number: int) -> None:
    os.dup2(kept, number)
    os.close(kept)


@contextmanager
def _signals_and_loggers_restored() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    logger = logging.getLogger("bpetite")
    level, propagate, listening = logger.level, logger.propagate, logger.handlers[:]
    raising = logging.raiseExceptions
    try:
        yield
    finally:
        logging.raiseExceptions = raising
        logger.setLevel(level)
        logger.propagate, logger.handlers = propagate, listening
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def bpetite_process(
    *arguments: str | os.PathLike[str] | bytes,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Start the installed `bpetite` and wait for its end; `env` is added to the environment."""
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
