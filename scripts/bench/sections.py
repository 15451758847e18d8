"""What is measured, section by section: which jobs, and what series come of them.

In each round every library does its job once, and another one begins.
"""

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from bench.jobs import LONG, JobError, run_job
from bench.libraries import LOADERS, TRAINERS
from bench.results import OURS, REFERENCE, SAME_ENOUGH, VOCAB_SIZE, Series
from bpetite import Tokenizer

FILE_VOCAB_SIZE: Final = 65_536
"""The size of the vocabularies in the section `file`."""

_VERY_LONG_SECONDS: Final = 120
_LONG_BYTES: Final = (1_000_000, 2_000_000)
_LONG_BYTES_QUICK: Final = (50_000, 100_000)
_STARTS_IN_A_ROUND: Final = 4
_BPETITE: Final = str(Path(sys.executable).with_name("bpetite"))

Jobs = Mapping[str, Mapping[str, Any]]
"""The job of each contestant: the arguments of `run_job`."""

Results = dict[str, list[dict[str, float]]]
"""What the jobs of each contestant have measured, round by round."""


@dataclass(frozen=True)
class Corpus:
    """A text, with its sizes in bytes and in characters."""

    name: str
    path: Path
    size: int
    length: int


@dataclass(frozen=True)
class Bench:
    """What every section gets.

    rounds: how often each job is done.
    quick: show that everything works, rather than measure.
    sizes: the sizes of vocabularies to train.
    cores: the number of threads for training.
    libraries: the names of those that are installed.
    folder: a place for files that is removed after the run.
    say: reports progress.
    """

    corpora: list[Corpus]
    rounds: int
    quick: bool
    sizes: list[int]
    cores: int
    libraries: list[str]
    folder: Path
    say: Callable[[str], None]
    _trained: dict[tuple[str, int], Path] = field(default_factory=dict)

    def vocabulary(self, corpus: Corpus, size: int = VOCAB_SIZE) -> Path:
        """Return the tokenizer file that bpetite makes of a corpus; it is made once."""
        key = corpus.name, size
        if key not in self._trained:
            folder = self.folder / f"{corpus.name}-{size}"
            folder.mkdir()
            self._trained[key] = folder / "tokenizer.json"
            text = corpus.path.read_bytes().decode("utf-8")
            Tokenizer.train(text, size).save(self._trained[key])
        return self._trained[key]

    def coding_jobs(self, action: str, corpus: Corpus, *names: str) -> dict[str, dict[str, Any]]:
        """Return a job for each library that encodes, or for those of some names."""
        files = {"text": corpus.path, "vocabulary": self.vocabulary(corpus)}
        return {
            name: {"action": action, "name": name, **files}
            for name in self.libraries
            if name in (names or LOADERS)
        }

    def take_turns(self, jobs: Jobs, rounds: int | None = None) -> Results:
        """Do every job in each round, another one first each time.

        A library that fails is out, with all its results. One that takes very long has one turn.
        """
        results: Results = {}
        names = list(jobs)
        for turn in range(rounds or self.rounds):
            first = turn % len(names) if names else 0
            for name in names[first:] + names[:first]:
                begin = monotonic()
                try:
                    results.setdefault(name, []).append(run_job(**jobs[name]))
                except JobError as error:
                    if name == OURS:
                        raise
                    self.say(f"{name} is left out: {error}")
                    names.remove(name)
                    del results[name]
                    continue
                if monotonic() - begin > _VERY_LONG_SECONDS:
                    names.remove(name)
        return results


class _Case(NamedTuple):
    """What samples are of; `amount` is a number, or the key under which each job reports it."""

    section: str
    corpus: str
    name: str
    unit: str = "s"
    amount: int | str = 0


def _series(results: Results, key: str, case: _Case) -> Iterator[Series]:
    """Yield what the jobs of each contestant have measured under a key."""
    for contestant, found in results.items():
        if key in found[0]:
            amount = found[0].get(case.amount, 0) if isinstance(case.amount, str) else case.amount
            # Four digits: clocks are no better, and files stay small.
            samples = [float(f"{one[key]:.4g}") for one in found]
            yield Series(*case[:3], contestant, case.unit, samples, int(amount))


