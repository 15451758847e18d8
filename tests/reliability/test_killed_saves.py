"""Saves that are killed or fail: what is left, and what an error says about it."""

import errno
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

import pytest

from bpetite._inner import write_parts
from failures import Fault, contents_of, no_links

pytestmark = [pytest.mark.posix, pytest.mark.thorough]

OLD: Final = b"the old file"
NEW: Final = bytes(range(256)) * 64
TEMPORARY: Final = re.compile(r"\.bpetite-[0-9a-f]{16}\.tmp")


@pytest.fixture(params=["new", "new without links", "overwrite"])
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a way to save; one is that of a file system without hard links."""
    if "links" in request.param:
        monkeypatch.setattr(os, "link", no_links)
    return str(request.param)


def fresh(path: Path, case: str) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Yield the number of each save, and the files before it."""
    for number in range(1, 10_000):
        for other in path.parent.iterdir():
            other.unlink()
        before = {path.name: OLD} if case == "overwrite" else {}
        for data in before.values():
            path.write_bytes(data)
        yield number, before


def save_and_die(path: Path, case: str, left: int) -> None:
    """Save in this process, and kill it before or after one of its calls, if there are so many."""

    def count_down(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event in {"call", "c_call", "c_return"}
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count_down)
    write_parts(str(path), [NEW], overwrite=case == "overwrite")
    os._exit(0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # the child only saves
def test_a_killed_save_leaves_the_old_file_or_the_new(tmp_path: Path, case: str) -> None:
    """FR-28: killed before or after any call, a save leaves one complete file, and one temporary.

    Without hard links, the new file may be empty. The next save succeeds.
    """
    path, seen = tmp_path / "tokenizer.json", []
    for number, before in fresh(path, case):
        process = os.fork()
        if not process:
            save_and_die(path, case, number)
        killed = os.waitpid(process, 0)[1]
        files = contents_of(tmp_path)
        temporary = [name for name in files if TEMPORARY.fullmatch(name)]
        assert len([files.pop(name) for name in temporary]) <= bool(killed)
        empty = {path.name: b""} if "links" in case else before
        assert files in (before, empty, {path.name: NEW})
        seen.append(files)
        write_parts(str(path), [OLD], overwrite=True)
        assert path.read_bytes() == OLD
        if not killed:
            break
    assert len(seen) > 60
    assert {path.name: NEW} in seen[:-1]
    assert ({path.name: b""} in seen) == ("links" in case)


def test_an_error_says_whether_the_file_is_saved(tmp_path: Path, case: str) -> None:
    """FR-28: after an error of any call the old file is there, unless it says that it is saved."""
    path, said = tmp_path / "tokenizer.json", []
    for number, before in fresh(path, case):
        with pytest.MonkeyPatch.context() as patch:
            fault = Fault(number, OSError(errno.EIO, os.strerror(errno.EIO)))
            fault.put_into(patch)
            try:
                write_parts(str(path), [NEW], overwrite=case == "overwrite")
                said.append("nothing")
            except OSError as error:
                said.append("saved" if "is saved" in str(error) else "not saved")
        assert contents_of(tmp_path) == ({path.name: NEW} if said[-1] != "not saved" else before)
        if fault.left > 0:
            break
    assert {*said} >= {"saved", "not saved", "nothing"}
