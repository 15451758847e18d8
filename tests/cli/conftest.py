"""Fixtures for the tests of the command line."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer

import pytest

from bpetite import Tokenizer
from cli_tools import LARGE, LINE, A, B
from help_tools import prepare_files


@pytest.fixture(autouse=True)
def _width_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore the width of the terminal that the tests were started in."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    Tokenizer.train("Hello world, hello words. 船夫说 船夫 ⛵⛵", 290).save(path)
    return path


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the examples of the help use."""
    folder = tmp_path_factory.mktemp("prepared") / "files"
    prepare_files(folder)
    return folder


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a text large enough for several processes, and its tokenizer."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "text.txt").write_bytes(LARGE.encode())
    Tokenizer.train(LINE, 400).save(folder / "tokenizer.json")
    return folder


@pytest.fixture
def folder(here: Path, prepared: Path) -> Path:
    """Make a copy of that folder the working directory, and return it."""
    shutil.copytree(prepared, here, dirs_exist_ok=True)
    return here


@pytest.fixture
def small(here: Path, model: Path) -> Path:
    """Return the working directory, with a tokenizer and the texts A and B."""
    shutil.copy(model, "m.json")
    (here / "a.txt").write_bytes(A.encode())
    (here / "b.txt").write_bytes(B.encode())
    return here


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that installs a package in the test's folder, for this process.

    It takes the name, which hides a real package, and the code of a module whose function
    `add` adds a command, or is an entry point of another group.
    """
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)

    def install(name: str, code: str = "", group: str = "bpetite.commands") -> None:
        info = tmp_path / f"{name}-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
        if code:
            (tmp_path / f"{name}.py").write_text(code)
            (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}:add\n")

    yield install
    for name in sys.modules.keys() - known:
        if Path(getattr(sys.modules[name], "__file__", None) or "").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def bar_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw a bar from the start, which would appear after a second."""

    def start(timer: Timer) -> None:
        assert timer.interval == 1
        try:
            timer.function()
        except RuntimeError as error:
            pytest.fail(f"the thread of the timer would print {error!r}")

    monkeypatch.setattr(Timer, "start", start)
