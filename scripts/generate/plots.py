"""The figures that say most, as one SVG: training, and encoding twice.

It is the same file for the same samples. Its ground is transparent and its ink is a grey
that can be read on a light page and on a dark one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ours import VOCAB_SIZE
from results import OURS, Run, Series, comparable, latest, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK: Final = "#808080"
STYLE: Final = {
    "axes.edgecolor": _INK,
    "axes.titlecolor": _INK,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["DejaVu Sans", "sans-serif"],  # the second where a reader lacks the first
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.alpha": 0.3,
    "grid.color": _INK,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
    "svg.fonttype": "none",  # text stays text, and the file small
    "svg.hashsalt": "bpetite",  # ids of elements are otherwise new each time
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

    series = comparable(latest(runs))
    panels = [
        (title, [one for one in series if (one.section, one.case) == (section, case)])
        for section, case, title in _PANELS
    ]
    names = unique([one.contestant for _, found in panels for one in found])
    rows = max(len(unique([one.corpus for one in found])) for _, found in panels)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, len(panels) * (0.9 + 0.25 * rows)), layout="constrained")
        for place, (title, found) in enumerate(panels, 1):
            axes = figure.add_subplot(len(panels), 1, place)
            axes.set_title(title, loc="left")
            _draw(axes, found, {name: f"C{number}" for number, name in enumerate(names)})
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})


def _draw(axes: "Axes", series: Sequence[Series], colours: dict[str, str]) -> None:
    """Draw a line for each text, and a dot on it for each contestant."""
    corpora = unique([one.corpus for one in series])
    for name in unique([one.contestant for one in series]):
        found = [one for one in series if one.contestant == name]
        axes.plot(
            [one.rate / 1e6 for one in found],
            [corpora.index(one.corpus) for one in found],
            color=colours[name],
            label=name,
            linestyle="none",
            marker="D" if name == OURS else "o",
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(range(len(corpora)), corpora)
    axes.set_ylim(len(corpora) - 0.5, -0.5)
    axes.grid(visible=True)
    axes.tick_params(length=0)
    if series:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
