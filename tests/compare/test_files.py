"""The files of exports: whole or not there, and nothing overwritten unasked."""

import errno
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from bpetite_compare._files import write_file, write_folder

NEW, OLD = b"the new file", b"old"
PAIR = {"one": b"1", "two": b"2"}


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Hold the umask of this process at a value."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def names_in(folder: Path) -> list[str]:
    """Return the names of all that stands in a folder."""
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("mask", [0o022, 0o077, 0])
def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path, mask: int, overwrite: bool) -> None:
    """A new file, and those of a new folder, have the permissions that any new file has."""
    with umask(mask):
        write_file(str(tmp_path / "file"), NEW, overwrite=overwrite)
        write_folder(str(tmp_path / "folder"), PAIR, overwrite=overwrite)
    assert (tmp_path / "file").read_bytes() == NEW
    assert mode_of(tmp_path / "file") == mode_of(tmp_path / "folder" / "one") == 0o666 & ~mask
    assert mode_of(tmp_path / "folder") == 0o777 & ~mask
    assert names_in(tmp_path) == ["file", "folder"]


def test_an_existing_file_is_kept_or_replaced_with_its_mode(tmp_path: Path) -> None:
    """Unasked an existing file stays; asked, it is replaced and keeps its permissions."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o640)
    with pytest.raises(FileExistsError):
        write_file(str(path), NEW, overwrite=False)
    assert path.read_bytes() == OLD
    write_file(str(path), NEW, overwrite=True)
    assert (path.read_bytes(), mode_of(path), path.stat().st_nlink) == (NEW, 0o640, 1)
    assert names_in(tmp_path) == ["file"]


def test_a_link_is_kept_or_written_through(tmp_path: Path) -> None:
    """Unasked a link stays, a dangling one too; asked, its target is written and it stays."""
    (tmp_path / "target").write_bytes(OLD)
    for name, target in (("link", "target"), ("dangling", "made")):
        link = tmp_path / name
        link.symlink_to(target)
        with pytest.raises(FileExistsError):
            write_file(str(link), NEW, overwrite=False)
        write_file(str(link), NEW, overwrite=True)
        assert link.is_symlink()
        assert (tmp_path / target).read_bytes() == NEW
    assert names_in(tmp_path) == ["dangling", "link", "made", "target"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    """A FIFO, a folder and a device stay what they are."""
    os.mkfifo(fifo := tmp_path / "fifo")
    (folder := tmp_path / "folder").mkdir()
    for path in (fifo, folder, Path(os.devnull)):
        kind = stat.S_IFMT(path.stat().st_mode)
        with pytest.raises(OSError, match=r"exists|Is a directory|No regular file"):
            write_file(str(path), NEW, overwrite=overwrite)
        assert stat.S_IFMT(path.stat().st_mode) == kind
    with pytest.raises(FileExistsError):
        write_folder(str(fifo), PAIR, overwrite=overwrite)
    assert names_in(tmp_path) == ["fifo", "folder"]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", FileNotFoundError),
        ("folder/", IsADirectoryError),
        ("missing/x", FileNotFoundError),
        ("y" * 256, OSError),
    ],
)
def test_a_path_that_names_no_file_is_refused(
    here: Path, name: str, error: type[Exception], overwrite: bool
) -> None:
    """A path at which no file can stand raises its error, and nothing is made anywhere."""
    (here / "folder").mkdir()
    with pytest.raises(error) as caught:
        write_file(name, NEW, overwrite=overwrite)
    assert ".bpetite" not in str(caught.value)
    assert names_in(here) == ["folder"]
    assert names_in(here / "folder") == []


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


CALLS = ("open", "fsync", "link", "replace", "rename", "mkdir")


def failing(call: str, number: int, error: BaseException) -> Callable[..., object]:
    """Return a call of `os` that fails the time that is told."""
    real = getattr(os, call)
    left = [number]

    def maybe(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            raise error
        return real(*arguments, **options)

    return maybe


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt(), MemoryError()], ids=repr
)
def test_a_failure_leaves_nothing_half_done(
    call: str, number: int, error: BaseException, overwrite: bool, tmp_path: Path
) -> None:
    """Whichever call fails, a file is old or new, a folder there or not, and no other left."""
    path = tmp_path / "file"
    if overwrite:
        path.write_bytes(OLD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, call, failing(call, number, error))
        with suppress(OSError, KeyboardInterrupt, MemoryError):
            write_file(str(path), NEW, overwrite=overwrite)
        with suppress(OSError, KeyboardInterrupt, MemoryError):
            write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert not path.exists() or path.read_bytes() in {OLD, NEW}
    assert path.exists() or not overwrite
    assert set(names_in(tmp_path)) <= {"file", "folder"}
    if (tmp_path / "folder").exists():
        assert names_in(tmp_path / "folder") == ["one", "two"]


@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("what", ["new", "overwrite", "folder"])
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
        path = place / "it"
        if what == "overwrite":
            path.write_bytes(OLD)
        left = number
        with suppress(KeyboardInterrupt):
            sys.setprofile(count_down)
            if what == "folder":
                write_folder(str(path), PAIR, overwrite=False)
            else:
                write_file(str(path), NEW, overwrite=what == "overwrite")
            sys.setprofile(None)  # so is it by an exception that comes out of it
        assert set(names_in(place)) <= {"it"}
        assert what != "folder" or not path.exists() or names_in(path) == ["one", "two"]
        assert what == "folder" or not path.exists() or path.read_bytes() in {NEW, OLD}
        assert path.exists() or what != "overwrite"
    assert number > 40


def test_a_folder_that_fails_to_sync_is_told_with_the_file_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails after the file has its name says that the file is there."""
    for call, number in (("fsync", 2), ("close", 1)):
        path = tmp_path / call
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing(call, number, OSError(errno.EIO, "no")))
            with pytest.raises(OSError, match="The file is in place"):
                write_file(str(path), NEW, overwrite=False)
        assert path.read_bytes() == NEW


def test_a_system_without_hard_links_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no hard links are, a new file is written, and an existing one still kept."""

    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    write_file(str(tmp_path / "file"), NEW, overwrite=False)
    assert (tmp_path / "file").read_bytes() == NEW
    with pytest.raises(FileExistsError):
        write_file(str(tmp_path / "file"), OLD, overwrite=False)
    assert names_in(tmp_path) == ["file"]


def test_data_is_on_the_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is synced, then takes its name, then the folder is synced."""
    steps: list[str] = []
    for call in ("fsync", "link", "replace", "rename"):
        real = getattr(os, call)

        def note(
            *arguments: object, name: str = call, real: Callable[..., object] = real
        ) -> object:
            steps.append(name)
            return real(*arguments)

        monkeypatch.setattr(os, call, note)
    write_file(str(tmp_path / "file"), NEW, overwrite=False)
    write_file(str(tmp_path / "file"), NEW, overwrite=True)
    write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert steps == [
        *("fsync", "link", "fsync"),
        *("fsync", "replace", "fsync"),
        *("fsync", "fsync", "fsync", "rename", "fsync"),
    ]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_one_of_several_wins(what: str, tmp_path: Path) -> None:
    """Of threads that write under one name at once, one succeeds, and what it wrote stands."""
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
                if what == "file":
                    write_file(str(place), b"%d" % number, overwrite=False)
                else:
                    write_folder(str(place), {"one": b"%d" % number}, overwrite=False)
                won.append(number)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = won
        written = place if what == "file" else place / "one"
        assert written.read_bytes() == b"%d" % winner
    shutil.rmtree(tmp_path)
