"""The table and the picture of docs/vocabulary-size.md, from what `vocabularies.py` measured."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from drawing import LEFT, Drawing
from generate.command import ROOT, filled, markdown

_PAGE: Final = Path("docs/vocabulary-size.md")
_SHOWN_COUNTS: Final = (100, 10)

Figures = Mapping[str, Any]  # JSON, as `vocabularies.py` writes it


def files() -> dict[Path, str]:
    """Return the page with its tables, and the picture."""
    measured = json.loads((ROOT / _PAGE.with_suffix(".json")).read_text(encoding="ascii"))
    # The texts that are not the beginning of another.
    whole = {name: one for name, one in measured["texts"].items() if "-" not in name}
    tables = {"counts": _counts(measured["texts"])}
    return {
        _PAGE: filled(str(_PAGE), tables),
        Path("docs/pictures/vocabulary-size.svg"): _drawn(measured["sizes"], whole),
    }


def _shares(name: str, text: Figures) -> list[float]:
    """Return the share of the tokens of its own text that each doubling of a vocabulary saves."""
    return [1 - low / high for low, high in pairwise(text["bytes per token"][name])]


def _counts(texts: Figures) -> str:
    """Return up to which size of the vocabulary every merged pair was counted so often."""
    rows = []
    # By megabytes: the whole texts differ by less, and keep their order.
    for name, one in sorted(texts.items(), key=lambda text: text[1]["bytes learned from"] // 10**6):
        counts = one["merge counts"]
        sizes = [256 + max(n for n, count in counts if count >= most) for most in _SHOWN_COUNTS]
        shown = ("all" if size == 256 + counts[-1][0] else f"{size:,}" for size in sizes)
        megabytes = f"{one['bytes learned from'] / 1e6:.1f} MB"
        rows.append([f"{name.partition('-')[0].capitalize()}, {megabytes}", *shown])
    return markdown(["learned from", *(f"{count:,} times" for count in _SHOWN_COUNTS)], rows)


_TOP: Final = 34
_HEIGHT: Final = 220
_PLOT: Final = LEFT + 34
_NAMES: Final = 258
"""Where the curves end, and their names begin."""

_MOST: Final = 0.25
_BETWEEN: Final = 15
_DASHES: Final = ("", "6 3", "2 2.5", "9 3 2 3", "12 4")
"""What tells the lines apart, with their marks: a shape has so many corners."""

_CORNERS: Final = (12, 4, 3, 5, 2)


def _drawn(sizes: Sequence[int], texts: Figures) -> str:
    """Draw the share of tokens that each doubling saves, from the second doubling on.

    The first one saves half and more, so the others would be close together below it.
    """
    drawing, doubled = Drawing(), sizes[2:]
    across = (_NAMES - _PLOT) / (len(doubled) - 1)
    drawing.say("Tokens saved by doubling the vocabulary", "strong")

    def height_of(share: float) -> float:
        return _TOP + 14 + _HEIGHT * (1 - share / _MOST)

    for percent in range(0, 100, 5):
        y = height_of(percent / 100)
        if percent / 100 <= _MOST:
            drawing.path([(_PLOT - 4, y), (_NAMES, y)], "rule")
            drawing.text(_PLOT - 9, y + 4, f"{percent} %", "say small quiet", "end")
    bottom = height_of(0)
    for place, size in enumerate(doubled):
        x = _PLOT + place * across
        drawing.path([(x, bottom), (x, bottom + 4)], "rule")
        if place % 2 == 0:
            drawing.text(x, bottom + 17, f"{size:,}", "say small quiet", "middle")
    drawing.text(_NAMES, bottom + 33, "doubled to this many tokens", "say small quiet", "end")
    ends = {}
    for (name, one), dashes, corners in zip(texts.items(), _DASHES, _CORNERS, strict=True):
        shares = _shares(name, one)[1:]
        points = [(_PLOT + n * across, height_of(share)) for n, share in enumerate(shares)]
        drawing.path(points, "curve", dashes)
        for x, y in points:
            drawing.path(_mark(x, y, corners), "mark")
        ends[name] = points[-1][1]
    label = 0.0
    for name, y in sorted(ends.items(), key=lambda end: end[1]):
        label = max(label + _BETWEEN, y)
        drawing.text(_NAMES + 14, label + 4, name.capitalize(), "say")
    drawing.y = bottom + 40
    said = (
        f"{name.capitalize()}: {', '.join(f'{share:.1%}' for share in _shares(name, one)[1:])}."
        for name, one in texts.items()
    )
    return drawing.svg(
        f"Tokens saved by each doubling of the vocabulary, to {doubled[0]:,} and on to"
        f" {doubled[-1]:,}",
        " ".join(said),
    )


def _mark(x: float, y: float, corners: int) -> list[tuple[float, float]]:
    """Return the corners of a mark around a point, the first of them above it, and closed."""
    turns = (2 * math.pi * n / corners for n in range(corners + 1))
    return [(x + 3.6 * math.sin(turn), y - 3.6 * math.cos(turn)) for turn in turns]
