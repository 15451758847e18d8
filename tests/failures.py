"""Make each step of a save fail in turn, and check after each that nothing is half done."""

import errno
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, TypeAlias

import pytest

FAULTS: Final = (
    pytest.param(partial(OSError, errno.EIO, os.strerror(errno.EIO)), False, id="the disk fails"),
    pytest.param(MemoryError, False, id="no memory"),
    pytest.param(KeyboardInterrupt, False, id="Ctrl-C before"),
    # An open file stays on Windows.
    pytest.param(KeyboardInterrupt, True, id="Ctrl-C after", marks=pytest.mark.posix),
)
"""What a call of the system raises, and whether it does its work first."""

Saving: TypeAlias = Callable[[Path], AbstractContextManager[Callable[[], object]]]
"""Makes a new folder, gives a call that saves in it, and checks the folder afterward."""

_CALLS: Final = (
    "lstat",
    "stat",
    "mkdir",
    "open",
    "chmod",
    "write",
    "fsync",
    "close",
    "link",
    "replace",
    "rename",
)


class Fault:
    """Make one call of some functions of `os` fail: the one with a given number."""

    def __init__(self, number: int, error: BaseException, *, after: bool = False) -> None:
        """Set which call fails, with which error, and whether it does its work first."""
        self.left = number
        self.error = error
        self.after = after

    def put_into(self, patch: pytest.MonkeyPatch, names: tuple[str, ...] = _CALLS) -> None:
        """Replace the functions until the patch is undone."""
        for name in names:
            patch.setattr(os, name, self.failing(getattr(os, name)))

    def failing(self, function: Callable[..., object]) -> Callable[..., object]:
        """Return the function, wrapped to fail at the given call."""

        def call(*arguments: object, **options: object) -> object:
            self.left -= 1
            if self.left:
                return function(*arguments, **options)
            if self.after:
                function(*arguments, **options)
            raise self.error

        return call


def no_links(*_: object, **__: object) -> None:
    """Fail to link, like a file system without hard links."""
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def contents_of(folder: Path) -> dict[str, bytes]:
    """Return everything below a folder; a folder has no bytes."""
    paths = folder.rglob("*")
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in paths}


def fail_at_each_call(
    tmp_path: Path, saving: Saving, failing: Callable[[], BaseException], *, after: bool
) -> None:
    """Save with the first call of the system failing, then the second, until none fails."""
    number, happened = 0, True
    while happened:
        number += 1
        fault = Fault(number, failing(), after=after)
        with saving(tmp_path / str(number)) as save:
            with pytest.MonkeyPatch.context() as patch, suppress(type(fault.error)):
                fault.put_into(patch)
                save()
            happened = fault.left <= 0
    assert number > 6


def interrupt_at_each_call(tmp_path: Path, saving: Saving, first: object = None) -> None:
    """Save with Ctrl-C at the start or end of the first Python call, then of the next.

    Calls before that of the function `first` do not count.
    """
    number, left, begun = 0, 0, False

    def count_down(_frame: FrameType, event: str, called: object) -> None:
        nonlocal left, begun
        begun = begun or first is None or called is first
        left -= begun and event in {"call", "c_return"}
        if begun and left == 0:
            raise KeyboardInterrupt

    while left <= 0:
        number += 1
        with saving(tmp_path / str(number)) as save:
            left, begun = number, False
            with suppress(KeyboardInterrupt):
                sys.setprofile(count_down)
                save()
                sys.setprofile(None)  # an exception that leaves `save` also removes the hook
    assert number > 40
