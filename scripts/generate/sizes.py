"""Fill the tables of docs/vocabulary-size.md with what `vocabularies.py` measured."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.tables import markdown
from generate.places import filled

_SHOWN_COUNTS: Final = (100, 10)
_DOCS: Final = Path(__file__).parents[2] / "docs"
_PAGE: Final = _DOCS / "vocabulary-size.md"

Figures = Mapping[str, Any]  # JSON, as `vocabularies.py` writes it


def files() -> dict[Path, str]:
    """Return the page with its tables."""
    measured = read_figures()
    tables = {"saved": _saved(measured), "counts": _counts(measured["texts"])}
    return {Path("docs/vocabulary-size.md"): filled(_PAGE.read_text("utf-8"), tables)}


def read_figures() -> Figures:
    """Return the committed figures."""
    figures: Figures = json.loads(_PAGE.with_suffix(".json").read_text(encoding="ascii"))
    return figures


def whole(texts: Figures) -> Figures:
    """Return the figures of texts that are not the beginning of another."""
    return {name: one for name, one in texts.items() if "-" not in name}


def _saved(measured: Figures) -> str:
    """Return the share of tokens that each doubling of the vocabulary saves on held-out text."""
    rows = []
    for name, one in whole(measured["texts"]).items():
        saved = [f"{1 - low / high:.1%}" for low, high in pairwise(one["bytes per token"][name])]
        rows.append([name.capitalize(), *saved])
    return markdown(["a doubling to", *(f"{size:,}" for size in measured["sizes"][1:])], rows)


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
