"""The tests' tiers, how many examples Hypothesis tries in each, and common fixtures."""

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
from hypothesis import is_hypothesis_test, settings

from bpetite import Tokenizer

EVERYDAY: Final = "not thorough"
"""The tier in pyproject.toml, which runs unless `-m` selects another."""

PROFILES: Final = {"everyday": 25, "thorough": 200, "release": 5_000, "nightly": 20_000}
"""How many examples Hypothesis tries of each property; BPETITE_PROFILE names the profile."""

for name, max_examples in PROFILES.items():
    settings.register_profile(name, max_examples=max_examples, deadline=None, print_blob=True)

# A background shell starts the tests with Ctrl-C ignored, and nohup with hangups ignored. The
# programs that they start would inherit that and never end.
if sys.platform != "win32":
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            is_ctrl_c = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_ctrl_c else signal.SIG_DFL)


def everyday(config: pytest.Config) -> bool:
    """Return whether only the everyday tests are selected."""
    asked: str = config.option.markexpr
    return EVERYDAY in asked


def pytest_configure(config: pytest.Config) -> None:
    """Set how often each property is tried, from the tier or BPETITE_PROFILE."""
    tier = "everyday" if everyday(config) else "thorough"
    settings.load_profile(os.environ.get("BPETITE_PROFILE", tier))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import thorough test files in everyday runs: their imports may not be installed."""
    if not everyday(config) or collection_path.suffix != ".py":
        return None
    source = collection_path.read_text(encoding="utf-8")
    return "\npytestmark = pytest.mark.thorough\n" in source or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Also run every property in the thorough tier, which tries more examples."""
    for item in items:
        if isinstance(item, pytest.Function):
            if not everyday(config) and is_hypothesis_test(item.obj):
                item.add_marker(pytest.mark.thorough)
            if {"model_files", "tiktoken_cache", "tiny_shakespeare"} & {*item.fixturenames}:
                item.add_marker(pytest.mark.data)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Append the reason of each skip to the file that BPETITE_SKIPPED names, for `.ci/run`."""
    name = os.environ.get("BPETITE_SKIPPED")
    if name and not hasattr(config, "workerinput"):  # the first process has the workers' skips
        with open(name, "a", encoding="utf-8") as file:
            for report in terminalreporter.getreports("skipped"):
                _, _, reason = report.longrepr
                print(reason.removeprefix("Skipped: "), file=file)


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Return a function that runs a program in a new process and returns its output.

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
def synced_by_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the core call `os.fsync` on macOS too, where it calls `fcntl` first."""
    if sys.platform == "darwin":
        monkeypatch.setattr(sys, "platform", "another")


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Disable collection: it calls Hypothesis, which would swallow a planted interrupt."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the test's folder the working directory, and return it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def any_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the files of a property, one after the other."""
    return tmp_path_factory.mktemp("any") / "tokenizer.json"


@pytest.fixture(scope="session")
def tiny_shakespeare() -> Path:
    """Return the path of TinyShakespeare; skip if it is missing."""
    path = Path(os.environ.get("BPETITE_DATA", "")) / "tinyshakespeare.txt"
    if not path.is_file():
        pytest.skip("BPETITE_DATA names no folder with tinyshakespeare.txt")
    return path


@pytest.fixture(scope="session")
def model_files() -> Path:
    """Return the folder of `scripts/download_models.py`; skip if none is named."""
    path = Path(os.environ.get("BPETITE_MODELS") or os.devnull)
    if not path.is_dir():
        pytest.skip("BPETITE_MODELS names no folder with the tokenizers of models")
    return path


@pytest.fixture(scope="session")
def tiktoken_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with links to tiktoken's files, which it uses; skip if there are none.

    tiktoken adds to its folder and removes from it, so it gets its own.
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


@pytest.fixture
def gpt2_merges(tiktoken_cache: Path) -> Path:
    """Return the path of GPT-2's merges, as tiktoken stores them; skip if they are missing."""
    path = tiktoken_cache / "6d1cbeee0f20b3d9449abfede4726ed8212e3aee"
    if not path.is_file():
        pytest.skip("tiktoken's files lack the merges of GPT-2")
    return path
