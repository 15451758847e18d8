"""Files written part by part, and folders of files: whole or not there.

What holds of every file that is written, `test_saving.py` shows of `Tokenizer.save`.
"""

import errno
import os
import secrets
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from bpetite._files import read_file, write_folder, write_parts

PARTS = [b"the new", b"", b" file", b"!" * 100]
NEW, OLD = b"".join(PARTS), b"old"
PAIR = {"one": b"1", "two": b"2"}
CALLS = ("open", "chmod", "write", "fsync", "link", "replace", "rename", "mkdir", "close")


def names_in(folder: Path) -> list[str]:
    """Return the names of everything in a folder."""
    return sorted(entry.name for entry in folder.iterdir())


def test_parts_make_one_file(tmp_path: Path) -> None:
    """The parts become one file, and its size is returned; no parts make an empty file."""
    assert write_parts(str(tmp_path / "file"), iter(PARTS), overwrite=False) == len(NEW)
    assert write_parts(str(tmp_path / "empty"), [], overwrite=False) == 0
    assert (tmp_path / "file").read_bytes() == NEW
    assert (tmp_path / "empty").read_bytes() == b""
    assert names_in(tmp_path) == ["empty", "file"]


def no_links(*_: object) -> None:
    """Refuse to link, as a file system without hard links does."""
    raise PermissionError(errno.EPERM, "no links here")


@pytest.mark.parametrize("content", [OLD, b""])
@pytest.mark.parametrize("hard_links", [True, False])
def test_a_file_that_appears_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hard_links: bool, content: bytes
) -> None:
    """A file that another process makes while this one is written is not replaced."""
    path = tmp_path / "file"
    if not hard_links:
        monkeypatch.setattr(os, "link", no_links)

    def parts() -> Iterator[bytes]:
        yield b"new"
        path.write_bytes(content)

    with pytest.raises(FileExistsError) as caught:
        write_parts(str(path), parts(), overwrite=False)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == content
    assert names_in(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "a bad disk"), ValueError("bad text")])
def test_what_the_parts_raise_comes_out_as_it_is(tmp_path: Path, error: Exception) -> None:
    """A failure to read is not told as one to write, and leaves no file."""

    def parts() -> Iterator[bytes]:
        yield b"new"
        raise error

    with pytest.raises(type(error)) as caught:
        write_parts(str(tmp_path / "file"), parts(), overwrite=False)
    assert caught.value is error
    assert getattr(error, "filename", None) is None
    assert names_in(tmp_path) == []


def test_a_system_that_takes_little_at_once_is_given_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of which only some bytes are taken is gone on with."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, part: write(descriptor, part[:7]))
    write_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    assert (tmp_path / "file").read_bytes() == NEW


