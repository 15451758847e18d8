"""Series as tables of Markdown. Ratios are ratios of medians, which a reader can check."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from bench.results import OURS, REFERENCE, Series, unique

ABSENT: Final = "-"

Cell = Callable[[Series, Sequence[Series]], str]
"""Writes one of some series."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def grid(series: Sequence[Series], cell: Cell, heading: Callable[[str], str] = str) -> str:
    """Return a table with a row for each contestant and a column for each case."""
    cases = unique(one.case for one in series)
    rows = []
    for name in unique(one.contestant for one in series):
        found = [pick(series, name, case) for case in cases]
        rows.append([name, *(cell(one, series) if one else ABSENT for one in found)])
    return markdown(["", *map(heading, cases)], rows)


def pick(series: Iterable[Series], contestant: str, case: str) -> Series | None:
    """Return the series of a contestant in a case, if there is one."""
    found = (one for one in series if (one.contestant, one.case) == (contestant, case))
    return next(found, None)


def figure(value: float) -> str:
    """Return a number to three digits, or a large one to its last."""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.12g}"


def two_digits(value: float) -> str:
    """Return a ratio."""
    return figure(float(f"{value:.2g}"))


def bounds(ratios: Sequence[float]) -> str:
    """Return the lowest of some ratios and the highest."""
    if not ratios:
        return ABSENT
    low, high = two_digits(min(ratios)), two_digits(max(ratios))
    return low if low == high else f"{low} to {high}"


def plain(unit: float = 1) -> Cell:
    """Write the median, as a multiple of a unit."""
    return lambda one, _: figure(one.median / unit)


def spread(scale: float = 1) -> Cell:
    """Write the median, and the lowest and the highest sample."""

    def cell(one: Series, _: Sequence[Series]) -> str:
        return _range(*(value * scale for value in (one.median, *_bounds(one))))

    return cell


def beside_ours(one: Series, series: Sequence[Series]) -> str:
    """Write the seconds, and as a multiple of ours."""
    ours = pick(series, OURS, one.case)
    ratio = f" ×{two_digits(one.median / ours.median)}" if ours else ""
    return spread()(one, series) + ratio


def rate(one: Series, series: Sequence[Series]) -> str:
    """Write the amount in a second, in millions, and as a multiple of tiktoken's."""
    low, high = sorted(one.amount / value / 1e6 for value in _bounds(one))
    reference = pick(series, REFERENCE, one.case)
    ratio = f" ×{two_digits(one.rate / reference.rate)}" if reference else ""
    return _range(one.rate / 1e6, low, high) + ratio


def by_unit(one: Series, series: Sequence[Series]) -> str:
    """Write seconds, or megabytes."""
    return plain(1 if one.unit == "s" else 1e6)(one, series)


def share(one: Series, _: Sequence[Series]) -> str:
    """Write a share in percent."""
    return f"{one.median:.1%}"


def _bounds(one: Series) -> tuple[float, float]:
    return min(one.samples), max(one.samples)


def _range(median: float, low: float, high: float) -> str:
    bounds = "once" if low == high else f"{figure(low)} to {figure(high)}"
    return f"{figure(median)} ({bounds})"
