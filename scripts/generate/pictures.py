"""Fill the tables of two pages with what `scripts/benchmarks/vocabularies.py` measured.

They are docs/pictures.md and docs/vocabulary-size.md.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import regex

from benchmarks.tables import figure, markdown
from generate.places import filled

CLASSES: Final = {
    "Latin": "#4c78a8",
    "Cyrillic": "#72b7b2",
    "Armenian": "#54a24b",
    "Canadian": "#88d27a",
    "Cherokee": "#b279a2",
    "Coptic": "#d6a5c9",
    "Syriac": "#9d755d",
    "Gujarati": "#d8b5a5",
    "other scripts": "#79706e",
    "marks and modifiers": "#bab0ac",
    "part of a character": "#e45756",
    "digits": "#eeca3b",
    "punctuation": "#f58518",
    "whitespace": "#ffbf79",
}
"""The classes of tokens, each with its color, in drawing order."""
_SHOWN_CHARACTERS: Final = 32
_SHOWN_COUNTS: Final = (100, 10)

_DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = _DOCS / "pictures.md"
_FIGURES: Final = _DOCS / "pictures.json"
_ON_SIZES: Final = _DOCS / "vocabulary-size.md"
FIGURES_ON_SIZES: Final = _DOCS / "vocabulary-size.json"

Figures = Mapping[str, Any]  # JSON, as `vocabularies.py` writes it


def files() -> dict[Path, str]:
    """Return the pages with their tables."""
    measured = read_figures(FIGURES_ON_SIZES)
    of_sizes = {"saved": _saved(measured), "counts": _counts(measured["texts"])}
    return {
        Path("docs/pictures.md"): filled(PAGE.read_text("utf-8"), tables(read_figures())),
        Path("docs/vocabulary-size.md"): filled(_ON_SIZES.read_text("utf-8"), of_sizes),
    }


def tables(measured: Figures) -> dict[str, str]:
    """Return the tables."""
    texts = measured["texts"]
    rows = ("bytes learned from", "bytes held out")
    sizes = [[row, *(f"{one[row]:,}" for one in texts.values())] for row in rows]
    return {
        "sizes": markdown(["text", *texts], sizes),
        "lengths": _lengths(texts),
        "examples": _examples(texts),
    }


def read_figures(path: Path = _FIGURES) -> Figures:
    """Return the figures in a file, or the committed ones."""
    figures: Figures = json.loads(path.read_text(encoding="ascii"))
    return figures


def of_classes(found: Mapping[str, int]) -> list[float]:
    """Return the share of each of `CLASSES` in percent, combining all other letters."""
    counts = dict.fromkeys(CLASSES, 0)
    for made_of, count in found.items():
        counts[made_of if made_of in counts else "other scripts"] += count
    return [100 * count / sum(counts.values()) for count in counts.values()]


def _lengths(texts: Figures) -> str:
    rows = []
    for where in ("vocabulary", "held-out text"):
        rows.append([f"tokens of the {where}"])
        for one in texts.values():
            lengths = one[where]["lengths"]
            total = sum(int(length) * count for length, count in lengths.items())
            rows[-1].append(figure(total / sum(lengths.values())))
    return markdown(["mean length in bytes", *texts], rows)


def _examples(texts: Figures) -> str:
    rows = [
        [order, *(" ".join(map(_visible, one["examples"][order])) for one in texts.values())]
        for order in ("first", "most used", "longest words")
    ]
    return markdown(["tokens", *texts], rows)


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


def _visible(token: str) -> str:
    """Return a token as the page shows it: whitespace as marks, bytes in hex, a long token cut."""
    token = regex.sub(
        r"(?:\\x([0-9a-f]{2}))+", lambda found: f"‹{''.join(found.captures(1))}›", token
    )
    text = token.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥").replace("|", "\\|")
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    if regex.match(r"\p{M}", text):
        text = f"◌{text}"  # a combining mark would attach to the quote before it
    return f"`{text}`"
