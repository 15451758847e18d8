"""What is measured, section by section.

Every section takes a `Bench` and yields series as it gets them. The jobs themselves are in
`worker`.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench import Bench
from corpora import Corpus, write_prefix
from ours import VOCAB_SIZE
from results import OURS, REFERENCE, SAME_ENOUGH, Series, measured, unique
from turns import Samples, work
from worker import LONG

CHARACTERS_VOCAB_SIZE: Final = 65_536
"""How many tokens are wanted in the section `characters`."""
SAMPLE_CHARACTERS: Final = 50_000
"""How much of a text the section `sample` takes."""
SAMPLE_VOCAB_SIZE: Final = 512
"""How many tokens are wanted in the section `sample`."""

_LONG_BYTES: Final = (1_000_000, 2_000_000)
_LONG_BYTES_QUICK: Final = (50_000, 100_000)
_STARTS_IN_A_ROUND: Final = 4
_PARTS: Final = {"1/8": 8, "1/4": 4, "1/2": 2, "1": 1}
_BPETITE: Final = str(Path(sys.executable).with_name("bpetite"))


def equal(bench: Bench) -> Iterator[Series]:
    """How many ids of each coder are not tiktoken's; an error if they are more than a few."""
    for corpus in bench.corpora:
        for maker in bench.coders:
            bench.say(f"{corpus.name}: comparing the ids of {maker.name}")
            artifact = bench.artifact(corpus).path
            found = work("check", maker.name, corpus.path, corpus.length, artifact)
            yield Series("equal", corpus.name, "", maker.name, "ids", [found["ids"]])


def train(bench: Bench) -> Iterator[Series]:
    """Text in memory to tokens, at each size, and the memory that it takes.

    Who learns other tokens at one size has no turn at a larger one.
    """
    for corpus in bench.corpora:
        names = [trainer.name for trainer in bench.trainers]
        for size in sorted(bench.sizes):
            bench.say(f"{corpus.name}: training to {size:,}")
            jobs = {name: ("train", name, corpus.path, corpus.length, size) for name in names}
            samples = bench.take_turns(jobs)
            amounts = dict.fromkeys(jobs, corpus.size)
            yield from _series(samples, "seconds", _Case("train", corpus.name, str(size)), amounts)
            memory = _Case("memory", corpus.name, f"training to {size:,}", "bytes")
            yield from _series(samples, "taken", memory)
            same = list(_same(corpus, size, unique([name for name, _ in samples])))
            yield from same
            others = {one.contestant for one in same if one.samples[0] < SAME_ENOUGH}
            names = [name for name in names if name not in others]


def _same(corpus: Corpus, size: int, names: Sequence[str]) -> Iterator[Series]:
    """Yield the share of each contestant's tokens and ours that both have."""
    learned = {}
    for name in names:
        found = work("tokens", name, corpus.path, corpus.length, size)
        learned[name] = set(found["tokens"])
    for name, tokens in learned.items():
        if tokens:
            share = len(tokens & learned[OURS]) / len(tokens | learned[OURS])
            yield Series("same", corpus.name, str(size), name, "share", [measured(share)])


def sample(bench: Bench) -> Iterator[Series]:
    """The beginning of each text to tokens, by ours and by the slow ones."""
    trainers = [bench.trainers[0], *bench.slow_trainers]
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: training on a sample")
        length = min(SAMPLE_CHARACTERS, corpus.length)
        jobs = {
            trainer.name: ("train", trainer.name, corpus.path, length, SAMPLE_VOCAB_SIZE)
            for trainer in trainers
        }
        yield from _series(bench.take_turns(jobs), "seconds", _Case("sample", corpus.name, ""))


