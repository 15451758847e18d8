"""The charts of docs/languages.md and of the speed, from the page's table and the measurements."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.report import ONE_PROCESS, OURS, Run, load_runs
from drawing import LEFT, WIDTH, Drawing
from generate.command import ROOT

_FOLDER: Final = Path("docs/pictures")
_ROW: Final = 13
_ROOM: Final = 44
"""What a number needs at the end of a bar."""


def files() -> dict[Path, str]:
    """Return the charts."""
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    return {
        _FOLDER / "languages.svg": _languages(table(page)),
        _FOLDER / "speed.svg": _speed(load_runs(ROOT / "docs" / "benchmarks.json")),
    }


def table(page: str) -> dict[str, dict[str, int]]:
    """Return how many tokens each tokenizer makes of each language, from the page's table."""
    rows = [
        [cell.strip("* ") for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", page, re.MULTILINE)
    ]
    (_, *names), _, *languages = rows
    return {
        language: {
            name: int(count.replace(",", "")) for name, count in zip(names, counts, strict=True)
        }
        for language, *counts in languages
        if language != "total"
    }


def _languages(tokens: Mapping[str, Mapping[str, int]]) -> str:
    """Draw how many times as many tokens as English each language needs, in each tokenizer."""
    drawing, english = Drawing(), tokens["English"]
    others = {name: counts for name, counts in tokens.items() if name != "English"}
    most = max(count / english[name] for each in others.values() for name, count in each.items())
    drawing.say("How many times the tokens of English", "strong")
    drawing.say("In bold: the tokenizer with the fewest tokens")
    for language, counts in others.items():
        drawing.text(LEFT, drawing.y + 15, language, "say strong")
        drawing.y += 21
        best = min(counts.values())
        ratios = {name: count / english[name] for name, count in counts.items()}
        marked = {name for name, count in counts.items() if count == best}
        _bars(drawing, ratios, most, marked, LEFT + 86)
    said = (
        f"{language}: {', '.join(f'{n} {_figure(c / english[n])}' for n, c in counts.items())}."
        for language, counts in others.items()
    )
    return drawing.svg(
        "Tokens for one text in nine languages, as multiples of English", " ".join(said)
    )


_PANELS: Final = {
    "Training on 60 MB, all cores": ("train", "seconds"),
    "Encoding 30 MB, one process": ("encode", "first"),
}
"""The section and the case of each part of the chart. Encoding takes half of a text."""

_TEXTS: Final = ("prose", "code", "scripts")
_NOT_SHOWN: Final = ("regex", "bpetite-core")


def _speed(runs: Sequence[Run]) -> str:
    """Draw how many seconds each library needs to train on a text, or to encode it."""
    drawing, said = Drawing(), []
    found = [_measured(runs, *key) for key in _PANELS.values()]
    drawing.say("Seconds: shorter is faster", "strong")
    drawing.y += 2
    for title, (_, seconds) in zip(_PANELS, found, strict=True):
        drawing.say(title, "strong")
        most = max(each for of_text in seconds.values() for each in of_text.values())
        for text, each in seconds.items():
            drawing.text(LEFT, drawing.y + 11, text, "say quiet")
            _bars(drawing, each, most, {OURS}, LEFT + 134)
            drawing.y += 4
            figures = (f"{name} {_figure(one)}" for name, one in each.items())
            said.append(f"{title}, {text}: {', '.join(figures)}.")
        drawing.y += 8
    for line in dict.fromkeys(line for facts, _ in found for line in _facts(facts)):
        drawing.text(LEFT, drawing.y + 12, line, "say small quiet")
        drawing.y += 16
    return drawing.svg(
        "Seconds that libraries need to train on about 60 MB of text, and to encode half of it",
        " ".join(said),
    )


def _measured(
    runs: Sequence[Run], section: str, case: str
) -> tuple[Mapping[str, str], dict[str, dict[str, float]]]:
    """Return the facts of the run that measured a section, and the median seconds by text."""
    seconds: dict[str, dict[str, float]] = {text: {} for text in _TEXTS}
    (run,) = (run for run in runs if any(one.section == section for one in run.series))
    for one in run.series:
        is_shown = one.corpus in seconds and one.contestant != ONE_PROCESS
        if is_shown and (one.section, one.case) == (section, case):
            seconds[one.corpus][one.contestant] = one.median
    return run.facts, seconds


def _facts(facts: Mapping[str, str]) -> list[str]:
    """Return what was measured, when, and beside which releases, in lines."""
    versions = dict(each.rsplit(" ", 1) for each in facts["versions"].split(", "))
    others = [f"{name} {it}" for name, it in versions.items() if name not in _NOT_SHOWN]
    ours = f"bpetite {versions['bpetite-core']}"
    return [
        f"{ours}, {facts['date'][:10]}, {facts['Python']}, {facts['cores']} cores",
        ", ".join(others[:2]),
        ", ".join(others[2:]),
    ]


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _bars(
    drawing: Drawing, values: Mapping[str, float], most: float, marked: set[str], left: float
) -> None:
    """Draw a bar for each value from `left` on, its name before it, and its figure after it."""
    for name, value in values.items():
        width = value / most * (WIDTH - LEFT - _ROOM - left)
        is_marked = name in marked
        style = f"say small {'strong' if is_marked else 'quiet'}"
        drawing.text(left - 6, drawing.y + 10, name, style, "end")
        drawing.box(left, drawing.y + 1, width, _ROW - 3, "ours" if is_marked else "others")
        drawing.text(left + width + 5, drawing.y + 10, _figure(value), style)
        drawing.y += _ROW
    drawing.y += 2
