"""Series as tables of Markdown, one function for each section of the report.

Each function takes the series of its section, and those of one corpus where a table is
about one. Ratios are ratios of medians, so that a reader can work them out again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from results import OURS, REFERENCE, Series, unique

ABSENT: Final = "-"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def figure(value: float) -> str:
    """Return a number to three digits, or a large one to its last."""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.12g}"


def ratio(value: float, other: float) -> str:
    """Return how many times as much the first of two is, to two digits."""
    return f"×{figure(float(f'{value / other:.2g}'))}"


def pick(series: Iterable[Series], contestant: str, case: str) -> Series | None:
    """Return the series of a contestant in a case, if there is one."""
    found = (one for one in series if (one.contestant, one.case) == (contestant, case))
    return next(found, None)


def _tokens(case: str) -> str:
    return f"{int(case):,} tokens, s"


def train(series: Sequence[Series], heading: Callable[[str], str] = _tokens) -> str:
    """Seconds, and as a multiple of ours."""

    def cell(one: Series) -> str:
        ours = pick(series, OURS, one.case)
        return _spread(one) + (f" {ratio(one.median, ours.median)}" if ours else "")

    return grid(series, cell, heading)


def sample(series: Sequence[Series]) -> str:
    """Seconds for each text, and as a multiple of ours."""
    return train(_across(series), lambda corpus: f"{corpus}, s")


def same(series: Sequence[Series]) -> str:
    """The tokens in common with ours, as a share of those of both."""
    return grid(series, lambda one: f"{one.median:.1%}", lambda case: f"{int(case):,} tokens")


def encode(series: Sequence[Series]) -> str:
    """Megabytes in a second, and as a multiple of tiktoken's."""
    return grid(series, _rated(series), lambda case: f"{case}, MB/s")


def equal(series: Sequence[Series]) -> str:
    """How many ids differ, in each text."""
    return grid(_across(series), lambda one: f"{one.median:.0f}", str)


def decode(series: Sequence[Series]) -> str:
    """Millions of ids in a second, for each text, and as a multiple of tiktoken's."""
    across = _across(series)
    return grid(across, _rated(across), lambda corpus: f"{corpus}, million ids/s")


def sentence(series: Sequence[Series]) -> str:
    """Microseconds that half of the calls keep within, 99 of 100, and all."""
    return grid(series, lambda one: _spread(one, 1e6), lambda case: f"{case}, us")


def start(series: Sequence[Series]) -> str:
    """Milliseconds, and of how many tokens."""
    rows = [
        [f"`{one.contestant}`" + f", {one.amount:,} tokens" * bool(one.amount), _spread(one, 1e3)]
        for one in series
    ]
    return markdown(["", "ms"], rows)


def memory(series: Sequence[Series]) -> str:
    """Megabytes."""
    return grid(series, lambda one: figure(one.median / 1e6), lambda case: f"{case}, MB")


def growth(series: Sequence[Series]) -> str:
    """What each part of a text takes, and as a multiple of what the part before took."""
    parts = unique([one.contestant for one in series])
    before = dict(pairwise(reversed(parts)))

    def cell(one: Series) -> str:
        text = figure(one.median / (1 if one.unit == "s" else 1e6))
        smaller = pick(series, before.get(one.contestant, ""), one.case)
        return f"{text} {ratio(one.median, smaller.median)}" if smaller and smaller.median else text

    return grid(series, cell, str)


def long(series: Sequence[Series]) -> str:
    """Seconds for n bytes and for twice as many, and what the second is of the first."""
    names = unique([one.contestant for one in series])
    sizes = sorted({one.amount for one in series})
    head = [f"{name}: {size:,} bytes, s" for name in names for size in sizes]
    rows = []
    for case in unique([one.case for one in series]):
        row = [case]
        for name in names:
            found = [one for one in series if (one.contestant, one.case) == (name, case)]
            row += _steps(found, len(sizes))
        rows.append(row)
    return markdown(["", *head], rows)


def _steps(series: Sequence[Series], wanted: int) -> list[str]:
    """Return the medians of sizes that grow, each with its multiple of the one before."""
    if len(series) < wanted:
        return ["fails"] * wanted
    ordered = sorted(series, key=lambda one: one.amount)
    return [
        figure(ordered[0].median),
        *(f"{figure(b.median)} {ratio(b.median, a.median)}" for a, b in pairwise(ordered)),
    ]


def characters(series: Sequence[Series]) -> str:
    """Seconds and megabytes, by the length of the text."""
    rows = [
        [f"{taken.amount:,}", figure(taken.median), figure(peak.median / 1e6)]
        for taken, peak in zip(
            (one for one in series if one.unit == "s"),
            (one for one in series if one.unit == "bytes"),
            strict=True,
        )
    ]
    return markdown(["characters", "s", "peak memory, MB"], rows)


def grid(
    series: Sequence[Series], cell: Callable[[Series], str], heading: Callable[[str], str]
) -> str:
    """Return a table with a row for each contestant and a column for each case.

    cell: what is written of a series.
    heading: what is written above a case.
    """
    cases = unique([one.case for one in series])
    rows = []
    for name in unique([one.contestant for one in series]):
        found = [pick(series, name, case) for case in cases]
        rows.append([name, *(cell(one) if one else ABSENT for one in found)])
    return markdown(["", *map(heading, cases)], rows)


def _across(series: Sequence[Series]) -> list[Series]:
    """Return series of one case with the corpus in its place."""
    return [replace(one, case=one.corpus) for one in series]


def _spread(series: Series, scale: float = 1) -> str:
    """Return the median, and the lowest and the highest sample."""
    return _range(*(value * scale for value in (series.median, *series.spread)))


def _range(median: float, low: float, high: float) -> str:
    bounds = "once" if low == high else f"{figure(low)} to {figure(high)}"
    return f"{figure(median)} ({bounds})"


def _rated(series: Sequence[Series]) -> Callable[[Series], str]:
    """Return what writes a series as a rate in millions, beside tiktoken's."""

    def cell(one: Series) -> str:
        low, high = sorted(one.amount / value / 1e6 for value in one.spread)
        text = _range(one.rate / 1e6, low, high)
        reference = pick(series, REFERENCE, one.case)
        return f"{text} {ratio(one.rate, reference.rate)}" if reference else text

    return cell
