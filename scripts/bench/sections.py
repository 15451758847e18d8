"""What is measured, section by section: which jobs, and what series come of them.

In each round every library does its job once, and another one begins.
"""

import filecmp
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from bench.equality import UnequalError
from bench.jobs import LONG, JobError, run_command, run_job
from bench.libraries import CORES, LOADERS, Vocabulary
from bench.results import ONE_JOB, OURS, REFERENCE, Series
from bench.trainers import TRAINERS

_VOCAB_SIZE: Final = 32_000
_LARGE_VOCAB_SIZE: Final = 65_536
_SMALL_VOCAB_SIZE: Final = 512
_QUICK_VOCAB_SIZE: Final = 4_096
_TURNS_SECONDS: Final = 60
_LONG_BYTES: Final = (1_000_000, 2_000_000)
_LONG_BYTES_QUICK: Final = (50_000, 100_000)
_STARTS_IN_A_ROUND: Final = 4
_BPETITE: Final = str(Path(sys.executable).with_name("bpetite"))
_TRAINERS_FILE: Final = str(Path(__file__).with_name("trainers.py"))

Jobs = Mapping[str, Callable[[], dict[str, float]]]
"""The job of each contestant."""

Results = dict[str, list[dict[str, float]]]
"""What the jobs of each contestant have measured, round by round."""


@dataclass(frozen=True)
class Text:
    """A text, with what was made of it before anything is timed.

    path, size: the whole, and its bytes.
    half, half_size: the first half.
    large: too large for libraries that hold all ids as integers; only commands read it.
    vocab_size: how many tokens are learned from it in training.
    model: our tokenizer of 32,000 tokens for it.
    ids: those of tiktoken, as u16.
    """

    name: str
    path: Path
    size: int
    half: Path
    half_size: int
    large: bool
    vocab_size: int
    model: Path
    ids: Path

    @classmethod
    def prepare(cls, source: Path, folder: Path, *, large: bool, quick: bool) -> "Text":
        """Check a text, and make in a folder what the sections need.

        Raises:
            JobError: the text cannot be measured, or our merges are not the oracle's.
        """
        kinds = ("txt", "half", "trained", "json", "u16")
        path, half, trained, model, ids = (folder / f"{source.stem}.{kind}" for kind in kinds)
        sizes = run_job("prepare", source=source, text=path, half=half, quick=quick)
        size, half_size = int(sizes["size"]), int(sizes["half"])
        vocab_size = _LARGE_VOCAB_SIZE if large else _VOCAB_SIZE
        vocab_size = _QUICK_VOCAB_SIZE if quick else vocab_size
        run_command(train_command(path, vocab_size, trained, CORES))
        truncate(trained, _VOCAB_SIZE, model)
        return cls(source.stem, path, size, half, half_size, large, vocab_size, model, ids)


@dataclass(frozen=True)
class Bench:
    """What every section gets.

    texts: the large ones are last.
    small: a file to train 512 tokens from, if any.
    rounds: how often each job is done; fewer if its turns take more than a minute.
    quick: show that everything works, rather than measure.
    libraries: the names of those that are installed.
    folder: a place for files that is removed after the run.
    say: reports progress.
    """

    texts: list[Text]
    small: Path | None
    rounds: int
    quick: bool
    libraries: list[str]
    folder: Path
    say: Callable[[str], None]

    @property
    def usual(self) -> list[Text]:
        """The texts that are not large."""
        return [text for text in self.texts if not text.large]

    def coding_jobs(self, action: str, text: Text, *names: str, **more: object) -> Jobs:
        """Return a job for each library that encodes, or for those of some names."""
        files = {"text": text.path, "vocabulary": text.model}
        return {
            name: partial(run_job, action, name=name, **files, **more)
            for name in LOADERS
            if name in (names or LOADERS) and name in self.libraries
        }

    def take_turns(self, jobs: Jobs, rounds: int | None = None) -> Results:
        """Do every job in each round, another one first each time.

        A library that fails is out, with all its results. One whose turns have taken more than a
        minute has no further turn.
        """
        results: Results = {}
        names, spent = list(jobs), dict.fromkeys(jobs, 0.0)
        for turn in range(rounds or self.rounds):
            first = turn % len(names) if names else 0
            for name in names[first:] + names[:first]:
                begin = monotonic()
                try:
                    results.setdefault(name, []).append(jobs[name]())
                except JobError as error:
                    if name in {OURS, ONE_JOB}:
                        raise
                    self.say(f"{name} is left out: {error}")
                    names.remove(name)
                    del results[name]
                    continue
                spent[name] += monotonic() - begin
                if spent[name] > _TURNS_SECONDS:
                    names.remove(name)
        return {name: results[name] for name in jobs if name in results}


