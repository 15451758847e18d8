"""Show to Python code of this project what Windows shows it; Python runs this file when it starts.

`tests/simulated/run.py` puts it on PYTHONPATH. The names are those that typeshed has under
`sys.platform == "linux"` and not under "win32". The standard library and other packages see
Linux as it is: they have other code for Windows, which needs Windows.

So it cannot see: paths with drives and backslashes (`os.path` stays that of POSIX), names that
Windows forbids, the code page of a console, a file that cannot be replaced while another
program reads it, how Ctrl-C reaches processes, and what `pathlib`, `shutil`, `subprocess` and
`multiprocessing` do on Windows.
"""

import builtins
import errno
import io
import os
import pathlib
import select
import signal
import socket
import stat
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Final, TypeGuard

_LACKING: Final[tuple[tuple[ModuleType, str], ...]] = (
    (
        os,
        (
            "CLD_* EFD_* EX_* F_LOCK F_TEST F_TLOCK F_ULOCK GRND_* MFD_* NGROUPS_MAX O_ACCMODE"
            " O_ASYNC O_CLOEXEC O_DIRECT* O_DSYNC O_FSYNC O_LARGEFILE O_NDELAY O_NOATIME O_NOCTTY"
            " O_NOFOLLOW O_NONBLOCK O_PATH O_RSYNC O_SYNC O_TMPFILE POSIX_* PRIO_* P_ALL P_PGID"
            " P_PID P_PIDFD RTLD_* RWF_* SCHED_* SEEK_DATA SEEK_HOLE SPLICE_* ST_* WCONTINUED"
            " WCOREDUMP WEX* WIF* WN* WST* WTERMSIG WUNTRACED XATTR_* chown chroot confstr*"
            " copy_file_range ctermid environb eventfd* fchdir fchmod fchown fdatasync fork forkpty"
            " fpathconf fstatvfs fwalk get_blocking getegid getenvb geteuid getgid getgr*"
            " getloadavg getpgid getpgrp getpriority getrandom getres?id getsid getuid"
            " getxattr initgroups killpg lchown listxattr lockf login_tty major makedev memfd*"
            " minor mkfifo mknod nice openpty pathconf* pidfd_open pipe2 posix_* pread* pwrite*"
            " readv register_at_fork removexattr sched_* sendfile set_blocking sete?id setgid"
            " setgroups setpg* setpriority setre* setsid setuid setxattr spawn?p* splice statvfs"
            " sync sysconf* tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid* writev"
        ),
    ),
    (
        signal,
        (
            "ITIMER_* ItimerError SIGALRM SIGBUS SIGC* SIGHUP SIGIO SIGIOT SIGKILL SIGP* SIGQUIT"
            " SIGRT* SIGST* SIGSYS SIGT[RST]* SIGU* SIGVTALRM SIGWINCH SIGX* SIG_BLOCK SIG_SETMASK"
            " SIG_UNBLOCK Sigmasks alarm getitimer pause pidfd_* pthread_* setitimer siginterrupt"
            " sigpending sigtimedwait sigwait* struct_siginfo"
        ),
    ),
    (select, "EPOLL* PIPE_BUF POLL* epoll poll"),
    (socket, "AF_UNIX"),
    (sys, "abiflags getdlopenflags setdlopenflags"),
    (time, "CLOCK_* clock_* pthread_getcpuclockid tzset"),
)
_MODULES: Final = frozenset({"curses", "fcntl", "grp", "posix", "pty", "pwd", "readline"}) | {
    *("resource", "syslog", "termios", "tty")
}
_VALUES: Final[tuple[tuple[ModuleType, Mapping[str, str]], ...]] = (
    (os, {"name": "nt", "sep": "\\", "altsep": "/", "linesep": "\r\n"}),
    (sys, {"platform": "win32"}),
)
_OTHER_CODE: Final = ("<frozen", *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib")))
_HERE: Final = __file__


def _is_ours(depth: int) -> bool:
    """Return whether the code that called the function so many calls above is this project's."""
    file = sys._getframe(depth + 1).f_code.co_filename
    return not file.startswith(_OTHER_CODE) and file != _HERE


class _Seen:
    """A name of a module with another value for our code, or with none."""

    def __init__(self, name: str, value: str | None = None) -> None:
        self._name = name
        self._value = value

    def __get__(self, module: ModuleType, _: object) -> object:
        names = vars(module)
        if self._name not in names or (_is_ours(1) and self._value is None):
            raise AttributeError(self._name)
        return self._value if self._value is not None and _is_ours(1) else names[self._name]

    def __set__(self, module: ModuleType, value: object) -> None:
        vars(module)[self._name] = value


def _show_names() -> None:
    seen: dict[ModuleType, dict[str, object]] = {}
    for module, patterns in _LACKING:
        seen[module] = {
            name: _Seen(name)
            for name in vars(module)
            if any(fnmatchcase(name, pattern) for pattern in patterns.split())
        }
    for module, values in _VALUES:
        seen[module] |= {name: _Seen(name, value) for name, value in values.items()}
    for module, names in seen.items():
        module.__class__ = type("_OnWindows", (ModuleType,), names)


def _check_open(path: object, *_: object, **options: object) -> None:
    """Refuse a folder; with an opener, that is the opener's task."""
    if _is_path(path) and os.path.isdir(path) and "opener" not in options:
        raise _denied(path)


def _check_unlink(path: str, **_: object) -> None:
    if os.path.isfile(path) and not os.stat(path).st_mode & stat.S_IWRITE:
        raise _denied(path)


def _check_replace(source: str, destination: str) -> None:
    for path in (source, destination):
        _check_unlink(path)


def _check_rename(_: str, destination: str) -> None:
    if os.path.lexists(destination):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), destination)


def _check_kill(_: int, number: int) -> None:
    message = f"on Windows, this would end the process instead of sending {number}"
    raise NotImplementedError(message)


def _check_import(name: str, *_: object) -> None:
    if name.partition(".")[0] in _MODULES:
        message = f"No module named {name!r}"
        raise ModuleNotFoundError(message, name=name)


def _is_path(path: object) -> TypeGuard[str | bytes | os.PathLike[str]]:
    return isinstance(path, str | bytes | os.PathLike)


def _denied(path: object) -> OSError:
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def _replace_functions() -> None:
    for module, name, check in (
        (builtins, "__import__", _check_import),
        (builtins, "open", _check_open),
        (os, "kill", _check_kill),
        (os, "open", _check_open),
        (os, "remove", _check_unlink),
        (os, "rename", _check_rename),
        (os, "replace", _check_replace),
        (os, "unlink", _check_unlink),
    ):
        setattr(module, name, _checked(getattr(module, name), check))


def _checked(call: Callable[..., object], check: Callable[..., None]) -> Callable[..., object]:
    """Return a function with a check of its arguments if our code calls it."""

    def checked(*arguments: object, **options: object) -> object:
        if _is_ours(1):
            check(*arguments, **options)
        return call(*arguments, **options)

    checked.__name__ = call.__name__
    return checked


def _show_newlines() -> None:
    r"""Write `\r\n` to the standard streams and with `Path.write_text`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(newline="\r\n")
    write_text = pathlib.Path.write_text

    def write_lines(path: pathlib.Path, data: str, **options: str) -> int:
        newline = "\r\n" if _is_ours(1) else None
        return write_text(path, data, **{"newline": newline, **options})

    setattr(pathlib.Path, write_text.__name__, write_lines)


_show_names()
_replace_functions()
_show_newlines()
