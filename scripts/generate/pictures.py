"""Draw docs/pictures/*.svg, and make the tables of docs/pictures.md, from what was measured.

    uv run --group bench python scripts/bench/pictures.py

It is run at the top of a clone, and reads docs/pictures.json, which `vocabularies.py` makes,
and docs/benchmarks*.json. The same figures give the same files, with the same release of
matplotlib; where none is installed, the pictures stay as they are.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from picture_tables import CLASSES, Figures, class_name, filled, of_classes
from plot import STYLE
from results import Series, comparable, latest, load_run, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DOCS: Final = Path("docs")
_PAGE: Final = _DOCS / "pictures.md"
_LONGEST: Final = 20
_COLOURS: Final = {"prose": "C0", "code": "C1", "multilingual": "C2"}

Draw = Callable[["Figure"], None]


def colour_of(text: str) -> str:
    """Return the colour of a text, the same in all pictures."""
    return _COLOURS.get(text, "C3")


def bytes_per_token(figures: Figures, sizes: Sequence[int]) -> Draw:
    """Draw a panel for each held-out text, with a line for each text that was learned from."""

    def draw(whole: "Figure") -> None:
        panels = whole.subplots(1, len(figures), sharey=True)
        for axes, name in zip(panels, figures, strict=True):
            axes.set_title(f"{name}, held out", loc="left")
            for learned, values in figures.items():
                style = {"marker": "o", "markersize": 3, "color": colour_of(learned)}
                axes.plot(sizes, values["bytes per token"][name], label=learned, **style)
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes[1::2], [f"{size:,}" for size in sizes[1::2]])
            axes.minorticks_off()
            axes.set_xlabel("vocabulary size")
            _plain(axes)
        panels[0].set_ylabel("bytes per token")
        panels[0].legend(title="learned from", loc="upper left").get_title().set_color(
            STYLE["legend.labelcolor"]
        )

    return draw


def merges(figures: Figures) -> Draw:
    """Draw how often the pair of each hundredth merge stood in the text, on a log scale."""

    def draw(whole: "Figure") -> None:
        axes = whole.subplots()
        for name, values in figures.items():
            axes.plot(*zip(*values["merge counts"], strict=True), label=name, color=colour_of(name))
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("merges learned")
        axes.set_ylabel("count of the pair that is merged")
        axes.legend()
        _plain(axes)

    return draw


def lengths(figures: Figures) -> Draw:
    """Draw the share of the tokens that have each length, in the vocabulary and in a text."""

    def draw(whole: "Figure") -> None:
        panels = whole.subplots(1, 2, sharey=True)
        for axes, where in zip(panels, ("vocabulary", "held-out text"), strict=True):
            axes.set_title(f"tokens of the {where}", loc="left")
            for name, values in figures.items():
                shares = _shares(values[where]["lengths"])
                axes.plot(
                    range(1, _LONGEST + 1),
                    shares,
                    color=colour_of(name),
                    label=name,
                    marker="o",
                    markersize=3,
                )
            axes.set_xticks([1, 5, 10, 15, 20], ["1", "5", "10", "15", "20 or more"])
            axes.set_xlabel("bytes")
            axes.yaxis.set_major_formatter("{x:g}%")
            _plain(axes)
        panels[1].legend()

    return draw


def _shares(lengths: Mapping[str, int]) -> list[float]:
    """Return the share of each length in percent; the last one is of all that are longer, too."""
    counts = [0] * _LONGEST
    for length, count in lengths.items():
        counts[min(int(length), _LONGEST) - 1] += count
    return [100 * count / sum(counts) for count in counts]


def speed(series: Sequence[Series], sizes: Mapping[str, int]) -> Draw:
    """Draw the growth of our times with the text above, and the speed of all below."""

    def draw(whole: "Figure") -> None:
        panels = whole.subplots(2, 2)
        titles = ("training to 32,000 tokens, s", "encoding, first pass, s")
        for axes, case, title in zip(panels[0], ("train, s", "encode, s"), titles, strict=True):
            axes.set_title(f"bpetite: {title}", loc="left")
            for name, size in sizes.items():
                found = [
                    s for s in series if (s.section, s.corpus, s.case) == ("growth", name, case)
                ]
                parts = [size / 1e6 / _divisor(one.contestant) for one in found]
                axes.plot(
                    parts,
                    [one.median for one in found],
                    color=colour_of(name),
                    label=name,
                    marker="o",
                )
            axes.set_xlabel("MB of text")
            axes.set_ylim(0)
            axes.set_xlim(0)
            _plain(axes)
        panels[0, 0].legend()
        cases = (
            ("train", "32000", "training to 32,000 tokens"),
            ("encode", "warm", "encoding, warm"),
        )
        for axes, (section, case, title) in zip(panels[1], cases, strict=True):
            axes.set_title(f"{title}, MB/s", loc="left")
            found = [one for one in series if (one.section, one.case) == (section, case)]
            _peers(axes, found)

    return draw


def _divisor(part: str) -> int:
    """Return 8 of "1/8"."""
    return int(part.rpartition("/")[2])


def _peers(axes: "Axes", series: Sequence[Series]) -> None:
    """Draw a line for each contestant, and a dot on it for each text."""
    names = unique([one.contestant for one in series])
    for corpus in unique([one.corpus for one in series]):
        found = [one for one in series if one.corpus == corpus]
        axes.plot(
            [one.rate / 1e6 for one in found],
            [names.index(one.contestant) for one in found],
            color=colour_of(corpus),
            linestyle="none",
            marker="o",
            markersize=5,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    _plain(axes)


def classes(figures: Figures) -> Draw:
    """Draw two bars for each text: what its vocabulary is made of, and what the text takes."""

    def draw(whole: "Figure") -> None:
        axes = whole.subplots()
        bars = {
            f"{name}, {where}": of_classes(values[where]["classes"])
            for name, values in figures.items()
            for where in ("vocabulary", "held-out text")
        }
        starts = [0.0] * len(bars)
        for place, (made_of, colour) in enumerate(CLASSES.items()):
            shares = [found[place] for found in bars.values()]
            label = class_name(made_of)
            axes.barh(range(len(bars)), shares, left=starts, color=colour, label=label)
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
        axes.set_yticks(range(len(bars)), list(bars))
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.xaxis.set_major_formatter("{x:g}%")
        axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.08), ncols=5)
        _plain(axes)

    return draw


def _plain(axes: "Axes") -> None:
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)


def save(draw: Draw, name: str, size: tuple[float, float]) -> None:
    """Write one picture, of so many inches."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**STYLE, "axes.labelcolor": STYLE["axes.titlecolor"]}):
        whole = Figure(figsize=size, layout="constrained")
        draw(whole)
        path = _DOCS / "pictures" / f"{name}.svg"
        path.parent.mkdir(exist_ok=True)
        whole.savefig(path, format="svg", transparent=True, metadata={"Date": None})


def main() -> int:
    """Write the tables, and the pictures where they can be drawn."""
    try:
        measured = json.loads((_DOCS / "pictures.json").read_text(encoding="ascii"))
        _PAGE.write_text(filled(_PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
        if find_spec("matplotlib"):
            draw_all(measured)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def draw_all(measured: Figures) -> None:
    """Draw the five pictures."""
    texts = measured["texts"]
    runs = [load_run(path) for path in sorted(_DOCS.glob("benchmarks*.json"))]
    growth = next(run for run in runs if any(one.section == "growth" for one in run.series))
    series = comparable(latest(runs))
    sizes = {name: size for name, (size, _) in growth.corpora.items()}
    save(bytes_per_token(texts, measured["sizes"]), "bytes-per-token", (8, 3))
    save(merges(texts), "merges", (8, 3))
    save(lengths(texts), "token-lengths", (8, 3))
    save(speed(series, sizes), "speed", (8, 5.5))
    save(classes(texts), "vocabularies", (8, 3.6))


if __name__ == "__main__":
    sys.exit(main())
