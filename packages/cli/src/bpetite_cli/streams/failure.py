"""Failures of a command, as messages for a person."""

import errno
from typing import Final

from bpetite._files import quoted

__all__ = ["Failure", "explain"]

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


class Failure(Exception):  # noqa: N818 - a failure of the command, not of the program
    """The command cannot do what was asked; the message says why, and what to do."""


def explain(error: OSError | ValueError | KeyError) -> str:
    """Return an error of the core or of the system as one line that says what to do."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{quoted(str(error.filename))}: " if error.filename is not None else ""
        advice = _ADVICE.get(error.errno or 0)
        return f"{place}{error.strerror}{f'; {advice}' if advice else ''}"
    if isinstance(error, KeyError):
        return str(error.args[0])  # `str` of a KeyError puts quotes around it
    return str(error)
