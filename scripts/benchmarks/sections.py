"""The sections of the benchmark: their jobs, and the series that these measure.

In each round every library does its job once; a different one starts each round.
"""

import filecmp
import json
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from benchmarks import jobs
from benchmarks.jobs import LONG, BenchError, Result, run_command, run_job
from benchmarks.libraries import CORES, LIBRARIES, Text
from benchmarks.results import ONE_JOB, OURS, REFERENCE, Series
from benchmarks.trainers import TRAINERS
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2, PATTERNS

_VOCAB_SIZE: Final = 32_000
_LARGE_VOCAB_SIZE: Final = 65_536
_SMALL_VOCAB_SIZE: Final = 512
_TURNS_SECONDS: Final = 60
_LONG_BYTES: Final = 1_000_000
_STARTS: Final = 4
_BPETITE: Final = Path(sys.executable).with_name("bpetite")
_TRAINERS_FILE: Final = Path(__file__).with_name("trainers.py")

Jobs = dict[str, Callable[[], Result]]
"""The job of each contestant."""

Results = dict[str, list[Result]]
"""The measurements of each contestant's job, round by round."""


@dataclass(frozen=True)
class Bench:
    """The input of every section.

    texts: sorted, with the large ones last.
    small: a file to train 512 tokens from, if any.
    rounds: how often each job is done; two if its turns take more than a minute.
    libraries: the names of the installed libraries.
    folder: a place for files that is removed after the run.
    """

    texts: list[Text]
    small: Path | None
    rounds: int
    libraries: list[str]
    folder: Path

    @property
    def usual(self) -> list[Text]:
        """The texts that are not large."""
        return [text for text in self.texts if not text.large]

    def coding_jobs(
        self,
        job: Callable[..., Result],
        text: Text,
        *more: object,
        names: Collection[str] = LIBRARIES,
    ) -> Jobs:
        """Return a job for each library that encodes, or for the named ones."""
        chosen = [name for name in self.libraries if name in names]
        return {name: partial(run_job, job, name, text, *more) for name in chosen}

    def file_jobs(self, *command: object) -> Jobs:
        """Return the jobs of a command of ours that writes a file: on all cores, and on one."""
        found: Jobs = {}
        for name, count in ((OURS, CORES), (ONE_JOB, 1)):
            words = ["--output", self.folder / name, "--force", "--jobs", count]
            found[name] = partial(run_command, *command, *words)
        return found

    def take_turns(self, jobs: Jobs, rounds: int | None = None) -> Results:
        """Do every job in each round, starting with another one each time.

        A library that fails is excluded, with all its results. A library whose turns have taken
        more than a minute gets no third turn.
        """
        results: Results = {name: [] for name in jobs}
        names, spent = list(jobs), dict.fromkeys(jobs, 0.0)
        for _ in range(rounds or self.rounds):
            for name in list(names):
                begin = monotonic()
                try:
                    results[name].append(jobs[name]())
                except BenchError as error:
                    if name in {OURS, ONE_JOB, *PATTERNS}:
                        raise
                    say(f"{name} is left out: {error}")
                    names.remove(name)
                    del results[name]
                    continue
                spent[name] += monotonic() - begin
                if spent[name] > _TURNS_SECONDS and len(results[name]) > 1:
                    names.remove(name)
            names = names[1:] + names[:1]
        return results


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def prepare(source: Path, folder: Path, *, large: bool) -> Text:
    """Check a text, and write the files that the sections need."""
    say(f"{source}: training a tokenizer")
    path, model, ids = (folder / f"{source.stem}.{kind}" for kind in ("txt", "json", "u16"))
    vocab_size = _LARGE_VOCAB_SIZE if large else _VOCAB_SIZE
    text = Text(source.stem, path, model, ids, vocab_size, large)
    run_job(jobs.prepare, source, text)
    run_command(*_train(text.path, min(vocab_size, _VOCAB_SIZE)), "--output", text.model)
    return text


def _train(source: Path, vocab_size: int, pattern: str = GPT2.name) -> list[object]:
    return [_BPETITE, "train", "--input", source, "--vocab-size", vocab_size, "--pattern", pattern]


def _encode(text: Path, model: Path) -> list[object]:
    return [_BPETITE, "encode", "--model", model, "--input", text, "--format", "u16"]


def _series(
    section: str, corpus: str, case: str, results: Results, key: str = ""
) -> Iterator[Series]:
    """Yield one measurement of each contestant, by default the one named like the case."""
    for contestant, found in results.items():
        # Clocks are no better than four digits, and files stay small.
        samples = [float(f"{one[key or case]:.4g}") for one in found]
        yield Series(section, corpus, case, contestant, samples)


def _check_same(file: Path, other: Path) -> None:
    """Compare bpetite's output with the expected file, or with the output of one job."""
    if not filecmp.cmp(file, other, shallow=False):
        raise BenchError(f"{file.name} differs from {other.name}")


def equal(bench: Bench) -> Iterator[Series]:
    """Count the ids of each library that differ from tiktoken's; more than a few are an error."""
    for text in bench.texts:
        say(f"{text.name}: comparing the ids of the command")
        run_job(jobs.reference, text)
        bench.file_jobs(*_encode(text.path, text.model))[OURS]()
        _check_same(bench.folder / OURS, text.ids)
        if not text.large:
            for name, job in bench.coding_jobs(jobs.check, text).items():
                say(f"{text.name}: comparing the ids of {name}")
                yield from _series("equal", text.name, "ids", {name: [job()]})


