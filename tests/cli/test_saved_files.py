"""Files that are written as they are made: whole or not there, and nothing lost unasked."""

import errno
import os
import secrets
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from bpetite_cli._saving import save_parts

PARTS = [b"the new", b"", b" file", b"!" * 100]
NEW, OLD = b"".join(PARTS), b"old"


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
    """A new file holds all the parts, and has the permissions that any new file has."""
    with umask(mask):
        size = save_parts(str(tmp_path / "file"), iter(PARTS), overwrite=overwrite)
    assert (tmp_path / "file").read_bytes() == NEW
    assert size == len(NEW)
    assert mode_of(tmp_path / "file") == 0o666 & ~mask
    assert names_in(tmp_path) == ["file"]


def test_no_parts_are_an_empty_file(tmp_path: Path) -> None:
    """A result of nothing is a file with nothing in it."""
    assert save_parts(str(tmp_path / "file"), [], overwrite=False) == 0
    assert (tmp_path / "file").read_bytes() == b""


def test_an_existing_file_is_kept_or_replaced_with_its_mode(tmp_path: Path) -> None:
    """Unasked an existing file stays; asked, it is replaced and keeps its permissions."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o640)
    (tmp_path / "other").hardlink_to(path)
    with pytest.raises(FileExistsError):
        save_parts(str(path), PARTS, overwrite=False)
    assert path.read_bytes() == OLD
    save_parts(str(path), PARTS, overwrite=True)
    assert (path.read_bytes(), mode_of(path), path.stat().st_nlink) == (NEW, 0o640, 1)
    assert (tmp_path / "other").read_bytes() == OLD
    assert names_in(tmp_path) == ["file", "other"]


def test_a_link_is_kept_or_written_through(tmp_path: Path) -> None:
    """Unasked a link stays, a dangling one too; asked, its target is written and it stays."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "target").write_bytes(OLD)
    for name, target in (("link", "far/target"), ("dangling", "far/made")):
        link = tmp_path / name
        link.symlink_to(target)
        with pytest.raises(FileExistsError):
            save_parts(str(link), PARTS, overwrite=False)
        save_parts(str(link), PARTS, overwrite=True)
        assert link.is_symlink()
        assert (tmp_path / target).read_bytes() == NEW
    assert names_in(tmp_path) == ["dangling", "far", "link"]
    assert names_in(tmp_path / "far") == ["made", "target"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    """A FIFO, a folder and a device stay what they are."""
    os.mkfifo(fifo := tmp_path / "fifo")
    (folder := tmp_path / "folder").mkdir()
    for path in (fifo, folder, Path(os.devnull)):
        kind = stat.S_IFMT(path.stat().st_mode)
        with pytest.raises(OSError, match=r"exists|Is a directory|No regular file"):
            save_parts(str(path), PARTS, overwrite=overwrite)
        assert stat.S_IFMT(path.stat().st_mode) == kind
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
        save_parts(name, PARTS, overwrite=overwrite)
    assert ".bpetite" not in str(caught.value)
    assert names_in(here) == ["folder"]
    assert names_in(here / "folder") == []


CALLS = ("open", "chmod", "write", "fsync", "link", "replace", "close")


def failing(call: str, number: int, error: BaseException, *, after: bool) -> Callable[..., object]:
    """Return a call of `os` that fails the time that is told, before its work or after it."""
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


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("overwrite", [False, True])
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
    call: str, number: int, failure: tuple[BaseException, bool], overwrite: bool, tmp_path: Path
) -> None:
    """Whichever call fails, the file is old or new, and there is no other."""
    path = tmp_path / "file"
    if overwrite:
        path.write_bytes(OLD)
    error, after = failure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, call, failing(call, number, error, after=after))
        with suppress(OSError, KeyboardInterrupt, MemoryError):
            save_parts(str(path), PARTS, overwrite=overwrite)
    assert not path.exists() or path.read_bytes() in {OLD, NEW}
    assert path.exists() or not overwrite
    assert set(names_in(tmp_path)) <= {"file"}


@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("what", ["new", "overwrite", "without links"])
def test_an_interrupt_at_any_point_leaves_nothing_half_done(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C wherever Python looks for it, at each call's start and end, is harmless."""
    if what == "without links":
        monkeypatch.setattr(os, "link", no_links)
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
            save_parts(str(path), (part for part in PARTS), overwrite=what == "overwrite")
            sys.setprofile(None)  # so is it by an exception that comes out of it
        assert set(names_in(place)) <= {"it"}
        assert not path.exists() or path.read_bytes() in {NEW, OLD}
        assert path.exists() or what != "overwrite"
    assert number > 40


def no_links(*_: object) -> None:
    """Refuse to link, as a file system without hard links does."""
    raise PermissionError(errno.EPERM, "no links here")


def test_a_system_without_hard_links_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no hard links are, a new file is written, and an existing one still kept."""
    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "file"
    save_parts(str(path), PARTS, overwrite=False)
    assert path.read_bytes() == NEW
    path.write_bytes(OLD)
    with pytest.raises(FileExistsError):
        save_parts(str(path), PARTS, overwrite=False)
    assert path.read_bytes() == OLD
    assert names_in(tmp_path) == ["file"]


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
        save_parts(str(path), parts(), overwrite=False)
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
        save_parts(str(tmp_path / "file"), parts(), overwrite=False)
    assert caught.value is error
    assert getattr(error, "filename", None) is None
    assert names_in(tmp_path) == []


def test_a_system_that_takes_little_at_once_is_given_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of which only some bytes are taken is gone on with."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, part: write(descriptor, part[:7]))
    save_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    assert (tmp_path / "file").read_bytes() == NEW


def test_data_is_on_the_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole file is synced, then takes its name, then the folder is synced."""
    steps: list[object] = []
    for call in ("fsync", "link", "replace"):
        real = getattr(os, call)

        def note(
            first: int | str,
            *others: object,
            name: str = call,
            real: Callable[..., object] = real,
        ) -> object:
            status = os.stat(first)  # noqa: PTH116 - of a descriptor, too
            steps.append((name, stat.S_ISREG(status.st_mode) and status.st_size))
            return real(first, *others)

        monkeypatch.setattr(os, call, note)
    save_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    save_parts(str(tmp_path / "file"), PARTS, overwrite=True)
    size = len(NEW)
    assert steps == [
        *(("fsync", size), ("link", size), ("fsync", False)),
        *(("fsync", size), ("replace", size), ("fsync", False)),
    ]


def test_a_folder_that_fails_to_sync_is_told_with_the_file_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails after the file has its name says that the file is there."""
    error = OSError(errno.EIO, "no")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing("fsync", 2, error, after=False))
        with pytest.raises(OSError, match="The file is in place"):
            save_parts(str(tmp_path / "file"), PARTS, overwrite=False)
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
                save_parts(str(path), PARTS, overwrite=True)
        assert (caught.value.filename, caught.value.filename2) == (str(path), None)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Whatever becomes of it, what was opened is closed."""
    before = names_in(Path("/dev/fd"))
    save_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    save_parts(str(tmp_path / "file"), PARTS, overwrite=True)
    with pytest.raises(FileExistsError):
        save_parts(str(tmp_path / "file"), PARTS, overwrite=False)
    assert names_in(Path("/dev/fd")) == before


def test_one_of_several_wins(tmp_path: Path) -> None:
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
                save_parts(str(place), [b"%d" % number] * 9, overwrite=False)
                won.append(number)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = won
        assert place.read_bytes() == b"%d" % winner * 9
