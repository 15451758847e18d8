"""Files written part by part, and folders of files: complete or not there.

`test_saving.py` tests, with `Tokenizer.save`, what is common to all written files.
"""

import errno
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from artifacts import names_in
from bpetite._files import read_file, write_folder, write_parts

PARTS = [b"the new", b"", b" file", b"!" * 100]
NEW, OLD = b"".join(PARTS), b"old"
PAIR = {"one": b"1", "two": b"2"}


def test_parts_make_one_file(tmp_path: Path) -> None:
    """The parts become one file, and its size is returned; no parts make an empty file."""
    assert write_parts(str(tmp_path / "file"), iter(PARTS), overwrite=False) == len(NEW)
    assert write_parts(str(tmp_path / "empty"), [], overwrite=False) == 0
    assert (tmp_path / "file").read_bytes() == NEW
    assert (tmp_path / "empty").read_bytes() == b""
    assert names_in(tmp_path) == ["empty", "file"]


def refusing(error: Exception) -> Callable[..., object]:
    """Return a function that raises a system error."""

    def refuse(*_: object, **__: object) -> object:
        raise error

    return refuse


@pytest.mark.parametrize("error", [OSError(errno.EIO, "a bad disk"), ValueError("bad text")])
def test_errors_of_the_parts_propagate(tmp_path: Path, error: Exception) -> None:
    """An error while producing parts is not reported as a write error, and leaves no file."""

    def parts() -> Iterator[bytes]:
        yield b"new"
        raise error

    with pytest.raises(type(error)) as caught:
        write_parts(str(tmp_path / "file"), parts(), overwrite=False)
    assert caught.value is error
    assert getattr(error, "filename", None) is None
    assert names_in(tmp_path) == []


def test_partial_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a partial write, the rest is written."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, part: write(descriptor, part[:7]))
    write_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    assert (tmp_path / "file").read_bytes() == NEW


@pytest.mark.usefixtures("synced_by_fsync")
@pytest.mark.parametrize(
    "call", ["open", pytest.param("chmod", marks=pytest.mark.posix), "write", "fsync", "replace"]
)
def test_an_error_names_the_requested_file(tmp_path: Path, call: str) -> None:
    """The error names the requested file, not the temporary one."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    for named in (None, str(tmp_path / ".bpetite-0123456789abcdef.tmp")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "urandom", lambda _: bytes.fromhex("0123456789abcdef"))
            patch.setattr(os, call, refusing(OSError(errno.EIO, "no", named)))
            with pytest.raises(OSError, match="no") as caught:
                write_parts(str(path), PARTS, overwrite=True)
        assert str(caught.value) == f"[Errno 5] no: {str(path)!r}"


def test_folder_gets_both_files(tmp_path: Path) -> None:
    """A new or empty folder gets both files; a folder with other content is unchanged."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(OLD)
    write_folder(str(tmp_path / "empty"), PAIR, overwrite=False)
    write_folder(f"{tmp_path / 'new'}/", PAIR, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder(str(tmp_path / "full"), PAIR, overwrite=False)
    assert names_in(tmp_path / "full") == ["mine"]
    write_folder(str(tmp_path / "full"), PAIR, overwrite=True)
    assert names_in(tmp_path / "full") == ["mine", "one", "two"]
    for name in ("empty", "new", "full"):
        assert {key: (tmp_path / name / key).read_bytes() for key in PAIR} == PAIR
    assert names_in(tmp_path) == ["empty", "full", "new"]
    with pytest.raises(FileNotFoundError):
        write_folder(str(tmp_path / "missing" / "new"), PAIR, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder("/", PAIR, overwrite=False)


def test_a_folder_is_checked_before_any_replacement(tmp_path: Path) -> None:
    """An obstacle to the second file is found before the first is replaced."""
    (tmp_path / "one").write_bytes(OLD)
    (tmp_path / "two").mkdir()
    with pytest.raises(IsADirectoryError):
        write_folder(str(tmp_path), PAIR, overwrite=True)
    assert (tmp_path / "one").read_bytes() == OLD


@pytest.mark.posix
@pytest.mark.usefixtures("synced_by_fsync")
def test_every_file_of_a_folder_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folder are synced before the folder is renamed, and its parent afterward."""
    steps: list[str] = []

    def observe(call: str, real: Callable[..., None]) -> None:
        def observed(*arguments: object) -> None:
            steps.append(call)
            real(*arguments)

        monkeypatch.setattr(os, call, observed)

    observe("fsync", os.fsync)
    observe("rename", os.rename)
    write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert steps == ["fsync", "fsync", "fsync", "rename", "fsync"]


@pytest.mark.posix
def test_no_descriptor_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every descriptor is closed, after success, after failure and without hard links."""
    before = names_in(Path("/dev/fd"))
    for overwrite in (False, True):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=overwrite)
        write_folder(str(tmp_path / "folder"), PAIR, overwrite=overwrite)
    with pytest.raises(FileExistsError):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    monkeypatch.setattr(os, "link", refusing(PermissionError(errno.EPERM, "no links here")))
    write_parts(str(tmp_path / "other"), PARTS, overwrite=False)
    assert names_in(Path("/dev/fd")) == before


def test_one_of_several_folders_wins(tmp_path: Path) -> None:
    """If threads write one folder at the same time, one succeeds, and its files stay."""
    barrier = threading.Barrier(4)

    def write(place: Path, content: bytes) -> bytes | None:
        barrier.wait(timeout=60)
        with suppress(FileExistsError):
            write_folder(str(place), {"one": content}, overwrite=False)
            return content
        return None

    with ThreadPoolExecutor(4) as threads:
        for attempt in range(20):
            place = tmp_path / str(attempt)
            won = threads.map(write, [place] * 4, [b"0", b"1", b"2", b"3"])
            assert [*filter(None, won)] == [(place / "one").read_bytes()]


def test_a_too_large_file_is_not_read(tmp_path: Path) -> None:
    """Its size alone is enough to reject a file over the limit: none of it is read."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)  # sparse: it takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is larger than 67108864 bytes, the maximum"):
            read_file(str(path), 64 << 20)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
