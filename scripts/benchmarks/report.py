"""Show measurements as Markdown tables: one for each section, and a summary.

The text around them is in docs/benchmarks.md, which gets its tables from here.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from benchmarks.results import ONE_JOB, OURS, Run, Series, unique
from benchmarks.tables import Cell, Key, across, beside_first, bounds, markdown, plain

_TABLES: Final[dict[str, list[tuple[str, Key, Cell]]]] = {
    "goals": [
        ("training to 512 tokens, ms; at most 60,000", ("small", "seconds"), plain(1e-3)),
        ("50 words again and again, p99, ms; at most 100", ("sentence", "p99"), plain(1e-3)),
    ],
    "train": [("s", ("train", "seconds"), beside_first)],
    "gpt4": [("s", ("gpt4", "seconds"), beside_first)],
    "encode": [("s", ("encode", "first"), beside_first)],
    "patterns": [("encoding, s", ("patterns", "first"), beside_first)],
    "cores": [("s", ("cores", "seconds"), beside_first)],
    "command": [("s", ("command", "whole"), beside_first)],
    "decode": [("s", ("encode", "decode"), beside_first)],
    "start": [("ms", ("start", "seconds"), plain(1e-3))],
}
"""The tables of each section: the unit, the section and the case of the series, and the cells."""

_SUMMARY: Final[dict[str, Key]] = {
    "training from a file, all cores": ("train", "seconds"),
    "encoding, one process": ("encode", "first"),
    "encoding, all cores": ("cores", "seconds"),
    "decoding": ("encode", "decode"),
}


def sections(runs: Sequence[Run]) -> dict[str, str]:
    """Return the tables of the page by their names: sections, summary and runs."""
    series = [one for run in runs for one in run.series]
    long = unique(one.case for one in series if one.section == "long")
    shown = {
        name: "\n".join(across(series, *table) for table in tables)
        for name, tables in _TABLES.items()
    }
    for section in ("train", "gpt4"):
        shown[section] += _same_tokens(series, section)
    shown["encode"] += _different_ids(series, "equal")
    shown["patterns"] += _different_ids(series, "patterns")
    return {
        "summary": _summary(runs),
        **shown,
        "long": "\n".join(
            across(series, f"{int(size):,} bytes, s", ("long", size), plain()) for size in long
        ),
        "runs": "\n".join(map(_run, runs)) + "\n",
    }


def report(runs: Sequence[Run]) -> str:
    """Return all tables of some runs, each below its name."""
    return "\n".join(f"## {name.capitalize()}\n\n{table}" for name, table in sections(runs).items())


def short(runs: Sequence[Run]) -> str:
    """Return what the README says about speed, with the releases and the machine."""
    (facts,) = (run.facts for run in runs if "train" in {one.section for one in run.series})
    ratios, versions = _ratios(runs), facts["versions"].split(", ")
    ours, tiktoken, hugging_face = versions[:3]
    sizes = re.findall(r"(\S+): ([\d,]+) bytes", facts["texts"])
    texts = ", ".join(f"{name} ({int(size.replace(',', '')) / 1e6:.0f} MB)" for name, size in sizes)
    return (
        f"{ours} trains {ratios['Hugging Face']['training from a file, all cores']} times as fast "
        f"as Hugging Face's {hugging_face}, which is written in Rust. It encodes "
        f"{ratios['tiktoken']['encoding, one process']} times as fast as {tiktoken} in one "
        f"process, and {ratios['Hugging Face']['encoding, one process']} times as fast as Hugging "
        "Face's library, which also computes the position of each token. Two numbers are for the "
        "worst and the best text. Other releases were not measured.\n\n"
        f"Measured in {facts['date'][:7]} on {texts}, with {facts['Python']} on "
        f"{facts['cores']} cores ({facts['processor']}, {facts['system'].split()[0]}). "
        "[All tables, more libraries, and how to measure](docs/benchmarks.md).\n"
    )


def _summary(runs: Sequence[Run]) -> str:
    """Return a table of the ratios."""
    rows = [[name, *ratios.values()] for name, ratios in _ratios(runs).items()]
    return markdown(["bpetite is this many times as fast as", *_SUMMARY], rows)


def _ratios(runs: Sequence[Run]) -> dict[str, dict[str, str]]:
    """Return how many times as fast as each library bpetite is, from worst text to best."""
    series = [one for run in runs for one in run.series]
    ours = {(s.section, s.case, s.corpus): s.median for s in series if s.contestant == OURS}
    ratios: dict[str, dict[str, list[float]]] = {}
    for title, key in _SUMMARY.items():
        for one in series:
            if (one.section, one.case) == key and one.contestant not in {OURS, ONE_JOB}:
                row = ratios.setdefault(one.contestant, {name: [] for name in _SUMMARY})
                row[title].append(one.median / ours[*key, one.corpus])
    return {
        name: {title: bounds(found) for title, found in row.items()} for name, row in ratios.items()
    }


def _same_tokens(series: Sequence[Series], section: str) -> str:
    """Return the share of tokens that bpetite and a library both learned, at worst."""
    found = [one for one in series if one.section == section]
    shares = [one.median for one in found if one.case == "same"]
    if not shares:
        return ""
    same = f"At least {min(shares):.2%} of the tokens of each library and bpetite are the same."
    moved = [one.median for one in found if (one.case, one.contestant) == ("moved", "rustbpe")]
    if moved and not any(moved):
        same += " rustbpe's are in the same order."
    return f"\n{same}\n"


def _different_ids(series: Iterable[Series], section: str) -> str:
    """Return how many ids of a text differ from tiktoken's, at worst."""
    counts = [one.median for one in series if (one.section, one.case) == (section, "ids")]
    if any(counts):
        return f"\nUp to {max(counts):,.0f} ids of a text differ from tiktoken's.\n"
    return "\nAll ids equal tiktoken's.\n" if counts else ""


def _run(run: Run) -> str:
    """Return what a run measured, and how, as an item of a list."""
    facts, sections = run.facts, ", ".join(unique(one.section for one in run.series))
    return (
        f"- {sections}: {facts['date']}, commit {facts['commit'][:8]}, {facts['Python']}, "
        f"{facts['cores']} cores ({facts['processor']}, {facts['system']}), "
        f"load {facts['load at the start']}. {facts['versions']}."
    )
