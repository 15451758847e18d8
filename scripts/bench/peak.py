"""How much memory this process holds, and has held at most."""

import ctypes
import gc
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_RESET: Final = Path("/proc/self/clear_refs")
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


def settled_bytes() -> int:
    """Give back what is free, forget earlier peaks, and return the memory that is held.

    On Linux. Elsewhere nothing can be forgotten, and the peak so far is returned.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # of the C library of GNU
        ctypes.CDLL(None).malloc_trim(0)
    if _RESET.exists():
        _RESET.write_text("5", encoding="ascii")  # proc(5): the peak is what it is now
    return peak_bytes()


def peak_bytes() -> int:
    """Return the most memory that this process has held, since it settled."""
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RUSAGE_UNIT


def peak_bytes_of_children() -> int:
    """Return the most memory that any finished process held which this one has started.

    It is at least what this process held when it started it, so this one must be small.
    """
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _RUSAGE_UNIT
