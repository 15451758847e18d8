"""The report: what one run or more have measured, in words and tables of Markdown.

docs/benchmarks.md is this page. Every figure in it comes from the runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import tables
from coders import CODERS
from ours import VOCAB_SIZE
from results import SAME_ENOUGH, Run, Series, latest, unique
from sections import CHARACTERS_VOCAB_SIZE, SAMPLE_CHARACTERS, SAMPLE_VOCAB_SIZE
from summary import summary, targets
from trainers import EDUCATIONAL, TRAINERS

_HEAD: Final = """\
# Benchmarks

This page is made from the samples in docs/benchmarks*.json, each of which a run of the
benchmark wrote; of what several have measured, the latest counts. To measure on your own
machine and texts, and to make the page again:

```sh
uv run --group bench python scripts/bench FILE... --json docs/benchmarks.json
uv run --group bench python scripts/bench/publish.py
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
tokens are left out; those of sentencepiece are of another kind, and are not compared.
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


@dataclass(frozen=True)
class Section:
    """A section of the page: which series it shows, and how.

    across: whether one table holds all texts; otherwise each text has its own.
    """

    name: str
    title: str
    words: str
    table: Callable[[Sequence[Series]], str]
    across: bool = False


_SECTIONS: Final = (
    Section(
        "train",
        "Training",
        "From the text to the vocabulary, by the threads that each has by default; × is the "
        "multiple of bpetite's time, so above 1 bpetite is faster.",
        tables.train,
    ),
    Section(
        "same",
        "Are these the same tokens?",
        "Of all tokens that a contestant or bpetite has learned, the share that both have. "
        f"Where it is low, the times above are not for the same work. Below {SAME_ENOUGH:.0%} a "
        "contestant has no turn at a larger size.",
        tables.same,
    ),
    Section(
        "sample",
        "Pure Python beside pure Python",
        f"tiktoken's own trainer is written to be read, so it gets the first {SAMPLE_CHARACTERS:,} "
        f"characters of each text, and {SAMPLE_VOCAB_SIZE} tokens to learn.",
        tables.sample,
        across=True,
    ),
    Section(
        "encode",
        "Encoding",
        f"By the {VOCAB_SIZE:,} tokens that bpetite learned from the same text, in one thread, "
        "to a list of integers. The first pass is by a tokenizer that is new in each round, "
        "whose loading is not timed; what bpetite makes when it first encodes is. The warm one "
        "is the second by the same tokenizer. × is the multiple of tiktoken's throughput.",
        tables.encode,
    ),
    Section(
        "equal",
        "Ids that are not tiktoken's",
        "The Unicode tables of `regex` and of the peers' engines are of different years, so on "
        "rare characters they may cut in different places.",
        tables.equal,
        across=True,
    ),
    Section(
        "sentence",
        "A sentence",
        "The first 50 words of the text, encoded 1,000 times in a process, each call timed by "
        "itself: what half of the calls keep within, 99 of 100, and all.",
        tables.sentence,
    ),
    Section(
        "decode",
        "Decoding",
        "A list of all ids of the text to a `str`; × is the multiple of tiktoken's throughput.",
        tables.decode,
        across=True,
    ),
    Section(
        "start",
        "Start",
        "Loading (with every check) and saving (with every sync) the largest of the tokenizers; "
        "the lines of commands are whole processes, from their start to their end.",
        tables.start,
    ),
    Section(
        "memory",
        "Memory",
        "By how much the memory of a process that has read the text, and loaded the tokenizer, "
        "grows at most until the job is done, the result included: the median of the rounds.",
        tables.memory,
    ),
    Section(
        "growth",
        "Growth",
        f"bpetite alone: training to {VOCAB_SIZE:,} tokens, and the first pass of encoding, on "
        "parts of the text. × is the multiple of the line above, which has half the text.",
        tables.growth,
    ),
    Section(
        "long",
        "Long chunks",
        "Text in which no safe boundary comes, encoded by a new tokenizer. × is what twice the "
        "length costs.",
        tables.long,
    ),
    Section(
        "characters",
        "From a file, by the command line",
        f"`bpetite train --vocab-size {CHARACTERS_VOCAB_SIZE}` on the beginning of a large file, "
        "once each: the seconds of the whole process, from reading the file to the artifact.",
        tables.characters,
    ),
)


def page(runs: Sequence[Run], picture: str = "") -> str:
    """Return the whole page, with a picture where there is one."""
    series = latest(runs)
    parts = [_HEAD, "## In short\n", targets(series), summary(series), _RATIOS]
    if picture:
        parts.append(f"![The same as a plot]({picture})\n")
    parts.append(_remarks(runs))
    for section in _SECTIONS:
        parts += _section(section, series)
    parts += ["## The runs\n", *map(_run, runs)]
    return "\n".join(part for part in parts if part)


def _section(section: Section, series: Sequence[Series]) -> list[str]:
    """Return a section, with a table for each corpus."""
    found = [one for one in series if one.section == section.name]
    if not found:
        return []
    parts = [f"## {section.title}\n", f"{section.words}\n"]
    if section.across:
        return [*parts, section.table(found)]
    for corpus in unique([one.corpus for one in found]):
        if corpus:
            parts.append(f"### {section.title}: {corpus}\n")
        parts.append(section.table([one for one in found if one.corpus == corpus]))
    return parts


def _remarks(runs: Sequence[Run]) -> str:
    """Return what is not fair, and what each contestant does in its own way."""
    remarks = {one.name: one.remark for one in (*TRAINERS, EDUCATIONAL)}
    training = "".join(f"- {name}: {remark}\n" for name, remark in remarks.items())
    encoding = "".join(f"- {maker.name}: {maker.remark}\n" for maker in CODERS)
    missing = sorted({module for run in runs for module in run.missing})
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
