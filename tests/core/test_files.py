"""Files written part by part: complete or not there.

`test_saving.py` tests, with `Tokenizer.save`, what is common to all written files.
"""

import errno
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from artifacts import names_in
from bpetite._reading import read_file
from bpetite._writing import write_parts

PARTS = [b"the new", b"", b" file", b"!" * 100]
NEW, OLD = b"".join(PARTS), b"old"


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


@pytest.mark.posix
def test_no_descriptor_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every descriptor is closed, after success, after failure and without hard links."""
    before = names_in(Path("/dev/fd"))
    for overwrite in (False, True):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=overwrite)
    with pytest.raises(FileExistsError):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    monkeypatch.setattr(os, "link", refusing(PermissionError(errno.EPERM, "no links here")))
    write_parts(str(tmp_path / "other"), PARTS, overwrite=False)
    assert names_in(Path("/dev/fd")) == before


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
