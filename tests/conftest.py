"""What the tests share: how hard hypothesis tries, a tokenizer, and Python in its own process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from hypothesis import settings

from bpetite import Tokenizer

PROFILES: Final = {"quick": 200, "thorough": 5_000, "nightly": 20_000}
"""How many examples of each property are tried; BPETITE_PROFILE names the profile."""

for name, max_examples in PROFILES.items():
    settings.register_profile(name, max_examples=max_examples, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("BPETITE_PROFILE", "quick"))


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


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Return the tokenizer with the merges "a" + "b" and " " + "ab"."""
    return Tokenizer.train("ab ab ab", vocab_size=258)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the test, in which the process then stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