def _series(
    results: Results, key: str, section: str, corpus: str, case: str, amount: int = 0
) -> Iterator[Series]:
    """Yield what the jobs of each contestant have measured under a key."""
    for contestant, found in results.items():
        # Four digits: clocks are no better, and files stay small.
        samples = [float(f"{one[key]:.4g}") for one in found]
        yield Series(section, corpus, case, contestant, samples, amount)


def _with_all_cores_and_one_job(
    words: Callable[[Path, int], list[object]], folder: Path
) -> dict[str, Callable[[], dict[str, float]]]:
    """Return the jobs of a command of ours, which writes a file: one is compared with the other."""
    outputs = {OURS: CORES, ONE_JOB: 1}
    return {name: partial(run_command, words(folder / name, n)) for name, n in outputs.items()}


def train_command(source: Path, vocab_size: int, output: Path, jobs: int) -> list[object]:
    """Return the command that trains on a file."""
    words = ["--input", source, "--vocab-size", vocab_size, "--output", output, "--force"]
    return [_BPETITE, "train", *words, "--jobs", jobs]


def truncate(model: Path, vocab_size: int, output: Path) -> None:
    """Make a tokenizer of at most this size from a larger one, as training would."""
    size = min(vocab_size, len(Vocabulary(model, "").tokens))
    words = ["--model", model, "--vocab-size", size, "--output", output, "--force"]
    run_command([_BPETITE, "truncate", *words])


def _encode_command(text: Path, model: Path, output: Path, jobs: int) -> list[object]:
    words = ["--model", model, "--input", text, "--format", "u16", "--output", output, "--force"]
    return [_BPETITE, "encode", *words, "--jobs", jobs]


def _check_same(file: Path, other: Path) -> None:
    """Compare what bpetite has written with what it should be, or with what one job wrote.

    Raises:
        UnequalError: they differ.
    """
    if not filecmp.cmp(file, other, shallow=False):
        message = f"{file.name} differs from {other.name}"
        raise UnequalError(message)


def equal(bench: Bench) -> Iterator[Series]:
    """How many ids of each library differ from tiktoken's; more than a few are an error."""
    for text in bench.texts:
        run_job("reference", text=text.path, vocabulary=text.model, ids=text.ids)
        bench.say(f"{text.name}: comparing the ids of the command")
        run_command(_encode_command(text.path, text.model, bench.folder / OURS, CORES))
        _check_same(bench.folder / OURS, text.ids)
        for name, job in bench.coding_jobs("check", text, ids=text.ids).items():
            if not text.large:
                bench.say(f"{text.name}: comparing the ids of {name}")
                yield from _series({name: [job()]}, "ids", "equal", text.name, "ids")


def train(bench: Bench) -> Iterator[Series]:
    """Whole processes, from a file to saved tokens, on all cores; and bpetite with one job."""
    for text in bench.texts:
        bench.say(f"{text.name}: training to {text.vocab_size:,}")
        words = partial(train_command, text.path, text.vocab_size)
        jobs = _with_all_cores_and_one_job(words, bench.folder)
        for name in TRAINERS:
            if name in bench.libraries:
                program = [sys.executable, _TRAINERS_FILE, name, text.path, text.vocab_size]
                jobs[name] = partial(run_command, [*program, bench.folder / name])
        results = bench.take_turns(jobs)
        _check_same(bench.folder / OURS, bench.folder / ONE_JOB)
        ours = set(Vocabulary(bench.folder / OURS, "").tokens)
        for name, found in results.items():
            tokens = ours
            if name in TRAINERS:
                tokens = set(map(bytes.fromhex, json.loads((bench.folder / name).read_bytes())))
            same = len(tokens & ours) / len(tokens | ours)
            found[:] = [{**one, "same": same} for one in found]
        for key in ("seconds", "peak", "same"):
            yield from _series(results, key, "train", text.name, key, text.size)


