"""The pictures of docs/vocabulary-size.md, drawn from the committed figures.

With the same matplotlib release, the same figures give the same files. The background is
transparent, and the gray lines are readable on light and dark pages.
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from generate.sizes import Figures, read_figures, whole

_INK: Final = "#808080"
_COLORED: Final = (
    *("axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "grid.color", "legend.labelcolor"),
    *("xtick.color", "ytick.color"),
)
_STYLE: Final = {
    **dict.fromkeys(_COLORED, _INK),
    **dict.fromkeys(("axes.spines.left", "axes.spines.right", "axes.spines.top"), False),
    "font.family": ["DejaVu Sans", "sans-serif"],  # the second is a fallback
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text, and the file small
    "svg.hashsalt": "bpetite",  # otherwise element ids change every time
}
_DOTS: Final[Mapping[str, Any]] = {"marker": "o", "markersize": 3}
_COMPARED: Final = ("prose", "code", "russian")
"""Texts whose bytes per token are of the same size, so their curves can share an axis."""


def files() -> dict[Path, str]:
    """Return the pictures."""
    measured = read_figures()
    with mpl.rc_context(_STYLE):
        drawn = {
            "vocabulary-size": _svg(_own_texts(measured)),
            "other-texts": _svg(_other_texts(measured)),
        }
    return {Path(f"docs/pictures/{name}.svg"): svg for name, svg in drawn.items()}


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def _panels(height: float, count: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure of panels side by side, with a grid."""
    figure = Figure(figsize=(8, height), layout="constrained")
    panels: list[Axes] = [*figure.subplots(1, count, sharey=True, squeeze=False).flat]
    for axes in panels:
        axes.grid(visible=True)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
    panels[0].set_ylabel("bytes per token")
    return figure, panels


def _by_size(axes: Axes, sizes: Sequence[int]) -> None:
    """Name some sizes of the vocabulary below a panel, on a log scale."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("vocabulary size")


def _own_texts(measured: Figures) -> Figure:
    """Draw the bytes per token of each held-out text against the size of its vocabulary."""
    figure, [axes] = _panels(3.5)
    for name, values in whole(measured["texts"]).items():
        found = values["bytes per token"][name]
        axes.plot(measured["sizes"], found, label=name.capitalize(), **_DOTS)
    _by_size(axes, measured["sizes"])
    axes.legend(loc="upper left")
    return figure


def _other_texts(measured: Figures) -> Figure:
    """Draw a panel for each held-out text, with a line for each training text."""
    figure, panels = _panels(3, len(_COMPARED))
    for axes, name in zip(panels, _COMPARED, strict=True):
        axes.set_title(f"{name.capitalize()}, held out", loc="left")
        for learned in _COMPARED:
            found = measured["texts"][learned]["bytes per token"][name]
            axes.plot(measured["sizes"], found, label=learned.capitalize(), **_DOTS)
        _by_size(axes, [512, 4096, 32768])
    lines, labels = panels[0].get_legend_handles_labels()
    legend = figure.legend(
        lines, labels, title="learned from", loc="outside lower center", ncols=len(labels)
    )
    legend.get_title().set_color(_INK)
    return figure
