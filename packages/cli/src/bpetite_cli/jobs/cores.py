"""The number of cores that this process may use."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_CGROUPS: Final = Path("/sys/fs/cgroup")
_OWN_CGROUPS: Final = Path("/proc/self/cgroup")


def available_cores() -> int:
    """Return the number of cores, limited by CPU affinity and the quota of a container."""
    return max(1, min([_affinity(), *_quotas()]))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # a platform without affinity


def _quotas() -> Iterator[int]:
    """Yield the limit of each cgroup of this process that has one, in cores.

    Source: Linux's cgroup-v2.rst, cpu.max.
    """
    try:
        path = _OWN_CGROUPS.read_text("utf-8").partition("0::")[2].strip()
    except (OSError, ValueError):  # a platform without cgroups
        return
    own = _CGROUPS / path.lstrip("/")
    for folder in (own, *own.parents):
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            limit, period = map(int, (folder / "cpu.max").read_text("ascii").split())
            yield -(-limit // max(1, period))
