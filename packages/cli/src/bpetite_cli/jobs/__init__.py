"""Work in several processes: how many, and how they leave signals to the first one."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

MOST_JOBS_BY_DEFAULT: Final = 8


def available_cores(cgroups: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup") -> int:
    """Return the number of cores, limited by CPU affinity and the quotas of a container.

    Source: Linux's cgroup-v2.rst, cpu.max.
    """
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # not on every platform
        cores = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError):  # a platform without cgroups
        path = Path(own).read_text("utf-8").partition("0::")[2].strip()
        inner = Path(cgroups, path.lstrip("/"))
        for folder in (inner, *inner.parents):
            with suppress(OSError, ValueError):  # no such file, or no limit: "max"
                limit, period = map(int, (folder / "cpu.max").read_text("ascii").split())
                cores = min(cores, -(-limit // max(1, period)))
    return max(1, cores)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Have the processes and threads that start here leave signals to the main thread.

    They inherit the signals that are blocked; the main thread gets them afterwards. (If
    another thread received a signal, the main thread would not wake from a system call.)
    """
    if sys.platform == "win32":  # it blocks no signals, so workers ignore Ctrl-C
        yield
        return
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
