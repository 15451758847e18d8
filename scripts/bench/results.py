"""What a run has measured, and the JSON file that keeps it: every sample, nothing derived."""

import json
import os
import platform
import re
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

OURS: Final = "bpetite"
REFERENCE: Final = "tiktoken"
SAME_ENOUGH: Final = 0.9
"""Below this share of the same tokens, two trainers have not done the same work."""
VOCAB_SIZE: Final = 32_000
"""The size of the vocabularies that encode and decode."""


@dataclass(frozen=True)
class Series:
    """The samples of one contestant in one case.

    section: what is measured, as `--only` names it.
    corpus: the name of the text, or "" where there is none.
    case: which of the measurements of the section.
    contestant: a library, or a command.
    unit: "s", "bytes", "ids" that differ, or "share" of what is the same.
    samples: one for each round, in order, to four digits.
    amount: the bytes, ids or characters that one sample is about, or 0.
    """

    section: str
    corpus: str
    case: str
    contestant: str
    unit: str
    samples: list[float]
    amount: int = 0

    @property
    def median(self) -> float:
        """The middle sample."""
        return statistics.median(self.samples)

    @property
    def rate(self) -> float:
        """How much of the amount was done in a second, by the median."""
        return self.amount / self.median


@dataclass(frozen=True)
class Run:
    """One run of the benchmark.

    command: as it was typed, without the folders of files.
    machine: what it ran on, each fact with its name.
    versions: of each package that took part.
    missing: the packages that were not installed.
    corpora: the bytes and the characters of each text.
    """

    command: str
    machine: dict[str, str]
    versions: dict[str, str]
    missing: list[str]
    rounds: int
    corpora: dict[str, tuple[int, int]]
    series: list[Series]


def save_run(run: Run, path: Path) -> None:
    """Write a run as JSON, one line for each series."""
    head = {**asdict(run), "series": []}
    lines = [json.dumps(asdict(series)) for series in run.series]
    text = json.dumps(head, indent=1).replace(
        '"series": []', '"series": [\n' + ",\n".join(lines) + "\n]"
    )
    path.write_text(text + "\n", encoding="utf-8")


def load_run(path: Path) -> Run:
    """Read what `save_run` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    corpora = {name: (size, characters) for name, (size, characters) in content["corpora"].items()}
    series = [Series(**entry) for entry in content["series"]]
    return Run(**{**content, "corpora": corpora, "series": series})


def latest(runs: Sequence[Run]) -> list[Series]:
    """Return the series of all runs; where several have measured one, the latest."""
    found: dict[tuple[str, ...], Series] = {}
    for run in sorted(runs, key=lambda run: run.machine["date"]):
        for one in run.series:
            found[one.section, one.corpus, one.case, one.contestant, str(one.amount)] = one
    return list(found.values())


def comparable(series: Sequence[Series]) -> list[Series]:
    """Leave out the training of libraries that have learned other tokens than we have."""
    others = {
        (one.corpus, one.case, one.contestant)
        for one in series
        if one.section == "same" and one.median < SAME_ENOUGH
    }
    return [
        one
        for one in series
        if one.section != "train" or (one.corpus, one.case, one.contestant) not in others
    ]


def unique(names: Iterable[str]) -> list[str]:
    """Return each name once, in the order of their first occurrences."""
    return list(dict.fromkeys(names))


def facts() -> dict[str, str]:
    """Return what a reader must know about the machine, each fact with its name."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "regex": version("regex"),
        "commit": _commit(),
    }


def _processor() -> str:
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if name := re.search(r"^model name\s*: (.*)", text, re.MULTILINE):
            return name[1]
    return platform.processor() or platform.machine()


def _commit() -> str:
    """Return the commit of this clone, and whether its files have changed since."""
    describe = ["git", "describe", "--always", "--abbrev=12", "--dirty=, with changes"]
    done = subprocess.run(
        [*describe, "--exclude=*"],
        cwd=Path(__file__).parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout.strip() or "not known"
