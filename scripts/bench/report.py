"""The report: what one run or more have measured, in words and tables of Markdown.

docs/benchmarks.md is this page, and README.md has its summary. Every figure comes from the runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bench import tables
from bench.libraries import LIBRARIES
from bench.results import OURS, SAME_ENOUGH, VOCAB_SIZE, Run, Series, comparable, latest, unique
from bench.sections import FILE_VOCAB_SIZE

_DEMO: Final = "tinyshakespeare"

_HEAD: Final = """\
# Benchmarks

This page is made from the samples in docs/benchmarks*.json, each of which a run of the
benchmark wrote; of what several have measured, the latest counts. To measure on your own
machine and texts, and to make the page again:

```sh
uv run --group bench python scripts/bench FILE... --json docs/benchmarks.json
uv run --group bench python scripts/generate
```

Nothing is timed before the results are compared, and the run ends with an error where they
differ. On the beginning of each text our merges are those of the slow oracle of the tests.
On the whole of each text the ids of every contestant are those of tiktoken with the same
vocabulary and pattern, but for the few that a table below counts, and decode to the text.

Contestants take turns: in each round every one comes once, and another one begins. Each job
is done in a new process, in which its contestant has been used once before on a little text;
what one leaves in a process would slow down the next. It is timed by the clock on the wall,
from the call to the return, with the text already in memory as a `str`. The tables have the
median of the rounds, and the lowest and the highest in brackets. Who takes more than two
minutes does it once.
"""

_RATIOS: Final = f"""\
Above 1 bpetite is faster, below 1 it is slower; from the text on which it does worst to the
one on which it does best. Texts on which a peer learns less than {SAME_ENOUGH:.0%} of the same
tokens are left out.
"""

_UNFAIR: Final = """\
## What is not fair

- Training in bpetite is one thread of Python. The peers take all the cores that they want.
- To keep those threads busy, Hugging Face, rustbpe and bpeasy get the text in blocks of about
  16,000 characters, cut at ends of lines where a chunk ends too. The others get it whole.
- The warm pass is the best case of whoever keeps what it has seen. No text of a user is one
  that was just encoded; most of its words are.
