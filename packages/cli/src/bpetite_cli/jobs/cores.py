"""The number of cores that this process may use."""

import os
from pathlib import Path
from typing import Final

_CGROUPS: Final = Path("/sys/fs/cgroup")
_OWN_CGROUPS: Final = Path("/proc/self/cgroup")


def available_cores() -> int:
    """Return the number of cores, limited by CPU affinity and the quota of a container."""
    return max(1, min(_affinity(), *_quotas()))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # a platform without affinity


def _quotas() -> list[int]:
    """Return the limit of each cgroup of this process that has one, in cores.

    Source: Linux's cgroup-v2.rst, cpu.max, and sched-bwc.rst for the first version.
    """
    found = []
    for folder in _cgroup_folders():
        for name, period in ("cpu.max", None), ("cpu.cfs_quota_us", "cpu.cfs_period_us"):
            try:
                words = (folder / name).read_text("ascii").split()
                if period is not None:
                    words += (folder / period).read_text("ascii").split()
                limit, of = map(int, words)
            except (OSError, ValueError):  # no such file, or no limit: "max" in cpu.max
                continue
            if limit > 0 < of:
                found.append(-(-limit // of))
    return found or [_affinity()]


def _cgroup_folders() -> list[Path]:
    """Return the folders of this process's cgroups and of their parents."""
    try:
        lines = _OWN_CGROUPS.read_text("utf-8").splitlines()
    except (OSError, ValueError):  # a platform without cgroups
        return []
    folders = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root = _CGROUPS / controllers if controllers else _CGROUPS
        own = root / path.lstrip("/")
        folders += [own, *own.parents[: len(own.parts) - len(root.parts)]]
    return folders
