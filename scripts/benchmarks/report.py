"""The samples of runs, the JSON file that keeps them, and the tables that show them.

docs/benchmarks.md gets its tables from docs/benchmarks.json. Ratios are ratios of medians, so a
reader can check them.
"""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from generate.command import ROOT, filled, markdown

OURS: Final = "bpetite"
ONE_PROCESS: Final = "bpetite, one process"

_SUMMARY: Final = {
    "training from a file, all cores": ("train", "seconds"),
    "encoding, one process": ("encode", "first"),
    "encoding, all cores": ("cores", "seconds"),
    "decoding": ("encode", "decode"),
}
"""The section and the case of each comparison."""
_SHOWN: Final = frozenset({"small", "sentence", "train", "gpt4", "encode", "cores"})
"""The sections that the page shows; older runs measured more."""


class Series(NamedTuple):
    """The samples of one contestant in one case.

    section: what is measured.
    corpus: the name of the text.
    case: which of the section's measurements.
    contestant: a library, or bpetite with one process.
    samples: one for each round, in order, to four digits. They are seconds, except for the
        cases "same" (a share of tokens) and "moved" (tokens in another order).
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


class Run(NamedTuple):
    """One run of the benchmark, or the sections of it that no later run has replaced.

    facts: what a reader must know, each fact with its name.
    series: the measurements.
    """

    facts: dict[str, str]
    series: list[Series]


def load_runs(path: Path) -> list[Run]:
    """Read what `save_runs` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Run(run["facts"], [Series(**one) for one in run["series"]]) for run in content]


def save_runs(older: Sequence[Run], latest: Run, path: Path) -> None:
    """Write runs as JSON; the latest one replaces the sections that it has measured."""
    new = {one.section for one in latest.series}
    kept = [Run(run.facts, [one for one in run.series if one.section not in new]) for run in older]
    parts = []
    for run in (*filter(lambda run: run.series, kept), latest):
        lines = ",\n".join(json.dumps(series._asdict()) for series in run.series)
        parts.append(f'{{"facts": {json.dumps(run.facts, indent=1)},\n"series": [\n{lines}\n]}}')
    path.write_text("[\n" + ",\n".join(parts) + "\n]\n", encoding="utf-8")


def files() -> dict[Path, str]:
    """Return the page with its tables, of the runs that measured what the page shows."""
    page, runs = "docs/benchmarks.md", load_runs(ROOT / "docs" / "benchmarks.json")
    series = [one for run in runs for one in run.series]
    tables = sections([run for run in runs if _SHOWN & {one.section for one in run.series}])
    shown = {name: tables[name] for name in ("summary", "train", "runs")}
    return {Path(page): filled(page, {**shown, "goals": _goals(series), "kernel": _kernel(runs)})}


def sections(runs: Sequence[Run]) -> dict[str, str]:
    """Return the tables of the page by their names."""
    series = [one for run in runs for one in run.series]
    training = "training to 512 tokens, ms; at most 60,000"
    words = "50 words again and again, p99, ms; at most 100"
    return {
        "summary": markdown(
            ["bpetite is this many times as fast as", *_SUMMARY],
            [[library, *ratios.values()] for library, ratios in _ratios(series).items()],
        ),
        "goals": "\n".join(
            [
                _table(series, "small", "seconds", training, 1e-3),
                _table(series, "sentence", "p99", words, 1e-3),
            ]
        ),
        "train": _table(series, "train", "seconds") + _same_tokens(series, "train"),
        "gpt4": _table(series, "gpt4", "seconds") + _same_tokens(series, "gpt4"),
        "encode": _table(series, "encode", "first"),
        "cores": _table(series, "cores", "seconds"),
        "runs": "".join(map(_run, runs)),
    }


def _goals(series: Sequence[Series]) -> str:
    """Return what was measured of the two limits, at worst."""
    of_goal = {"small": "seconds", "sentence": "p99"}
    found: dict[str, list[float]] = {section: [] for section in of_goal}
    for one in series:
        if one.contestant == OURS and of_goal.get(one.section) == one.case:
            found[one.section].append(one.median)
    training, sentence = (max(found[section]) for section in of_goal)
    return f"bpetite takes {_figure(training)} s, and at most {_figure(sentence * 1e3)} ms.\n"


def _kernel(runs: Sequence[Run]) -> str:
    """Return the seconds of each library for the largest text, and the release of bpetite."""
    key = ("gpt4", "kernel", "seconds")
    measured, found = "", {}
    for facts, series in runs:
        for one in series:
            if (one.section, one.corpus, one.case) == key:
                measured = facts["versions"].partition(",")[0]
                found[one.contestant] = one.median
    times = ", ".join(f"{name} {_figure(seconds)} s" for name, seconds in found.items())
    return f"With GPT-4's pattern, kernel took: {times} ({measured}).\n"


def _ratios(series: Sequence[Series]) -> dict[str, dict[str, str]]:
    """Return how many times as fast as each library bpetite is, from worst text to best."""
    found: dict[str, dict[str, list[float]]] = {}
    ours = {(s.section, s.case, s.corpus): s.median for s in series if s.contestant == OURS}
    for title, key in _SUMMARY.items():
        for one in series:
            if (one.section, one.case) == key and one.contestant not in {OURS, ONE_PROCESS}:
                row = found.setdefault(one.contestant, {name: [] for name in _SUMMARY})
                row[title].append(one.median / ours[*key, one.corpus])
    return {
        library: {title: _bounds(ratios) for title, ratios in row.items()}
        for library, row in found.items()
    }


def _bounds(ratios: Sequence[float]) -> str:
    low, high = (_two_digits(bound(ratios, default=0)) for bound in (min, max))
    return "-" if not ratios else low if low == high else f"{low} to {high}"


def _two_digits(ratio: float) -> str:
    return _figure(float(f"{ratio:.2g}"))


def _figure(value: float) -> str:
    """Return a number to three digits, or a large one in full."""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.12g}"


def _table(
    series: Sequence[Series], section: str, case: str, head: str = "s", unit: float = 1
) -> str:
    """Return a row for each contestant, and a column for each text.

    Seconds have their ratio to bpetite's, which is in the first row; other units stand alone.
    """
    rows: dict[str, list[str]] = {}
    ours: dict[str, float] = {}
    for one in series:
        if (one.section, one.case) == (section, case):
            first = ours.setdefault(one.corpus, one.median)
            ratio = f" ×{_two_digits(one.median / first)}" if unit == 1 else ""
            cells = rows.setdefault(one.contestant, [one.contestant])
            cells.append(f"{_figure(one.median / unit)}{ratio}")
    return markdown([head, *ours], rows.values())


def _same_tokens(series: Sequence[Series], section: str) -> str:
    """Return the share of tokens that bpetite and a library both learned, at worst."""
    found = [one for one in series if one.section == section]
    shares = [one.median for one in found if one.case == "same"]
    if not shares:
        return ""
    same = f"At least {min(shares):.2%} of the tokens of each library and bpetite are the same."
    moved = [one.median for one in found if (one.case, one.contestant) == ("moved", "rustbpe")]
    if moved and not any(moved):
        same += " rustbpe's are in the same order."
    return f"\n{same}\n"


def _run(run: Run) -> str:
    """Return what a run measured, and how, as an item of a list."""
    facts, sections = run.facts, ", ".join(dict.fromkeys(one.section for one in run.series))
    return (
        f"- {sections}: {facts['date']}, commit {facts['commit'][:8]}, {facts['Python']}, "
        f"{facts['cores']} cores ({facts['processor']}, {facts['system']}), "
        f"load {facts['load at the start']}. {facts['versions']}.\n"
    )
