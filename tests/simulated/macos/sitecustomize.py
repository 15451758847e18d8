"""Hide from Python what Linux has and macOS lacks; Python runs this file when it starts.

`names.txt` has the names of two sources. `*` stands for the rest of a name.

- CPython's documentation: each name whose "Availability" leaves out macOS. The pages are those of
  `os` and `select` for Python 3.16 (in development), `socket` and `sys` for 3.14,
  `resource` and `time` for 3.13, `signal` and `fcntl` for 3.11.
- typeshed, as in mypy 2.4.1, for these modules except `sys`: each name that it defines for Linux
  and not for macOS. It is compared with CPython on macOS. The documentation says only "Unix" of
  some of these names, such as `signal.sigtimedwait`, and does not list many constants.

A name that macOS has with newer versions only is hidden in all: `os.waitid` and
`socket.SO_BINDTODEVICE` (Python 3.13), `os.pipe2` (macOS 27). `os.preadv` and `os.pwritev` are
hidden by the documentation; typeshed notes that some builds for macOS have them.

`sys.platform` stays "linux": with "darwin", CPython's own modules would load what this build
of it lacks (`_scproxy` in `urllib.request`, the data of `sysconfig`), and so would libraries.
"""

import os
import resource
import sys
from collections.abc import Callable
from errno import EILSEQ, ENOENT
from importlib import import_module
from typing import Any, Final

_ABSENT: Final = ("/proc/", "/sys/", "/dev/full/", "/dev/shm/")  # noqa: S108 - only a name
_DESCRIPTORS: Final = "/proc/self/fd/"
"""What /dev/fd, which macOS has, links to on Linux."""


def _check(path: object) -> None:
    """Raise the system's error for an absolute path that macOS lacks; others are not checked."""
    if isinstance(path, str | bytes | os.PathLike):
        name = f"{os.path.normpath(os.fsdecode(path))}/"
        if name.startswith(_ABSENT) and not name.startswith(_DESCRIPTORS):
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)


def _check_new(path: object) -> None:
    """Raise the system's error for the name of a new file that is not UTF-8."""
    try:
        os.fsdecode(path if isinstance(path, str | bytes) else b"").encode()
    except UnicodeEncodeError:
        raise OSError(EILSEQ, os.strerror(EILSEQ), path) from None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in {"open", "os.listdir", "os.scandir", "os.chdir"}:
        _check(arguments[0])
    if event == "open" and arguments[2] & os.O_CREAT:
        _check_new(arguments[0])


def _checking(call: Callable[..., object]) -> Callable[..., object]:
    """Return a function of `os` that has no audit event, with a check of its path."""

    def checked(path: object, *arguments: object, **options: object) -> object:
        try:
            _check(path)
        except FileNotFoundError:
            if call.__name__ == "access":
                return False
            raise
        return call(path, *arguments, **options)

    return checked


def _without_memory(set_limit: Callable[..., None]) -> Callable[..., None]:
    """Return `setrlimit` without the limit of memory, which has no effect on macOS."""

    def limit(kind: int, limits: tuple[int, int]) -> None:
        if kind != resource.RLIMIT_AS:
            set_limit(kind, limits)

    return limit


def _remove_names() -> None:
    with open(os.path.join(os.path.dirname(__file__), "names.txt"), encoding="utf-8") as file:
        for line in file:
            module, *patterns = line.split()
            starts = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
            for place in (module, "posix") if module == "os" else (module,):
                names = vars(import_module(place))
                for name in [*names]:
                    if name in patterns or name.startswith(starts):
                        del names[name]
    os.__all__[:] = [name for name in os.__all__ if hasattr(os, name)]


def _replace_functions() -> None:
    for name in ("stat", "lstat", "access", "readlink"):
        real = getattr(os, name)
        setattr(os, name, checked := _checking(real))
        for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in able:
                able.add(checked)
    for module, name, function in (
        (os, "process_cpu_count", os.cpu_count),  # on Linux it asks for the affinity
        (resource, "setrlimit", _without_memory(resource.setrlimit)),
    ):
        setattr(module, name, function)


_remove_names()
_replace_functions()
# pytest-xdist imports psutil if it is installed, and psutil imports its part for Linux.
sys.modules["psutil"] = None  # type: ignore[assignment] # makes the import fail
sys.addaudithook(_hook)
