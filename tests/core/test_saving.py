"""Saving: a file is replaced completely or not at all, and only regular files are."""

import errno
import os
import re
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import product
from pathlib import Path
from threading import Barrier, Thread
from typing import TypeAlias

import pytest

from artifacts import GOOD, canonical, names_in
from bpetite import Tokenizer
from bpetite._writing import write_parts
from failures import FAULTS, Fault, contents_of, fail_at_each_call, interrupt_at_each_call, no_links

Failing: TypeAlias = Callable[[], BaseException]
Patch: TypeAlias = pytest.MonkeyPatch

NEW = canonical(GOOD)
OLD = b"the old file"


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Set the umask of this process for the duration of a block."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


# What is written, and when saving is an error


def test_file_is_saved_under_its_name(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """FR-28: a file with any valid name, even of 255 bytes, has the complete artifact."""
    names = ["tokenizer.json", "no-suffix", ".hidden", "-f", "日本 👍", "..json"]
    names += [] if os.name == "nt" else [" ", "a\nb\tc", "{}%s\\", "x" * 250 + ".json"]
    for overwrite in (False, True):
        for name in names:
            tokenizer.save(tmp_path / name, overwrite)
        assert contents_of(tmp_path) == dict.fromkeys(names, NEW)
        for name in names:
            (tmp_path / name).unlink()


@pytest.mark.parametrize(
    "target",
    ["", *(pytest.param(to, marks=pytest.mark.posix) for to in ("old", "nowhere", "loop", "/"))],
    ids=lambda target: f"link to {target}" if target else "file",
)
def test_existing_file_is_kept(here: Path, tokenizer: Tokenizer, target: str) -> None:
    """FR-27: without `overwrite`, a file, or a link to anything, raises `FileExistsError`."""
    (here / "old").write_bytes(OLD)
    name = "loop" if target else "old"
    if target:
        (here / name).symlink_to(target)
    with pytest.raises(FileExistsError) as caught:
        tokenizer.save(name)
    assert caught.value.filename == name
    assert (here / "old").read_bytes() == OLD
    assert names_in(here) == sorted({"old", name})


@pytest.mark.posix
@pytest.mark.parametrize("overwrite", [False, True])
def test_link_under_a_temporary_name_is_not_followed(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer, overwrite: bool
) -> None:
    """Guessing the name of the temporary file does not let anyone redirect the write."""
    monkeypatch.setattr("os.urandom", lambda _: bytes.fromhex("0123456789abcdef"))
    (tmp_path / "other").write_bytes(OLD)
    (tmp_path / ".bpetite-0123456789abcdef.tmp").symlink_to("other")
    with pytest.raises(FileExistsError):
        tokenizer.save(tmp_path / "tokenizer.json", overwrite)
    assert (tmp_path / "other").read_bytes() == OLD
    assert not (tmp_path / "tokenizer.json").exists()


INVALID = {
    "": FileNotFoundError,
    "missing/x.json": FileNotFoundError,
    "dangling/x.json": FileNotFoundError,
    "x/": IsADirectoryError,
    "file/x.json": NotADirectoryError,
    "loop": OSError,
    "lost": OSError,  # a link into a missing folder
    "y" * 256: OSError,
    "a\0b": ValueError,
    "folder": OSError,
    "..": OSError,
}


@pytest.mark.posix
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(("name", "error"), INVALID.items(), ids=map(ascii, INVALID))
def test_invalid_paths_are_rejected(
    here: Path, tokenizer: Tokenizer, name: str, error: type[Exception], overwrite: bool
) -> None:
    """FR-28: a path that cannot be a file raises its error, and nothing is created anywhere."""
    (here / "folder").mkdir()
    (here / "file").write_bytes(OLD)
    for link, target in ("dangling", "nowhere"), ("loop", "loop"), ("lost", "missing/target.json"):
        (here / link).symlink_to(target)
    before = contents_of(here)
    if name in {"folder", ".."}:
        error = IsADirectoryError if overwrite else FileExistsError
    with pytest.raises(error) as caught:
        tokenizer.save(name, overwrite)
    assert ".bpetite" not in str(caught.value)
    assert contents_of(here) == before
    if name == "missing/x.json":
        assert getattr(caught.value, "filename", None) == "missing/"


@pytest.mark.posix
@pytest.mark.parametrize("kind", ["fifo", "socket", "link-to-fifo"])
def test_only_regular_files_are_replaced(here: Path, tokenizer: Tokenizer, kind: str) -> None:
    """A FIFO and a socket raise `OSError` and are unchanged."""
    os.mkfifo("fifo")
    (here / "link-to-fifo").symlink_to("fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        before = (here / kind).lstat()[:7], names_in(here)  # without the time of reading a link
        for overwrite, error in (False, errno.EEXIST), (True, errno.EINVAL):
            with pytest.raises(OSError, match=kind) as caught:
                tokenizer.save(kind, overwrite)
            assert caught.value.errno == error
            assert ((here / kind).lstat()[:7], names_in(here)) == before


# Symbolic links


@pytest.mark.posix
@pytest.mark.parametrize("target", ["target.json", "../target.json", "chain", "dangling"])
def test_link_is_written_through(here: Path, tokenizer: Tokenizer, target: str) -> None:
    """With `overwrite`, the link's target is replaced or created, and the link is kept."""
    (here / "folder").mkdir()
    (here / "folder/chain").symlink_to("target.json")
    (link := here / "folder/link").symlink_to(target)
    real = link.resolve()
    if target != "dangling":
        real.write_bytes(OLD)
    tokenizer.save(link, overwrite=True)
    assert link.readlink() == Path(target)
    assert real.read_bytes() == NEW
    assert not real.is_symlink()
    names = {*names_in(here), *names_in(here / "folder")}
    assert names <= {"folder", "chain", "link", real.name}


# Permissions


@pytest.mark.posix
def test_new_file_has_the_mode_of_the_umask(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """A new file has the permissions that any new file has."""
    modes = {0o022: 0o644, 0o027: 0o640, 0o077: 0o600, 0: 0o666}
    for mask, overwrite in product(modes, (False, True)):
        with umask(mask):
            tokenizer.save(path := tmp_path / f"{mask} {overwrite}", overwrite)
        assert mode_of(path) == modes[mask]


@pytest.mark.posix
def test_overwritten_file_keeps_its_mode(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """FR-27, FR-28: a file is replaced whole and keeps its permissions, even behind a link."""
    path = tmp_path / "tokenizer.json"
    (tmp_path / "link").symlink_to(path)
    for mode, name in product((0o640, 0o600, 0o444, 0o666, 0o755), ("tokenizer.json", "link")):
        path.unlink(missing_ok=True)
        path.write_bytes(OLD * (1 + 999 * (mode == 0o600)))  # shorter or longer than the new one
        path.chmod(mode)
        with umask(0o027):
            tokenizer.save(tmp_path / name, overwrite=True)
        assert (path.read_bytes(), mode_of(path)) == (NEW, mode)


# Order, and failures at any point


@pytest.mark.posix
@pytest.mark.usefixtures("synced_by_fsync")
def test_data_is_synced_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer
) -> None:
    """FR-28: saving syncs the bytes, gives the file its name in one step, and syncs the folder.

    The temporary file is in the folder of the file that it replaces, even behind a link.
    """
    steps: list[tuple[str, object]] = []
    fsync = os.fsync

    def observed_fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        is_folder = stat.S_ISDIR(status.st_mode)
        steps.append(("fsync", status.st_ino if is_folder else status.st_size))
        fsync(descriptor)

    def observe(call: str, real: Callable[[str, str], None]) -> None:
        def observed(source: str, destination: str) -> None:
            assert re.fullmatch(r"\.bpetite-[0-9a-f]{16}\.tmp", Path(source).name)
            assert Path(source).parent.samefile(Path(destination).parent)
            steps.append((call, Path(destination)))
            real(source, destination)

        monkeypatch.setattr(os, call, observed)

    monkeypatch.setattr(os, "fsync", observed_fsync)
    observe("link", os.link)
    observe("replace", os.replace)
    folder = tmp_path / "far"
    folder.mkdir()
    path = folder / "tokenizer.json"
    (tmp_path / "link").symlink_to(path)
    tokenizer.save(path)
    tokenizer.save(tmp_path / "link", overwrite=True)
    synced = ("fsync", folder.stat().st_ino)
    assert steps == [
        ("fsync", len(NEW)),
        ("link", path),
        synced,
        ("fsync", len(NEW)),
        ("replace", path.resolve()),
        synced,
    ]


@pytest.mark.posix
@pytest.mark.parametrize("refused", [None, errno.ENOTSUP, errno.EINVAL, errno.EIO])
def test_macos_syncs_the_disk_too(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer, refused: int | None
) -> None:
    """FR-28: macOS syncs file and folder with F_FULLFSYNC, or with `fsync` if that is refused."""
    import fcntl

    full, synced = 51, []

    def control(descriptor: int, command: int) -> None:
        assert command == full
        synced.append(("full", os.fstat(descriptor).st_ino))
        if refused is not None:
            raise OSError(refused, os.strerror(refused))

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", full, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: synced.append(("plain", os.fstat(descriptor).st_ino))
    )
    path = tmp_path / "tokenizer.json"
    if refused == errno.EIO:  # an error of the disk
        with pytest.raises(OSError, match="Input/output error"):
            tokenizer.save(path)
        assert names_in(tmp_path) == []
        return
    tokenizer.save(path)
    ways = ["full"] if refused is None else ["full", "plain"]
    assert synced == [(way, at.stat().st_ino) for at in (path, tmp_path) for way in ways]


@contextmanager
def saving(case: str, tokenizer: Tokenizer, folder: Path) -> Iterator[Callable[[], None]]:
    """Yield a call that saves; afterward check that its result is complete or absent."""
    path, old = folder / "tokenizer.json", {}
    folder.mkdir()
    if case == "overwrite":
        path.write_bytes(OLD)
        old = {"tokenizer.json": OLD}
    with pytest.MonkeyPatch.context() as patch:
        if case == "new-without-links":
            patch.setattr(os, "link", no_links)
        yield partial(tokenizer.save, path, overwrite=case == "overwrite")
    assert contents_of(folder) in (old, {"tokenizer.json": NEW})


EACH_CASE = pytest.mark.parametrize("case", ["new", "new-without-links", "overwrite"])


@pytest.mark.parametrize(("failing", "after"), FAULTS)
@EACH_CASE
def test_failure_of_any_call_leaves_nothing_half_done(
    tmp_path: Path, tokenizer: Tokenizer, failing: Failing, after: bool, case: str
) -> None:
    """FR-28: whichever call fails, the old or the new file is there, and no other."""
    fail_at_each_call(tmp_path, partial(saving, case, tokenizer), failing, after=after)


@pytest.mark.posix
@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@EACH_CASE
def test_interrupt_at_any_point_leaves_nothing_half_done(
    tmp_path: Path, tokenizer: Tokenizer, case: str
) -> None:
    """FR-28: Ctrl-C at the start or end of any Python call does no harm."""
    interrupt_at_each_call(tmp_path, partial(saving, case, tokenizer))


@pytest.mark.posix
@pytest.mark.usefixtures("synced_by_fsync")
@pytest.mark.parametrize(
    ("code", "number", "call"),
    [
        pytest.param(errno.EINVAL, 2, "fsync", id="unknown"),
        pytest.param(errno.ENOTSUP, 2, "fsync", id="unsupported"),
        pytest.param(errno.EIO, 2, "fsync", id="bad disk"),
        pytest.param(errno.EACCES, 2, "open", id="unreadable folder"),
        pytest.param(errno.EACCES, 1, "unlink", id="a temporary name is left"),
    ],
)
def test_unsyncable_folder_is_not_an_error(
    tmp_path: Path, tokenizer: Tokenizer, code: int, number: int, call: str
) -> None:
    """A file with its name stays, without a sync of its folder, or a temporary name is left."""
    failing = pytest.raises(OSError, match="no") if code == errno.EIO else nullcontext()
    with pytest.MonkeyPatch.context() as patched, failing:
        Fault(number, OSError(code, "no")).put_into(patched, (call,))
        tokenizer.save(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == NEW


@pytest.mark.posix
@pytest.mark.parametrize("content", [OLD, b""])
@pytest.mark.parametrize("hard_links", [True, False])
def test_file_that_appears_at_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer, hard_links: bool, content: bytes
) -> None:
    """FR-27: a file that another process creates during the save is not replaced."""
    path, link = tmp_path / "tokenizer.json", os.link

    def late_link(source: str, destination: str) -> None:
        path.write_bytes(content)
        if not hard_links:
            no_links()
        link(source, destination)

    monkeypatch.setattr(os, "link", late_link)
    with pytest.raises(FileExistsError) as caught:
        tokenizer.save(path)
    assert (caught.value.filename, caught.value.filename2) == (str(path), None)
    assert contents_of(tmp_path) == {"tokenizer.json": content}


@pytest.mark.posix
def test_file_that_replaces_the_reserved_name_is_kept(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer
) -> None:
    """Without hard links, a failure removes only the empty file that reserved the name."""
    path = tmp_path / "tokenizer.json"

    def late_replace(*_: object) -> None:
        path.write_bytes(OLD)
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", late_replace)
    with pytest.raises(OSError, match="no"):
        tokenizer.save(path)
    assert contents_of(tmp_path) == {"tokenizer.json": OLD}


@pytest.mark.posix
@pytest.mark.parametrize("overwrite", [False, True])
def test_full_disk_leaves_the_old_file(here: Path, tokenizer: Tokenizer, overwrite: bool) -> None:
    """FR-28: if the disk is full, the old file is complete, and there is no other."""
    import resource

    if overwrite:
        (here / "tokenizer.json").write_bytes(OLD)
    before = contents_of(here)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (0, 512, len(NEW) - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                tokenizer.save("tokenizer.json", overwrite)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert contents_of(here) == before


@pytest.mark.usefixtures("synced_by_fsync")
@pytest.mark.parametrize(
    "call", ["open", pytest.param("chmod", marks=pytest.mark.posix), "write", "fsync", "replace"]
)
@pytest.mark.parametrize("named", [None, ".bpetite-0123456789abcdef.tmp"])
def test_an_error_names_the_requested_file(
    here: Path, monkeypatch: Patch, tokenizer: Tokenizer, call: str, named: str | None
) -> None:
    """The error names the requested file, not the temporary one."""
    (here / "file").write_bytes(OLD)
    monkeypatch.setattr(os, "urandom", lambda _: bytes.fromhex("0123456789abcdef"))
    temporary = named and f"{os.curdir}/{named}"
    Fault(1, OSError(errno.EIO, "no", temporary)).put_into(monkeypatch, (call,))
    with pytest.raises(OSError, match=r"^\[Errno 5\] no: 'file'$"):
        tokenizer.save("file", overwrite=True)


@pytest.mark.posix
def test_no_descriptor_is_left_open(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer
) -> None:
    """Every descriptor is closed, after success, after failure and without hard links."""
    before = names_in(Path("/dev/fd"))
    for overwrite in (False, True):
        tokenizer.save(tmp_path / "file", overwrite)
    with pytest.raises(FileExistsError):
        tokenizer.save(tmp_path / "file")
    monkeypatch.setattr(os, "link", no_links)
    tokenizer.save(tmp_path / "other")
    assert names_in(Path("/dev/fd")) == before


def test_partial_writes_are_completed(
    tmp_path: Path, monkeypatch: Patch, tokenizer: Tokenizer
) -> None:
    """After a partial write, the rest is written."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, part: write(descriptor, part[:700]))
    tokenizer.save(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == NEW


# Files written part by part, for the command line


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "a bad disk"), ValueError("bad text")], ids=repr
)
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


def test_one_of_several_savers_wins(here: Path) -> None:
    """FR-27: if several save to one path at the same time, one succeeds, and its file stays."""
    savers = [Tokenizer.train(letter * 400, 300) for letter in "abc"]
    barrier, won = Barrier(len(savers)), list[tuple[int, Tokenizer]]()

    def save(tokenizer: Tokenizer) -> None:
        for number in range(25):
            barrier.wait()
            with suppress(FileExistsError):
                tokenizer.save(str(number))
                won.append((number, tokenizer))

    threads = [Thread(target=save, args=(tokenizer,)) for tokenizer in savers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for number, _ in won) == [*range(25)]
    assert all(Tokenizer.load(str(number)) == winner for number, winner in won)
    assert len(names_in(here)) == 25
