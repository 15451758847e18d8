"""Errors of a command, as messages for a person."""

import argparse
import errno
from typing import Final

from bpetite._inner import quoted

_ADVICE: Final = {
    errno.ENOENT: "check the path",
    errno.EACCES: "change its permissions, or choose another path",
    errno.EPERM: "change its permissions, or choose another path",
    errno.EISDIR: "choose a file in it",
    errno.ENOSPC: "free some space, or choose another disk",
    errno.EDQUOT: "free some space, or choose another disk",
    errno.EFBIG: "choose a disk that allows larger files",
    errno.EROFS: "choose another path",
    errno.ENAMETOOLONG: "choose a shorter name",
}


class Failure(argparse.ArgumentTypeError):
    """The command failed; the message explains why, and what to do.

    If the `type` of an option raises it, argparse reports wrong usage.
    """


def explain(error: BaseException) -> str:
    """Return an error as a message, with advice if it comes from the system."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{quoted(str(error.filename))}: " if error.filename is not None else ""
        advice = _ADVICE.get(error.errno or 0)
        return f"{place}{error.strerror}{f'; {advice}' if advice else ''}"
    if isinstance(error, KeyError):
        return str(error.args[0])  # `str` of a KeyError puts quotes around it
    if isinstance(error, MemoryError):
        return "not enough memory for this input"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "the system allows no more threads, or too little memory for one; use --jobs 1"
    if isinstance(error, (Failure, OSError, ValueError)):
        return str(error)
    return f"this is a bug in bpetite; please report it: {error!r}"