@pytest.mark.parametrize("call", ["open", "chmod", "write", "fsync", "replace"])
def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path, call: str) -> None:
    """Whatever the system refuses, the error names the file, and not the temporary one."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    for named in (None, str(tmp_path / ".bpetite-0123456789abcdef.tmp")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(secrets, "token_hex", lambda _: "0123456789abcdef")
            error = OSError(errno.EIO, "no", named)
            patch.setattr(os, call, failing(call, 1, error, after=False))
            with pytest.raises(OSError, match="no") as caught:
                write_parts(str(path), PARTS, overwrite=True)
        assert (caught.value.filename, caught.value.filename2) == (str(path), None)


def test_a_folder_is_made_whole(tmp_path: Path) -> None:
    """A folder is made with both files, in an empty one too; one with something in it stays."""
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


def test_no_file_of_a_folder_is_replaced_where_one_cannot_be(tmp_path: Path) -> None:
    """What stands in the way of the second file is found before the first is replaced."""
    (tmp_path / "one").write_bytes(OLD)
    (tmp_path / "two").mkdir()
    with pytest.raises(IsADirectoryError):
        write_folder(str(tmp_path), PAIR, overwrite=True)
    assert (tmp_path / "one").read_bytes() == OLD


def failing(call: str, number: int, error: BaseException, *, after: bool) -> Callable[..., object]:
    """Return a call of `os` that fails at this number of calls, before its work or after it."""
    real = getattr(os, call)
    left = [number]

    def maybe(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == 0 and not after:
            raise error
        result = real(*arguments, **options)
        if left[0] == 0:
            raise error
        return result

    return maybe


def check_old_or_new(folder: Path) -> None:
    """Check that the file is old or new, the folder whole or missing, and nothing else left."""
    assert set(names_in(folder)) <= {"file", "folder"}
    if (folder / "file").exists():
        assert (folder / "file").read_bytes() in {NEW, OLD}
    if (folder / "folder").exists():
        assert names_in(folder / "folder") == ["one", "two"]


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "failure",
    [
        (OSError(errno.ENOSPC, "No space"), False),
        (KeyboardInterrupt(), False),
        (KeyboardInterrupt(), True),
        (MemoryError(), False),
    ],
    ids=repr,
)
def test_a_failure_leaves_nothing_half_done(
    call: str, number: int, failure: tuple[BaseException, bool], tmp_path: Path
) -> None:
    """Whichever call fails, what is there is old or new, and nothing else is left."""
    error, after = failure
    for case in ("new file", "old file", "folder"):
        place = tmp_path / case
        place.mkdir()
        if case == "old file":
            (place / "file").write_bytes(OLD)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, call, failing(call, number, error, after=after))
            with suppress(OSError, KeyboardInterrupt, MemoryError):
                if case == "folder":
                    write_folder(str(place / "folder"), PAIR, overwrite=False)
                else:
                    write_parts(str(place / "file"), PARTS, overwrite=case == "old file")
        check_old_or_new(place)
        assert case != "old file" or (place / "file").exists()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_an_interrupt_at_any_point_leaves_nothing_half_done(tmp_path: Path, what: str) -> None:
    """Ctrl-C wherever Python looks for it, at each call's start and end, is harmless."""
    number, left = 0, 0

    def count_down(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event in {"call", "c_return"}
        if left == 0:
            raise KeyboardInterrupt

    while left <= 0:
        number += 1
        place = tmp_path / str(number)
        place.mkdir()
        left = number
        with suppress(KeyboardInterrupt):
            sys.setprofile(count_down)
            if what == "folder":
                write_folder(str(place / "folder"), PAIR, overwrite=False)
            else:
                write_parts(str(place / "file"), iter(PARTS), overwrite=False)
            sys.setprofile(None)  # so does any exception that leaves it
        check_old_or_new(place)
    assert number > 40


def test_every_file_of_a_folder_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folder are synced before the folder takes its name, and its parent after."""
    steps: list[str] = []
    for call in ("fsync", "rename"):
        real = getattr(os, call)

        def note(
            *arguments: object, name: str = call, real: Callable[..., object] = real
        ) -> object:
            steps.append(name)
            return real(*arguments)

        monkeypatch.setattr(os, call, note)
    write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert steps == ["fsync", "fsync", "fsync", "rename", "fsync"]


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Every descriptor is closed, after success and after failure."""
    before = names_in(Path("/dev/fd"))
    for overwrite in (False, True):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=overwrite)
        write_folder(str(tmp_path / "folder"), PAIR, overwrite=overwrite)
    with pytest.raises(FileExistsError):
        write_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert names_in(Path("/dev/fd")) == before


def test_one_of_several_folders_wins(tmp_path: Path) -> None:
    """Of threads that write a folder under one name at once, one succeeds, and its files stay."""
    for attempt in range(20):
        place = tmp_path / str(attempt)
        won: list[int] = []
        barrier = threading.Barrier(4)

        def write(
            number: int,
            place: Path = place,
            won: list[int] = won,
            barrier: threading.Barrier = barrier,
        ) -> None:
            barrier.wait()
            with suppress(FileExistsError):
                write_folder(str(place), {"one": b"%d" % number}, overwrite=False)
                won.append(number)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = won
        assert (place / "one").read_bytes() == b"%d" % winner


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """Its size alone refuses a file over the limit: none of it is brought into memory."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)  # sparse: it takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is larger than 67108864 bytes, the most that is"):
            read_file(str(path), 64 << 20)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
