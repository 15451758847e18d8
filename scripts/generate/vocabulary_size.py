"""The tables and the picture of docs/vocabulary-size.md, from what `vocabularies.py` measured.

With the same matplotlib release, the same figures give the same file. The background is
transparent, and the gray lines are readable on light and dark pages.
"""

import io
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from generate.command import ROOT, filled, markdown

_PAGE: Final = Path("docs/vocabulary-size.md")
_SHOWN_COUNTS: Final = (100, 10)

_INK: Final = "#808080"
_STYLE: Final = {
    "axes.edgecolor": _INK,
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
    "lines.marker": "o",
    "svg.fonttype": "none",  # text stays text, and the file small
    "svg.hashsalt": "bpetite",  # otherwise element ids change every time
    "xtick.color": _INK,
    "ytick.color": _INK,
}

Figures = Mapping[str, Any]  # JSON, as `vocabularies.py` writes it


def files() -> dict[Path, str]:
    """Return the page with its tables, and the picture."""
    measured = json.loads((ROOT / _PAGE.with_suffix(".json")).read_text(encoding="ascii"))
    # The texts that are not the beginning of another.
    whole = {name: one for name, one in measured["texts"].items() if "-" not in name}
    tables = {"saved": _saved(measured["sizes"], whole), "counts": _counts(measured["texts"])}
    return {
        _PAGE: filled(str(_PAGE), tables),
        Path("docs/pictures/vocabulary-size.svg"): _drawn(measured["sizes"], whole),
    }


def _saved(sizes: Sequence[int], texts: Figures) -> str:
    """Return the share of tokens that each doubling of the vocabulary saves on held-out text."""
    rows = []
    for name, one in texts.items():
        saved = [f"{1 - low / high:.1%}" for low, high in pairwise(one["bytes per token"][name])]
        rows.append([name.capitalize(), *saved])
    return markdown(["a doubling to", *(f"{size:,}" for size in sizes[1:])], rows)


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


def _drawn(sizes: Sequence[int], texts: Figures) -> str:
    """Draw the bytes per token of each held-out text against the size of its vocabulary."""
    file = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8, 3.5), layout="constrained")
        axes = figure.subplots()
        for name, one in texts.items():
            axes.plot(sizes, one["bytes per token"][name], label=name.capitalize())
        axes.set_ylabel("bytes per token")
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("vocabulary size")
        axes.legend(loc="upper left")
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()
