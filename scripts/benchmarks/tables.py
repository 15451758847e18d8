"""Show series as Markdown tables. Ratios are ratios of medians, so a reader can check them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from benchmarks.results import Series, unique

ABSENT: Final = "-"

Cell = Callable[[Series, Series | None], str]
"""Formats a series, given that of the first row in the same column, if there is one."""

Key = tuple[str, str]
"""A section and a case."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def across(series: Sequence[Series], head: str, key: Key, cell: Cell) -> str:
    """Return a table with a row for each contestant, ours first, and a column for each text."""
    found = {(one.corpus, one.contestant): one for one in series if (one.section, one.case) == key}
    texts = unique(corpus for corpus, _ in found)
    contestants = unique(contestant for _, contestant in found)
    rows = [[contestant] for contestant in contestants]
    for row in rows:
        for text in texts:
            one = found.get((text, row[0]))
            row.append(cell(one, found.get((text, contestants[0]))) if one else ABSENT)
    return markdown([head, *texts], rows)


def figure(value: float) -> str:
    """Return a number to three digits, or a large one in full."""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.12g}"


def two_digits(value: float) -> str:
    """Return a ratio."""
    return figure(float(f"{value:.2g}"))


def bounds(ratios: Sequence[float]) -> str:
    """Return the lowest and the highest of some ratios."""
    low, high = (two_digits(bound(ratios, default=0)) for bound in (min, max))
    return ABSENT if not ratios else low if low == high else f"{low} to {high}"


def plain(unit: float = 1) -> Cell:
    """Format the median, as a multiple of a unit."""
    return lambda one, _: figure(one.median / unit)


def beside_first(one: Series, first: Series | None) -> str:
    """Format the seconds, and their ratio to the first row's."""
    ratio = f" ×{two_digits(one.median / first.median)}" if first else ""
    return figure(one.median) + ratio
