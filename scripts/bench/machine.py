"""What a run is measured on: the machine, the versions, the commit."""

import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

_PACKAGES: Final = {"bpetite": "bpetite-core", "quicktok": "quicktok-v1"}


def facts() -> dict[str, str]:
    """Return what a reader must know of the machine, each fact with its name."""
    load = f"{os.getloadavg()[0]:.2f}"
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load at the start": load,
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "regex": version("regex"),
        "commit": _commit(),
    }


def versions(modules: Iterable[str]) -> dict[str, str]:
    """Return the version of each module that is installed, by the name of its package."""
    packages = [_PACKAGES.get(module, module) for module in modules if find_spec(module)]
    return {package: version(package) for package in packages}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _commit() -> str:
    """Return the commit, and whether the files are those of the commit."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "not known"
    return f"{commit}, with changes" if changed else commit


def _git(*arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    return result.stdout.strip()
