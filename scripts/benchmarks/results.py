"""The samples of a run, and the JSON file that keeps them; nothing in it is derived."""

import json
import os
import platform
import re
import statistics
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

OURS: Final = "bpetite"
ONE_JOB: Final = "bpetite, one job"
REFERENCE: Final = "tiktoken"


@dataclass(frozen=True)
class Series:
    """The samples of one contestant in one case.

    section: what is measured.
    corpus: the name of the text.
    case: which of the section's measurements.
    contestant: a library, or bpetite with one job.
    samples: one for each round, in order, to four digits. They are seconds, except for the
        cases "peak" (bytes), "same" (a share) and "ids" (ids that differ).
    """

    section: str
    corpus: str
    case: str
    contestant: str
    samples: list[float]

    @property
    def median(self) -> float:
        """The middle sample."""
        return statistics.median(self.samples)


@dataclass(frozen=True)
class Run:
    """One run of the benchmark, or the sections of it that no later run has replaced.

    facts: what a reader must know, each fact with its name.
    series: the measurements.
    """

    facts: dict[str, str]
    series: list[Series]


def save_runs(runs: Iterable[Run], path: Path) -> None:
    """Write runs as JSON, one line for each series."""
    parts = []
    for run in runs:
        lines = ",\n".join(json.dumps(asdict(series)) for series in run.series)
        parts.append(f'{{"facts": {json.dumps(run.facts, indent=1)},\n"series": [\n{lines}\n]}}')
    path.write_text("[\n" + ",\n".join(parts) + "\n]\n", encoding="utf-8")


def load_runs(path: Path) -> list[Run]:
    """Read what `save_runs` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Run(run["facts"], [Series(**one) for one in run["series"]]) for run in content]


def merged(runs: Iterable[Run], latest: Run) -> list[Run]:
    """Return the runs with the latest one, which replaces the sections that it has measured."""
    new = {one.section for one in latest.series}
    older = (Run(run.facts, [one for one in run.series if one.section not in new]) for run in runs)
    return [*(run for run in older if run.series), latest]


def unique(names: Iterable[str]) -> list[str]:
    """Return each name once, in order of first occurrence."""
    return list(dict.fromkeys(names))


def facts(packages: Mapping[str, str]) -> dict[str, str]:
    """Return what a reader must know about the machine and the packages."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": _commit(),
        "versions": ", ".join(
            f"{name} {found}" for name, found in {**packages, "regex": version("regex")}.items()
        ),
    }


def _processor() -> str:
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if name := re.search(r"^model name\s*: (.*)", text, re.MULTILINE):
            return name[1]
    return platform.processor() or platform.machine()


def _commit() -> str:
    """Return the commit of this clone, and whether files have changed since."""
    describe = ["git", "describe", "--always", "--abbrev=12", "--dirty=, with changes"]
    place = Path(__file__).parent
    done = subprocess.run([*describe, "--exclude=*"], cwd=place, capture_output=True, check=False)
    return done.stdout.decode().strip() or "not known"
