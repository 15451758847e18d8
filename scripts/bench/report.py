"""What runs have measured, as tables of Markdown: one for each section, and a summary.

The words around them are on docs/benchmarks.md, whose tables are made here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bench import tables
from bench.results import OURS, VOCAB_SIZE, Run, Series, comparable, latest, unique

_DEMO: Final = "tinyshakespeare"


def _by_corpus(one: Series) -> Series:
    return replace(one, case=one.corpus, corpus="")


def _by_size(one: Series) -> Series:
    return replace(one, contestant=one.case, case=f"{one.contestant}: {one.amount:,} bytes")


def _by_command(one: Series) -> Series:
    tokens = f", {one.amount:,} tokens" if one.amount else ""
    return replace(one, contestant=f"`{one.contestant}`{tokens}")


def _by_length(one: Series) -> Series:
    case = {"seconds": "s", "peak": "peak memory, MB"}[one.case]
    return replace(one, contestant=f"{one.amount:,} characters", case=case)


@dataclass(frozen=True)
class _Section:
    """How a section is shown: a table for each corpus.

    cell: writes a series.
    heading: writes a case above its column.
    place: puts a series where the table has it: its corpus, contestant (row) and case (column).
    """

    title: str
    cell: tables.Cell
    heading: Callable[[str], str] = str
    place: Callable[[Series], Series] = replace

    def show(self, series: Sequence[Series]) -> str:
        """Return the tables."""
        parts = []
        placed = list(map(self.place, series))
        for corpus in unique(one.corpus for one in placed):
            if corpus:
                parts.append(f"### {self.title}: {corpus}\n")
            found = [one for one in placed if one.corpus == corpus]
            parts.append(tables.grid(found, self.cell, self.heading))
        return "\n".join(parts)


_SECTIONS: Final = {
    "train": _Section("Training", tables.beside_ours, lambda case: f"{int(case):,} tokens, s"),
    "same": _Section(
        "Are these the same tokens?", tables.share, lambda case: f"{int(case):,} tokens"
    ),
    "encode": _Section("Encoding", tables.rate, lambda case: f"{case}, MB/s"),
    "equal": _Section("Ids that are not tiktoken's", tables.plain(), place=_by_corpus),
    "sentence": _Section("A sentence", tables.spread(1e6), lambda case: f"{case}, us"),
    "decode": _Section(
        "Decoding", tables.rate, lambda case: f"{case}, million ids/s", place=_by_corpus
    ),
    "start": _Section("Start", tables.spread(1e3), lambda _: "ms", _by_command),
    "memory": _Section("Memory", tables.plain(1e6), lambda case: f"{case}, MB"),
    "long": _Section("Long chunks", tables.plain(), lambda case: f"{case}, s", _by_size),
    "file": _Section("From a file, by the command line", tables.by_unit, place=_by_length),
}


def sections(runs: Sequence[Run]) -> dict[str, str]:
    """Return the tables of each section, the summary and the runs, by their names."""
    series = latest(runs)
    shown = {"summary": _summary(series)}
    for name, section in _SECTIONS.items():
        if found := [one for one in series if one.section == name]:
            shown[name] = section.show(found)
    return {**shown, "runs": "\n".join(map(_run, runs))}


def report(run: Run) -> str:
    """Return all tables of one run, below their titles."""
    titles = {name: section.title for name, section in _SECTIONS.items()}
    titles |= {"summary": "In short", "runs": "The run"}
    parts = (f"## {titles[name]}\n\n{text}" for name, text in sections([run]).items())
    return "\n".join(parts)


def short(runs: Sequence[Run]) -> str:
    """Return what the README says about speed: the summary, and the machine."""
    machine = runs[0].machine
    texts = unique(corpus for run in runs for corpus in run.corpora)
    return (
        f"{_summary(latest(runs))}\n"
        f"Measured on {', '.join(texts)}, with {machine['Python']} on {machine['cores']} cores "
        f"({machine['processor']}, {machine['system']}), at commit {machine['commit']}. "
        "Where there are two numbers, they are for the worst text and for the best; below 1, "
        "bpetite is slower. In a first pass the tokenizer is new; in a warm one it has just "
        "encoded the same text.\n"
    )


def _summary(series: Sequence[Series]) -> str:
    return "\n".join(part for part in (_targets(series), _ratios(series)) if part)


def _targets(series: Sequence[Series]) -> str:
    """Return the two targets of the specification, as far as they were measured."""
    ours = [one for one in series if (one.corpus, one.contestant) == (_DEMO, OURS)]
    found = {(one.section, one.case): one.median for one in ours}
    rows = []
    if seconds := found.get(("train", "512")):
        job = "train on TinyShakespeare, 1.1 MB, to 512 tokens"
        rows.append([job, "60 s", f"{tables.figure(seconds)} s (median)"])
    if seconds := found.get(("sentence", "p99")):
        job = "encode a sentence of 50 words, the same again and again"
        rows.append([job, "100 ms", f"{tables.figure(seconds * 1e3)} ms (p99)"])
    return tables.markdown(["", "target", "measured"], rows) if rows else ""


def _ratios(series: Sequence[Series]) -> str:
    """Return how many times as fast as each library bpetite is, from worst text to best."""
    columns = {
        f"training to {VOCAB_SIZE:,}": ("train", str(VOCAB_SIZE)),
        "first pass": ("encode", "first pass"),
        "warm": ("encode", "warm"),
        "decoding": ("decode", "decoding"),
    }
    compared = [one for one in comparable(series) if (one.section, one.case) in columns.values()]
    ours = {(one.section, one.case, one.corpus): one for one in compared if one.contestant == OURS}
    rows = []
    for name in unique(one.contestant for one in compared if one.contestant != OURS):
        row = [name]
        for column in columns.values():
            key = (name, *column)
            found = [one for one in compared if (one.contestant, one.section, one.case) == key]
            ratios = [ours[(*column, one.corpus)].rate / one.rate for one in found]
            row.append(tables.bounds(ratios))
        rows.append(row)
    head = ["bpetite is this many times as fast as", *columns]
    return tables.markdown(head, rows) if rows else ""


def _run(run: Run) -> str:
    """Return what a run was made with."""
    facts = {
        "command": f"`{run.command}`",
        **run.machine,
        "rounds": str(run.rounds),
        "texts": "; ".join(
            f"{name}: {size:,} bytes, {characters:,} characters"
            for name, (size, characters) in run.corpora.items()
        ),
        "versions": ", ".join(f"{name} {version}" for name, version in run.versions.items()),
        **({"not installed": ", ".join(run.missing)} if run.missing else {}),
    }
    return tables.markdown(["", ""], facts.items())
