"""Folders of files: complete or not there."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from artifacts import names_in
from bpetite_compare._folders import write_folder
from failures import FAULTS, contents_of, fail_at_each_call, interrupt_at_each_call

PAIR = {"one": b"1", "two": b"2"}
OLD = b"old"


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


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[], None]]:
    """Yield a call that writes a folder; afterward check that it is complete or absent."""
    folder.mkdir()
    yield partial(write_folder, str(folder / "pair"), PAIR, overwrite=False)
    assert contents_of(folder) in ({}, {"pair": b"", "pair/one": b"1", "pair/two": b"2"})


@pytest.mark.parametrize(("failing", "after"), FAULTS)
def test_failure_of_any_call_leaves_no_folder(
    tmp_path: Path, failing: Callable[[], BaseException], after: bool
) -> None:
    """Whichever call fails, the folder has both files or does not exist."""
    fail_at_each_call(tmp_path, writing, failing, after=after)


@pytest.mark.posix
@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_interrupt_at_any_point_leaves_no_folder(tmp_path: Path) -> None:
    """Nor does Ctrl-C, at the start or end of any Python call."""
    interrupt_at_each_call(tmp_path, writing)
