"""Failures of a command, as messages for a person."""

import errno
import re
from typing import Final

__all__ = ["Failure", "explain", "quoted"]

_ADVICE: Final = {
    errno.ENOENT: "check the path",
    errno.EACCES: "change its mode, or name another",
    errno.EPERM: "change its mode, or name another",
    errno.EISDIR: "name a file in it",
    errno.ENOSPC: "make room, or name another place",
    errno.EDQUOT: "make room, or name another place",
    errno.EFBIG: "name a place that takes larger files",
    errno.EROFS: "name another place",
    errno.ENAMETOOLONG: "choose a shorter name",
}

_PLAIN: Final = re.compile(r"[\w./+@%=~-]+")
_QUOTED_BY_THE_CORE: Final = re.compile(
    rf"'({_PLAIN.pattern})'(?= is (?:no regular file|larger than ))"
)


class Failure(Exception):  # noqa: N818 - a failure of the command, not of the program
    """The command cannot do what was asked; the message says why, and what to do."""


def quoted(path: str) -> str:
    """Return a path as it is shown, on one line: in quotes only where it could be misread."""
    return path if _PLAIN.fullmatch(path) else repr(path)


def explain(error: OSError | ValueError | KeyError) -> str:
    """Return an error of the core or of the system as one line that says what to do."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{quoted(str(error.filename))}: " if error.filename is not None else ""
        advice = _ADVICE.get(error.errno or 0)
        return f"{place}{error.strerror}{f'; {advice}' if advice else ''}"
    if isinstance(error, KeyError):
        return str(error.args[0])  # `str` of a KeyError puts quotes around it
    return _QUOTED_BY_THE_CORE.sub(r"\1", str(error))