def encode(bench: Bench) -> Iterator[Series]:
    """One half of the text by a new tokenizer, then the other, and back from the ids."""
    for text in bench.usual:
        bench.say(f"{text.name}: encoding and decoding in one process")
        results = bench.take_turns(bench.coding_jobs("encode", text))
        ids = int(results[OURS][0]["ids"])
        amounts = {"first": text.half_size, "second": text.size - text.half_size, "decode": ids}
        for key, amount in amounts.items():
            yield from _series(results, key, "encode", text.name, key, amount)


def cores(bench: Bench) -> Iterator[Series]:
    """The whole text in memory to ids in memory, with a thread or a process for each core."""
    for text in bench.usual:
        bench.say(f"{text.name}: encoding on all cores")
        results = bench.take_turns(bench.coding_jobs("cores", text))
        yield from _series(results, "seconds", "cores", text.name, "seconds", text.size)


def command(bench: Bench) -> Iterator[Series]:
    """`bpetite encode` from a file to a file, with one job and with all cores."""
    for text in bench.texts:
        parts = {"whole": (text.path, text.size), "half": (text.half, text.half_size)}
        for case, (path, size) in parts.items():
            if text.large and case == "half":
                continue
            bench.say(f"{text.name}, {case}: the command `encode`")
            words = partial(_encode_command, path, text.model)
            jobs = _with_all_cores_and_one_job(words, bench.folder)
            results = bench.take_turns(jobs)
            _check_same(bench.folder / OURS, bench.folder / ONE_JOB)
            yield from _series(results, "seconds", "command", text.name, case, size)


def sentence(bench: Bench) -> Iterator[Series]:
    """Fifty words, again and again, by bpetite and by tiktoken."""
    for text in bench.usual:
        bench.say(f"{text.name}: encoding a sentence")
        results = bench.take_turns(bench.coding_jobs("sentence", text, OURS, REFERENCE))
        for key in ("p50", "p99"):
            yield from _series(results, key, "sentence", text.name, key)


def small(bench: Bench) -> Iterator[Series]:
    """Training on a small file, as a command."""
    if bench.small:
        bench.say(f"{bench.small.stem}: training to {_SMALL_VOCAB_SIZE}")
        words = train_command(bench.small, _SMALL_VOCAB_SIZE, bench.folder / "small.json", 1)
        results = bench.take_turns({OURS: partial(run_command, words)})
        yield from _series(results, "seconds", "small", bench.small.stem, "seconds")


def start(bench: Bench) -> Iterator[Series]:
    """What a user waits for before the first id."""
    bench.say("start: the command `encode --text hi`")
    for size in (_SMALL_VOCAB_SIZE, _VOCAB_SIZE):
        model = bench.folder / f"start-{size}.json"
        truncate(bench.texts[0].model, size, model)
        hi = partial(run_command, [_BPETITE, "encode", "--model", model, "--text", "hi"])
        results = bench.take_turns({OURS: hi}, bench.rounds * _STARTS_IN_A_ROUND)
        yield from _series(results, "seconds", "start", f"{size:,} tokens", "seconds")


def long(bench: Bench) -> Iterator[Series]:
    """Text without a safe boundary, of n bytes and of 2 n, by bpetite and by tiktoken, once."""
    for size in _LONG_BYTES_QUICK if bench.quick else _LONG_BYTES:
        bench.say(f"long: {size:,} bytes")
        for kind in LONG:
            jobs = bench.coding_jobs("long", bench.usual[0], OURS, REFERENCE, kind=kind, size=size)
            yield from _series(bench.take_turns(jobs, 1), "seconds", "long", kind, str(size))