def encode(bench: Bench) -> Iterator[Series]:
    """The whole text by a new tokenizer, by the same one again, and back from the ids."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding and decoding")
        artifact = bench.artifact(corpus).path
        jobs = {
            maker.name: ("encode", maker.name, corpus.path, corpus.length, artifact)
            for maker in bench.coders
        }
        samples = bench.take_turns(jobs)
        sizes = dict.fromkeys(jobs, corpus.size)
        ids = {name: int(counts[0]) for (name, key), counts in samples.items() if key == "ids"}
        name = corpus.name
        yield from _series(samples, "first", _Case("encode", name, "first pass"), sizes)
        yield from _series(samples, "warm", _Case("encode", name, "warm"), sizes)
        yield from _series(samples, "decoding", _Case("decode", name, "decoding"), ids)
        yield from _series(samples, "taken", _Case("memory", name, "encoding", "bytes"))


def sentence(bench: Bench) -> Iterator[Series]:
    """Fifty words, again and again, by ours and by tiktoken."""
    names = [maker.name for maker in bench.coders if maker.name in {OURS, REFERENCE}]
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding a sentence")
        artifact = bench.artifact(corpus).path
        samples = bench.take_turns({n: ("sentence", n, corpus.path, artifact) for n in names})
        for case in ("p50", "p99", "slowest"):
            yield from _series(samples, case, _Case("sentence", corpus.name, case))


def start(bench: Bench) -> Iterator[Series]:
    """What a user waits for before the first id."""
    bench.say("start: load, save, import, the command line")
    largest = max(map(bench.artifact, bench.corpora), key=lambda artifact: len(artifact.tokens))
    artifact = largest.path
    python = ("run", sys.executable, "-c")
    encode_hi = ("run", _BPETITE, "encode", "--model", artifact, "--text", "hi")
    jobs: dict[str, tuple[object, ...]] = {
        "python -c pass": (*python, "pass"),
        "python -c 'import regex'": (*python, "import regex"),
        "python -c 'import bpetite'": (*python, "import bpetite"),
        "bpetite encode --text hi": encode_hi,
        "Tokenizer.load": ("load", artifact),
        "save": ("save", artifact, bench.folder / "copy.json"),
    }
    samples = bench.take_turns(jobs, bench.rounds * _STARTS_IN_A_ROUND)
    sizes = dict.fromkeys(("Tokenizer.load", "save"), len(largest.tokens))
    yield from _series(samples, "seconds", _Case("start", "", "start"), sizes)


def growth(bench: Bench) -> Iterator[Series]:
    """Ours on an eighth of a text, a quarter, a half and the whole."""
    for corpus in bench.corpora:
        lengths = {part: corpus.length // divisor for part, divisor in _PARTS.items()}
        artifact = bench.artifact(corpus).path
        for action, what, key in (("train", VOCAB_SIZE, "seconds"), ("encode", artifact, "first")):
            bench.say(f"{corpus.name}: growth ({action})")
            samples = bench.take_turns(
                {p: (action, OURS, corpus.path, length, what) for p, length in lengths.items()}
            )
            yield from _series(samples, key, _Case("growth", corpus.name, f"{action}, s"))
            memory = _Case("growth", corpus.name, f"{action}, MB", "bytes")
            yield from _series(samples, "taken", memory)


def long(bench: Bench) -> Iterator[Series]:
    """Text in which no safe boundary comes, of n bytes and of 2 n, by ours and by tiktoken."""
    names = [maker.name for maker in bench.coders if maker.name in {OURS, REFERENCE}]
    corpus = bench.corpora[0]
    artifact = bench.artifact(corpus).path
    for size in _LONG_BYTES_QUICK if bench.quick else _LONG_BYTES:
        for kind in LONG:
            bench.say(f"long: {size:,} bytes of {kind}")
            samples = bench.take_turns(
                {name: ("long", name, corpus.path, artifact, kind, size) for name in names}
            )
            amounts = dict.fromkeys(names, size)
            yield from _series(samples, "seconds", _Case("long", "", kind), amounts)


def characters(bench: Bench) -> Iterator[Series]:
    """The command line on the beginning of a large file, once each."""
    if bench.large is None:
        return
    text, model = bench.folder / "large.txt", bench.folder / "large.json"
    size = str(CHARACTERS_VOCAB_SIZE)
    command = (_BPETITE, "train", "--input", text, "--output", model, "--vocab-size", size)
    for length in bench.characters:
        bench.say(f"{bench.large.name}: training on {length:,} characters")
        if not write_prefix(bench.large, text, length):
            bench.say(f"{bench.large.name} has fewer characters")
            return
        samples = bench.take_turns({OURS: ("run", *command, "--force")}, rounds=1)
        for key, unit in (("seconds", "s"), ("peak", "bytes")):
            case = _Case("characters", bench.large.stem, key, unit)
            yield from _series(samples, key, case, {OURS: length})


class _Case(NamedTuple):
    """What samples are of."""

    section: str
    corpus: str
    name: str
    unit: str = "s"


def _series(
    samples: Samples, key: str, case: _Case, amounts: Mapping[str, int] | None = None
) -> Iterator[Series]:
    """Yield what the workers of each contestant have said under a key."""
    for (contestant, found), values in samples.items():
        if found == key:
            yield Series(
                section=case.section,
                corpus=case.corpus,
                case=case.name,
                contestant=contestant,
                unit=case.unit,
                samples=[measured(value) for value in values],
                amount=(amounts or {}).get(contestant, 0),
            )