def train(bench: Bench, section: str = "train", pattern: str = GPT2.name) -> Iterator[Series]:
    """Whole processes, from a file to saved tokens, on all cores; and bpetite with one job."""
    for text in bench.texts:
        say(f"{text.name}: training to {text.vocab_size:,} with {pattern}")
        todo = bench.file_jobs(*_train(text.path, text.vocab_size, pattern))
        if section != "train":
            del todo[ONE_JOB]
        for name in filter(bench.libraries.__contains__, TRAINERS):
            words = (name, text.path, text.vocab_size, bench.folder / name, pattern)
            todo[name] = partial(run_command, sys.executable, _TRAINERS_FILE, *words)
        results = bench.take_turns(todo)
        if ONE_JOB in todo:
            _check_same(bench.folder / OURS, bench.folder / ONE_JOB)
        ours = Artifact.read(bench.folder / OURS).tokens
        for name, found in results.items():
            tokens = ours
            if name in TRAINERS:
                tokens = [*map(bytes.fromhex, json.loads((bench.folder / name).read_bytes()))]
            same = len({*tokens} & {*ours}) / len({*tokens, *ours})
            moved = sum(map(bytes.__ne__, tokens, ours))
            found[:] = [{**one, "same": same, "moved": moved} for one in found]
        for key in ("seconds", "peak", "total", "same", "moved"):
            yield from _series(section, text.name, key, results)


def gpt4(bench: Bench) -> Iterator[Series]:
    """Train with GPT-4's pattern, on all cores."""
    return train(bench, "gpt4", "gpt4")


def _coding(
    bench: Bench, job: Callable[..., Result], *keys: str, names: Collection[str] = LIBRARIES
) -> Iterator[Series]:
    """Have each library, or the named ones, do a job on each text; the job names the section."""
    for text in bench.usual:
        say(f"{text.name}: {job.__doc__}")
        results = bench.take_turns(bench.coding_jobs(job, text, names=names))
        for key in keys:
            yield from _series(job.__name__, text.name, key, results)


def encode(bench: Bench) -> Iterator[Series]:
    """Encode one half of the text with a new tokenizer, and decode the ids."""
    return _coding(bench, jobs.encode, "first", "decode")


def patterns(bench: Bench) -> Iterator[Series]:
    """Encode with a tokenizer of each pattern, after comparing the ids, and load it."""
    for text in bench.usual:
        say(f"{text.name}: encoding with each pattern")
        trained: dict[str, Text] = {}
        for name in PATTERNS:
            model, ids = (text.model.with_suffix(f".{name}.{kind}") for kind in ("json", "u16"))
            run_command(*_train(text.path, text.vocab_size, name), "--output", model)
            trained[name] = text._replace(model=model, ids=ids)
            run_job(jobs.reference, trained[name])
            found = {name: [run_job(jobs.check, OURS, trained[name])]}
            yield from _series("patterns", text.name, "ids", found)
        for key, job, times in (("first", jobs.encode, 1), ("load", jobs.again, _STARTS)):
            todo: Jobs = {name: partial(run_job, job, OURS, trained[name]) for name in trained}
            results = bench.take_turns(todo, bench.rounds * times)
            yield from _series("patterns", text.name, key, results)


def cores(bench: Bench) -> Iterator[Series]:
    """Encode the whole text in memory, with a thread or a process for each core."""
    return _coding(bench, jobs.cores, "seconds")


def command(bench: Bench) -> Iterator[Series]:
    """Run `bpetite encode` from a file to a file, with one job and with all cores."""
    for text in bench.texts:
        say(f"{text.name}: the command `encode`")
        results = bench.take_turns(bench.file_jobs(*_encode(text.path, text.model)))
        _check_same(bench.folder / OURS, bench.folder / ONE_JOB)
        yield from _series("command", text.name, "whole", results, "seconds")


def sentence(bench: Bench) -> Iterator[Series]:
    """Encode fifty words repeatedly, with bpetite and with tiktoken."""
    return _coding(bench, jobs.sentence, "p99", names=(OURS, REFERENCE))


def small(bench: Bench) -> Iterator[Series]:
    """Train on a small file, as a command."""
    if bench.small:
        say(f"{bench.small.stem}: training to {_SMALL_VOCAB_SIZE}")
        one_job = bench.file_jobs(*_train(bench.small, _SMALL_VOCAB_SIZE))[ONE_JOB]
        results = bench.take_turns({OURS: one_job})
        yield from _series("small", bench.small.stem, "seconds", results)


def start(bench: Bench) -> Iterator[Series]:
    """Measure how long a user waits for the first id."""
    say("start: the command `encode --text hi`")
    text = bench.texts[0]
    few = bench.folder / "few.json"
    run_command(*_train(text.path, _SMALL_VOCAB_SIZE), "--output", few)
    for size, model in ((_SMALL_VOCAB_SIZE, few), (_VOCAB_SIZE, text.model)):
        hi = partial(run_command, _BPETITE, "encode", "--model", model, "--text", "hi")
        results = bench.take_turns({OURS: hi}, bench.rounds * _STARTS)
        yield from _series("start", f"{size:,} tokens", "seconds", results)


def long(bench: Bench) -> Iterator[Series]:
    """Encode n and 2 n bytes without a safe boundary once, with bpetite and with tiktoken."""
    n = min(_LONG_BYTES, bench.usual[0].path.stat().st_size)
    for size in (n, 2 * n):
        say(f"long: {size:,} bytes")
        for kind in LONG:
            args = (bench.usual[0], kind, size)
            todo = bench.coding_jobs(jobs.long, *args, names=(OURS, REFERENCE))
            yield from _series("long", kind, str(size), bench.take_turns(todo, 1), key="seconds")


SECTIONS: Final[dict[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section
    for section in (small, start, sentence, long, train, gpt4, encode, patterns, cores, command)
}
"""All sections, in order."""
