"""The two limits of the specification, and the measured times."""

from collections.abc import Iterable, Mapping
from typing import Final

from benchmarks.results import OURS, Series
from benchmarks.tables import Key, figure

_GOALS: Final[Mapping[Key, tuple[str, int]]] = {
    ("small", "seconds"): ("train TinyShakespeare, 1.1 MB, to 512 tokens, ms", 60_000),
    ("sentence", "p99"): ("encode the same 50 words again and again, p99, ms", 100),
}
"""What is measured, and the most milliseconds that it may take."""


def goals(series: Iterable[Series]) -> list[list[str]]:
    """Return the measured goals as rows; every text must meet a goal."""
    series = list(series)
    rows = []
    for key, (words, most) in _GOALS.items():
        found = {
            one.corpus: 1e3 * one.median
            for one in series
            if (one.section, one.case) == key and one.contestant == OURS
        }
        if found:
            verdict = "reached" if max(found.values()) <= most else "missed"
            shown = ", ".join(f"{text} {figure(value)}" for text, value in found.items())
            rows.append([words, f"at most {figure(most)}", shown, verdict])
    return rows