def equal(bench: Bench) -> Iterator[Series]:
    """How many ids of each library differ from tiktoken's; more than a few are an error."""
    for corpus in bench.corpora:
        for name, job in bench.coding_jobs("check", corpus).items():
            bench.say(f"{corpus.name}: comparing the ids of {name}")
            results = {name: [run_job(**job)]}
            yield from _series(results, "ids", _Case("equal", corpus.name, "", "ids"))


def train(bench: Bench) -> Iterator[Series]:
    """Text in memory to tokens, at each size, with the memory and the share of equal tokens.

    A library that learns other tokens at one size has no turn at a larger one.
    """
    for corpus in bench.corpora:
        name, names = corpus.name, [one for one in bench.libraries if one in TRAINERS]
        for size in sorted(bench.sizes):
            bench.say(f"{name}: training to {size:,}")
            job = {"action": "train", "threads": bench.cores, "text": corpus.path}
            job |= {"vocab_size": size, "vocabulary": bench.vocabulary(corpus, size)}
            results = bench.take_turns({one: {**job, "name": one} for one in names})
            case = _Case("train", name, str(size), amount=corpus.size)
            yield from _series(results, "seconds", case)
            memory = _Case("memory", name, f"training to {size:,}", "bytes")
            yield from _series(results, "taken", memory)
            same = list(_series(results, "same", _Case("same", name, str(size), "share")))
            yield from same
            names = [one.contestant for one in same if one.median >= SAME_ENOUGH]


def encode(bench: Bench) -> Iterator[Series]:
    """The whole text by a new tokenizer, by the same one again, and back from the ids."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding and decoding")
        results = bench.take_turns(bench.coding_jobs("encode", corpus))
        name, size = corpus.name, corpus.size
        yield from _series(results, "first", _Case("encode", name, "first pass", amount=size))
        yield from _series(results, "warm", _Case("encode", name, "warm", amount=size))
        yield from _series(results, "decoding", _Case("decode", name, "decoding", amount="ids"))
        yield from _series(results, "taken", _Case("memory", name, "encoding", "bytes"))


def sentence(bench: Bench) -> Iterator[Series]:
    """Fifty words, again and again, by bpetite and by tiktoken."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding a sentence")
        results = bench.take_turns(bench.coding_jobs("sentence", corpus, OURS, REFERENCE))
        for case in ("p50", "p99", "slowest"):
            yield from _series(results, case, _Case("sentence", corpus.name, case))


def long(bench: Bench) -> Iterator[Series]:
    """Text without a safe boundary, of n bytes and of 2 n, by bpetite and by tiktoken."""
    jobs = bench.coding_jobs("long", bench.corpora[0], OURS, REFERENCE)
    for size in _LONG_BYTES_QUICK if bench.quick else _LONG_BYTES:
        bench.say(f"long: {size:,} bytes")
        for kind in LONG:
            sized = {name: {**job, "kind": kind, "size": size} for name, job in jobs.items()}
            case = _Case("long", "", kind, amount=size)
            yield from _series(bench.take_turns(sized), "seconds", case)


def start(bench: Bench) -> Iterator[Series]:
    """What a user waits for before the first id."""
    bench.say("start: load, save, import, the command line")
    path = max(map(bench.vocabulary, bench.corpora), key=lambda path: path.stat().st_size)
    commands = {
        f"python -c {shlex.quote(code)}": [sys.executable, "-c", code]
        for code in ("pass", "import regex", "import bpetite")
    }
    hi = [_BPETITE, "encode", "--model", str(path), "--text", "hi"]
    commands["bpetite encode --text hi"] = hi
    jobs: dict[str, dict[str, Any]] = {
        name: {"action": "command", "words": words} for name, words in commands.items()
    }
    jobs["Tokenizer.load"] = {"action": "load", "vocabulary": path}
    results = bench.take_turns(jobs, bench.rounds * _STARTS_IN_A_ROUND)
    yield from _series(results, "seconds", _Case("start", "", "start", amount="tokens"))


def file(bench: Bench) -> Iterator[Series]:
    """The command line on each file, once: its time and its memory, by the characters."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: training by the command line")
        words = [_BPETITE, "train", "--vocab-size", str(FILE_VOCAB_SIZE), "--force"]
        words += ["--input", str(corpus.path), "--output", str(bench.folder / "file.json")]
        results = bench.take_turns({OURS: {"action": "command", "words": words}}, rounds=1)
        for key, unit in (("seconds", "s"), ("peak", "bytes")):
            yield from _series(results, key, _Case("file", corpus.name, key, unit, corpus.length))
