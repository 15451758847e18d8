"""What a run has measured, and the JSON file that keeps it: every sample, nothing derived."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

OURS: Final = "bpetite"
REFERENCE: Final = "tiktoken"
SAME_ENOUGH: Final = 0.9
"""Below this share of the same tokens, two trainers have not done the same work."""


@dataclass(frozen=True)
class Series:
    """The samples of one contestant in one case.

    section: what is measured, as `--only` names it.
    corpus: the name of the text, or "" where there is none.
    case: which of the measurements of the section.
    unit: "s", "bytes", "ids" that differ, or "share" of what is the same.
    samples: one for each round, in order, to four digits.
    amount: the bytes or ids that one sample is about, or 0.
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
    def spread(self) -> tuple[float, float]:
        """The lowest sample and the highest."""
        return min(self.samples), max(self.samples)

    @property
    def rate(self) -> float:
        """How much of the amount was done in a second, by the median."""
        return self.amount / self.median


@dataclass(frozen=True)
class Run:
    """One run of the benchmark.

    command: as it was typed, less the paths of files.
    machine: what it ran on, each fact with its name.
    versions: of each contestant that took part.
    missing: the contestants that are not installed.
    corpora: the bytes and the characters of each text.
    """

    command: str
    machine: dict[str, str]
    versions: dict[str, str]
    missing: list[str]
    rounds: int
    corpora: dict[str, tuple[int, int]]
    series: list[Series]


def comparable(series: Sequence[Series]) -> list[Series]:
    """Leave out the training of those who have learned other tokens than we have."""
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


def measured(value: float) -> float:
    """Return a sample to four digits: clocks are no better, and files stay small."""
    return float(f"{value:.4g}")


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


def unique(names: Sequence[str]) -> list[str]:
    """Return each name once, in the order in which they come first."""
    return list(dict.fromkeys(names))


def latest(runs: Sequence[Run]) -> list[Series]:
    """Return the series of all runs; of one that several have measured, the latest."""
    found: dict[tuple[str, ...], Series] = {}
    for run in sorted(runs, key=lambda run: run.machine["date"]):
        for one in run.series:
            found[one.section, one.corpus, one.case, one.contestant, str(one.amount)] = one
    return list(found.values())
