"""The figures that say most, as one SVG: training to 32,000 tokens, and encoding.

It is the same file for the same samples. Its ground is transparent and its ink is a grey
that can be read on a light page and on a dark one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ours import VOCAB_SIZE
from results import Run, Series, unique
from tables import pick

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK: Final = "#808080"
_STYLE: Final = {
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.fonttype": "none",  # text stays text, and the file small
    "svg.hashsalt": "bpetite",  # ids of elements are otherwise new each time
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}
_PANELS: Final = (
    ("train", str(VOCAB_SIZE), f"Training to {VOCAB_SIZE:,} tokens, MB/s"),
    ("encode", "first pass", "Encoding, first pass, MB/s"),
    ("encode", "warm", "Encoding, warm, MB/s"),
)


def save_plot(runs: Sequence[Run], path: Path) -> None:
    """Draw the throughput of every contestant on every text, on scales of powers of ten."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    series = [one for run in runs for one in run.series]
    panels = [
        (title, found)
        for section, case, title in _PANELS
        if (found := [one for one in series if (one.section, one.case) == (section, case)])
    ]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 3 * max(len(panels), 1)), layout="constrained")
        for place, (title, found) in enumerate(panels, 1):
            _draw(figure.add_subplot(len(panels), 1, place), title, found)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})


def _draw(axes: "Axes", title: str, series: Sequence[Series]) -> None:
    """Draw a group of bars for each text, with a bar for each contestant."""
    corpora = unique([one.corpus for one in series])
    names = unique([one.contestant for one in series])
    width = 0.8 / len(names)
    for place, name in enumerate(names):
        found = [
            pick([one for one in series if one.corpus == corpus], name, series[0].case)
            for corpus in corpora
        ]
        heights = [one.rate / 1e6 if one else 0.0 for one in found]
        offset = (place - (len(names) - 1) / 2) * width
        axes.bar([x + offset for x in range(len(corpora))], heights, width, label=name)
    axes.set_yscale("log")
    axes.set_title(title, loc="left", color=_INK)
    axes.set_xticks(range(len(corpora)), corpora)
    axes.legend(frameon=False, labelcolor=_INK, loc="upper left", bbox_to_anchor=(1, 1))
