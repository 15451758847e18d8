"""Show this project's code what Windows shows it; Python runs this file when it starts.

`names.txt` has the names that typeshed, which is compared with CPython on Windows, defines for
Linux but not for Windows. `*` stands for the rest of a name. The standard library and other
packages see Linux as it is: their code for Windows needs Windows.
"""

import builtins
import errno
import io
import os
import pathlib
import stat
import sys
import sysconfig
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Final, TypeGuard

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
    try:
        file = sys._getframe(depth + 1).f_code.co_filename
    except ValueError:  # the interpreter itself
        return False
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
        if self._value is not None:
            self._value = str(value)
        else:
            vars(module)[self._name] = value


def _show_names() -> None:
    seen: dict[ModuleType, dict[str, object]] = {}
    with open(os.path.join(os.path.dirname(__file__), "names.txt"), encoding="utf-8") as file:
        for line in file:
            name, *patterns = line.split()
            module = import_module(name)
            starts = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
            for name in vars(module):
                if name in patterns or name.startswith(starts):
                    seen.setdefault(module, {})[name] = _Seen(name)
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
    raise NotImplementedError(f"on Windows, this would end the process instead of sending {number}")


def _check_import(name: str, *_: object) -> None:
    if name.partition(".")[0] in _MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


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
        return write_text(path, data, **{"newline": "\r\n" if _is_ours(1) else None, **options})

    setattr(pathlib.Path, write_text.__name__, write_lines)


_show_names()
_replace_functions()
_show_newlines()
