"""What the README says of speed, and the page first of all.

Every figure in it comes from the samples of runs.
"""

from collections.abc import Sequence
from typing import Final

import tables
from ours import VOCAB_SIZE
from results import OURS, Run, Series, comparable, latest, unique

_DEMO: Final = "tinyshakespeare"


def short(runs: Sequence[Run]) -> str:
    """Return what the README says of speed: the targets, the summary, and of which machine."""
    series = latest(runs)
    machine = runs[0].machine
    texts = unique([corpus for run in runs for corpus in run.corpora])
    words = (
        f"Measured on {', '.join(texts)}, with {machine['Python']} on {machine['cores']} cores "
        f"({machine['processor']}, {machine['system']}), at commit {machine['commit']}. "
        "Where there are two numbers, they are for the worst text and for the best. Below 1 "
        "bpetite is slower. A first pass is by a new tokenizer; a warm one is over a text that it "
        "has just encoded.\n"
    )
    return "\n".join(part for part in (targets(series), summary(series), words) if part)


def targets(series: Sequence[Series]) -> str:
    """Return the two targets of the specification, as far as they were measured."""
    rows = []
    trained = [one for one in series if (one.section, one.corpus) == ("train", _DEMO)]
    if one := tables.pick(trained, OURS, "512"):
        job = "train on TinyShakespeare, 1.1 MB, to 512 tokens"
        rows.append([job, "60 s", f"{tables.figure(one.median)} s (median)"])
    spoken = [one for one in series if (one.section, one.corpus) == ("sentence", _DEMO)]
    if one := tables.pick(spoken, OURS, "p99"):
        p99 = tables.figure(one.median * 1e3)
        rows.append(
            ["encode a sentence of 50 words, the same again and again", "100 ms", f"{p99} ms (p99)"]
        )
    return tables.markdown(["", "target", "measured"], rows) if rows else ""


def summary(series: Sequence[Series]) -> str:
    """Return how many times as fast as each peer bpetite is, from the worst text to the best."""
    columns = {
        f"training to {VOCAB_SIZE:,}": ("train", str(VOCAB_SIZE)),
        "first pass": ("encode", "first pass"),
        "warm": ("encode", "warm"),
        "decoding": ("decode", "decoding"),
    }
    compared = [one for one in comparable(series) if (one.section, one.case) in columns.values()]
    rows = []
    for name in unique([one.contestant for one in compared if one.contestant != OURS]):
        cells = [_range(_speeds(compared, name, *case)) for case in columns.values()]
        if set(cells) != {tables.ABSENT}:
            rows.append([name, *cells])
    return (
        tables.markdown(["bpetite is this many times as fast as", *columns], rows) if rows else ""
    )


def _speeds(series: Sequence[Series], name: str, section: str, case: str) -> list[float]:
    """Return our rate as a multiple of a peer's, for each text."""
    speeds = []
    for corpus in unique([one.corpus for one in series]):
        found = [one for one in series if (one.section, one.corpus) == (section, corpus)]
        ours, peer = tables.pick(found, OURS, case), tables.pick(found, name, case)
        if ours and peer:
            speeds.append(ours.rate / peer.rate)
    return speeds


def _range(values: Sequence[float]) -> str:
    if not values:
        return tables.ABSENT
    low, high = (tables.figure(float(f"{value:.2g}")) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
