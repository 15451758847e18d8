"""What the tests share: how hard hypothesis tries, tokenizers, and Python in its own process."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
import tiktoken
import tiktoken.load
from hypothesis import settings

from bpetite import Tokenizer
from compare_tools import CORPUS

PROFILES: Final = {"quick": 200, "thorough": 5_000, "nightly": 20_000}
"""How many examples of each property are tried; BPETITE_PROFILE names the profile."""

for name, max_examples in PROFILES.items():
    settings.register_profile(name, max_examples=max_examples, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("BPETITE_PROFILE", "quick"))

# A shell that puts the tests into the background has them ignore Ctrl-C, and nohup a hangup.
# The programs that they start would ignore it, too, and never end.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Return a function that runs a program in a new process and returns what it printed.

    It takes the program, its arguments, the folder to run it in, its standard input, and by
    name what to add to its environment. The program must succeed and print no error.
    """

    def run(
        program: str,
        *arguments: str,
        folder: Path | None = None,
        stdin: str = "",
        **environment: str,
    ) -> str:
        done = subprocess.run(
            [sys.executable, "-c", dedent(program), *arguments],
            check=False,
            capture_output=True,
            cwd=folder,
            input=stdin,
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
def uncollected() -> Iterator[None]:
    """Hold the collector back: it calls Hypothesis, in which a planted interrupt would be lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the test, in which the process then stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the artifact of a small tokenizer."""
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    Tokenizer.train(CORPUS, 340).save(path)
    return path


@pytest.fixture(scope="session")
def tiktoken_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with links to tiktoken's files, in which it looks; skip where none are.

    tiktoken adds to its folder and removes from it, so it gets one of its own.
    """
    data = os.environ.get("BPETITE_DATA")
    named = os.environ.get("TIKTOKEN_CACHE_DIR")
    source = Path(named) if named else Path(data or os.devnull) / "tiktoken-cache"
    if not source.is_dir():
        pytest.skip("neither TIKTOKEN_CACHE_DIR nor BPETITE_DATA names tiktoken's files")
    folder = tmp_path_factory.mktemp("tiktoken-cache")
    for file in source.iterdir():
        (folder / file.name).symlink_to(file.resolve())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def encoding_named(tiktoken_cache: Path) -> Callable[[str], tiktoken.Encoding]:
    """Return a function that gets an encoding from the files, or skips the test."""

    def get(name: str) -> tiktoken.Encoding:
        def refuse(path: str) -> bytes:
            pytest.skip(f"{tiktoken_cache} has no {path}")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tiktoken.load, "read_file", refuse)
            return tiktoken.get_encoding(name)

    return get