- In the first pass a short text has more new words to the megabyte than a long one.
- A throughput in bytes favours scripts whose characters have many of them.
"""


def _by_corpus(one: Series) -> Series:
    return replace(one, case=one.corpus)


def _by_size(one: Series) -> Series:
    return replace(one, contestant=one.case, case=f"{one.contestant}: {one.amount:,} bytes")


def _by_command(one: Series) -> Series:
    return replace(
        one, contestant=f"`{one.contestant}`" + f", {one.amount:,} tokens" * bool(one.amount)
    )


def _by_length(one: Series) -> Series:
    case = {"seconds": "s", "peak": "peak memory, MB"}[one.case]
    return replace(one, contestant=f"{one.amount:,} characters", case=case)


@dataclass(frozen=True)
class Section:
    """A section of the page: which series it shows, and how.

    place: the row and the column of a series, as its contestant and its case.
    across: whether one table holds all texts; otherwise each text has its own.
    """

    name: str
    title: str
    words: str
    cell: tables.Cell
    heading: Callable[[str], str] = str
    place: Callable[[Series], Series] | None = None
    across: bool = False

    def show(self, series: Sequence[Series]) -> list[str]:
        """Return the section, with a table for each corpus."""
        found = [one for one in series if one.section == self.name]
        if not found:
            return []
        parts = [f"## {self.title}\n", f"{self.words}\n"]
        for corpus in [""] if self.across else unique(one.corpus for one in found):
            if corpus:
                parts.append(f"### {self.title}: {corpus}\n")
            shown = [one for one in found if self.across or one.corpus == corpus]
            placed = list(map(self.place, shown)) if self.place else shown
            parts.append(tables.grid(placed, self.cell, self.heading))
        return parts


_SECTIONS: Final = (
    Section(
        "train",
        "Training",
        "From the text to the vocabulary, by the threads that each has by default; × is the "
        "multiple of bpetite's time, so above 1 bpetite is faster.",
        tables.beside_ours,
        lambda case: f"{int(case):,} tokens, s",
    ),
    Section(
        "same",
        "Are these the same tokens?",
        "Of all tokens that a contestant or bpetite has learned, the share that both have. "
        f"Where it is low, the times above are not for the same work. Below {SAME_ENOUGH:.0%} a "
        "contestant has no turn at a larger size.",
        tables.share,
        lambda case: f"{int(case):,} tokens",
    ),
    Section(
        "encode",
        "Encoding",
        f"By the {VOCAB_SIZE:,} tokens that bpetite learned from the same text, in one thread, "
        "to a list of integers. The first pass is by a tokenizer that is new in each round, "
        "whose loading is not timed; what bpetite makes when it first encodes is. The warm one "
        "is the second by the same tokenizer. × is the multiple of tiktoken's throughput.",
        tables.rate,
        lambda case: f"{case}, MB/s",
    ),
    Section(
        "equal",
        "Ids that are not tiktoken's",
        "The Unicode tables of `regex` and of the peers' engines are of different years, so on "
        "rare characters they may cut in different places.",
        tables.plain(),
        place=_by_corpus,
        across=True,
    ),
    Section(
        "sentence",
        "A sentence",
        "The first 50 words of the text, encoded 1,000 times in a process, each call timed by "
        "itself: what half of the calls keep within, 99 of 100, and all.",
        tables.spread(1e6),
        lambda case: f"{case}, us",
    ),
    Section(
        "decode",
        "Decoding",
        "A list of all ids of the text to a `str`; × is the multiple of tiktoken's throughput.",
        tables.rate,
        lambda case: f"{case}, million ids/s",
        _by_corpus,
        across=True,
    ),
    Section(
        "start",
        "Start",
        "Loading (with every check) and saving (with every sync) the largest of the tokenizers; "
        "the lines of commands are whole processes, from their start to their end.",
        tables.spread(1e3),
        lambda _: "ms",
        _by_command,
    ),
    Section(
        "memory",
        "Memory",
        "By how much the memory of a process that has read the text, and loaded the tokenizer, "
        "grows at most until the job is done, the result included: the median of the rounds.",
        tables.plain(1e6),
        lambda case: f"{case}, MB",
    ),
    Section(
        "long",
        "Long chunks",
        "Text in which no safe boundary comes, encoded by a new tokenizer.",
        tables.plain(),
        lambda case: f"{case}, s",
        _by_size,
    ),
    Section(
        "file",
        "From a file, by the command line",
        f"`bpetite train --vocab-size {FILE_VOCAB_SIZE}` on a file, once: the seconds of the "
        "whole process, from reading the file to the artifact.",
        tables.by_unit,
        place=_by_length,
    ),
)


def page(runs: Sequence[Run], picture: str = "") -> str:
    """Return the whole page, with a picture where there is one."""
    series = latest(runs)
    parts = [_HEAD, "## In short\n", _targets(series), _summary(series), _RATIOS]
    if picture:
        parts.append(f"![The same as a plot]({picture})\n")
    parts.append(_remarks(runs))
    for section in _SECTIONS:
        parts += section.show(series)
    parts += ["## The runs\n", *map(_run, runs)]
    return "\n".join(part for part in parts if part)


def short(runs: Sequence[Run]) -> str:
    """Return what the README says about speed: the targets, the summary, and the machine."""
    series = latest(runs)
    machine = runs[0].machine
    texts = unique(corpus for run in runs for corpus in run.corpora)
    words = (
        f"Measured on {', '.join(texts)}, with {machine['Python']} on {machine['cores']} cores "
        f"({machine['processor']}, {machine['system']}), at commit {machine['commit']}. "
        "Where there are two numbers, they are for the worst text and for the best. Below 1 "
        "bpetite is slower. A first pass is by a new tokenizer; a warm one is over a text that it "
        "has just encoded.\n"
    )
    return "\n".join(part for part in (_targets(series), _summary(series), words) if part)


def _targets(series: Sequence[Series]) -> str:
    """Return the two targets of the specification, as far as they were measured."""
    demo = {
        (one.section, one.case): one
        for one in series
        if one.corpus == _DEMO and one.contestant == OURS
    }
    rows = []
    if one := demo.get(("train", "512")):
        job = "train on TinyShakespeare, 1.1 MB, to 512 tokens"
        rows.append([job, "60 s", f"{tables.figure(one.median)} s (median)"])
    if one := demo.get(("sentence", "p99")):
        job = "encode a sentence of 50 words, the same again and again"
        rows.append([job, "100 ms", f"{tables.figure(one.median * 1e3)} ms (p99)"])
    return tables.markdown(["", "target", "measured"], rows) if rows else ""


def _summary(series: Sequence[Series]) -> str:
    """Return how many times as fast as each peer bpetite is, from the worst text to the best."""
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
        cells = []
        for column in columns.values():
            found = [
                one
                for one in compared
                if (one.contestant, one.section, one.case) == (name, *column)
            ]
            ratios = [ours[(*column, one.corpus)].rate / one.rate for one in found]
            cells.append(tables.bounds(ratios))
        rows.append([name, *cells])
    head = ["bpetite is this many times as fast as", *columns]
    return tables.markdown(head, rows) if rows else ""


def _remarks(runs: Sequence[Run]) -> str:
    """Return what is not fair, and what each library does differently."""
    training = "".join(f"- {one.name}: {one.training}\n" for one in LIBRARIES if one.training)
    encoding = "".join(f"- {one.name}: {one.encoding}\n" for one in LIBRARIES if one.encoding)
    missing = sorted({package for run in runs for package in run.missing})
    parts = [_UNFAIR, "In training:\n", training, "In encoding and decoding:\n", encoding]
    if missing:
        parts.append(f"Not installed, so not here: {', '.join(missing)}.\n")
    return "\n".join(parts)


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
    }
    return tables.markdown(["", ""], facts.items())
