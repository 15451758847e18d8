"""The pictures of docs/pictures.md and docs/vocabulary-size.md, drawn from the committed figures.

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

from generate.pictures import CLASSES, FIGURES_ON_SIZES, Figures, of_classes, read_figures, whole

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
    "text.parse_math": False,  # a name with two dollars is no formula
}
_DOTS: Final[Mapping[str, Any]] = {"marker": "o", "markersize": 3}
_LONGEST: Final = 20


def files() -> dict[Path, str]:
    """Return the pictures."""
    drawn = pictures(read_figures())
    with mpl.rc_context(_STYLE):
        drawn["vocabulary-size"] = _svg(_sizes(read_figures(FIGURES_ON_SIZES)))
    return {Path(f"docs/pictures/{name}.svg"): svg for name, svg in drawn.items()}


def pictures(measured: Figures) -> dict[str, str]:
    """Return the pictures of docs/pictures.md."""
    texts = measured["texts"]
    with mpl.rc_context(_STYLE):
        return {
            "bytes-per-token": _svg(_bytes_per_token(texts, measured["sizes"])),
            "merges": _svg(_merges(texts)),
            "token-lengths": _svg(_lengths(texts)),
            "vocabularies": _svg(_classes(texts)),
        }


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def _panels(
    width: float, height: float, count: int = 1, *, label: str = ""
) -> tuple[Figure, list[Axes]]:
    """Return a figure of panels side by side, with a grid; the first one has the label."""
    figure = Figure(figsize=(width, height), layout="constrained")
    panels: list[Axes] = [*figure.subplots(1, count, sharey=True, squeeze=False).flat]
    for axes in panels:
        axes.grid(visible=True)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
    panels[0].set_ylabel(label)
    return figure, panels


def _by_size(axes: Axes, sizes: Sequence[int]) -> None:
    """Name some sizes of the vocabulary below a panel, on a log scale."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("vocabulary size")


def _sizes(measured: Figures) -> Figure:
    """Draw the bytes per token of each held-out text against the size of its vocabulary."""
    figure, [axes] = _panels(8, 3.5, label="bytes per token")
    for name, values in whole(measured["texts"]).items():
        found = values["bytes per token"][name]
        axes.plot(measured["sizes"], found, label=name.capitalize(), **_DOTS)
    _by_size(axes, measured["sizes"])
    axes.legend(loc="upper left")
    return figure


def _bytes_per_token(texts: Figures, sizes: Sequence[int]) -> Figure:
    """Draw a panel for each held-out text, with a line for each training text."""
    width = 8 * max(1, len(texts) / 3)
    figure, panels = _panels(width, 3, len(texts), label="bytes per token")
    for axes, name in zip(panels, texts, strict=True):
        axes.set_title(f"{name}, held out", loc="left")
        for learned, values in texts.items():
            axes.plot(sizes, values["bytes per token"][name], label=learned, **_DOTS)
        _by_size(axes, sizes[1::2])
    panels[0].legend(title="learned from", loc="upper left").get_title().set_color(_INK)
    return figure


def _merges(texts: Figures) -> Figure:
    """Draw how often each hundredth merged pair occurred in the text, on a log scale."""
    figure, [axes] = _panels(8, 3, label="count of the pair that is merged")
    for name, values in texts.items():
        axes.plot(*zip(*values["merge counts"], strict=True), label=name)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("merges learned")
    axes.legend()
    return figure


def _lengths(texts: Figures) -> Figure:
    """Draw the distribution of token lengths, in the vocabulary and in a text."""
    figure, panels = _panels(8, 3, 2)
    for axes, where in zip(panels, ("vocabulary", "held-out text"), strict=True):
        axes.set_title(f"tokens of the {where}", loc="left")
        for name, values in texts.items():
            shares = _shares(values[where]["lengths"])
            axes.plot(range(1, _LONGEST + 1), shares, label=name, **_DOTS)
        axes.set_xticks([1, 5, 10, 15, 20], ["1", "5", "10", "15", "20 or more"])
        axes.set_xlabel("bytes")
        axes.yaxis.set_major_formatter("{x:g}%")
    panels[1].legend()
    return figure


def _shares(lengths: Mapping[str, int]) -> list[float]:
    """Return the share of each length in percent; the last one includes all longer tokens."""
    counts = [0] * _LONGEST
    for length, count in lengths.items():
        counts[min(int(length), _LONGEST) - 1] += count
    return [100 * count / sum(counts) for count in counts]


def _classes(texts: Figures) -> Figure:
    """Draw two bars for each text: the classes in its vocabulary, and those in the text."""
    figure, [axes] = _panels(8, 1.8 + 0.6 * len(texts))
    bars = {
        f"{name}, {where}": of_classes(values[where]["classes"])
        for name, values in texts.items()
        for where in ("vocabulary", "held-out text")
    }
    starts = [0.0] * len(bars)
    for place, (made_of, color) in enumerate(CLASSES.items()):
        shares = [found[place] for found in bars.values()]
        label = "Canadian syllabics" if made_of == "Canadian" else made_of
        axes.barh(range(len(bars)), shares, left=starts, color=color, label=label)
        starts = [start + share for start, share in zip(starts, shares, strict=True)]
    axes.set_yticks(range(len(bars)), list(bars))
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter("{x:g}%")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.08), ncols=5)
    return figure
