"""Fixtures for the tests of the core."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Return a function that runs a program in a new process and returns what it printed.

    It takes the program, its arguments, the folder to run it in, and by name what to add to
    its environment. The program must succeed and print no error.
    """

    def run(program: str, *arguments: str, folder: Path | None = None, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", dedent(program), *arguments],
            check=False,
            capture_output=True,
            cwd=folder,
            encoding="utf-8",
            env={**os.environ, **environment},
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run
