"""What is measured in this process: training, encoding, a sentence, decoding, long chunks.

Every section takes a `Bench` and yields series as it gets them.
"""

import random
import string
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import Final

from artifacts import Artifact
from bench import Bench, series_of
from coders import Bpetite, Coder, Tiktoken
from corpora import Corpus
from equal import check_coder
from results import OURS, Series
from timing import Samples, seconds
from trainers import Tokens, Trainer

_SENTENCE_WORDS: Final = 50
_SENTENCES_IN_A_ROUND: Final = 200
_SAMPLE_CHARACTERS: Final = 50_000
_SAMPLE_VOCAB_SIZE: Final = 512
_LONG_BYTES: Final = (1_000_000, 2_000_000)
_LONG_BYTES_QUICK: Final = (50_000, 100_000)


def train(bench: Bench) -> Iterator[Series]:
    """Text in memory to tokens, at each size; then a sample of it, by a slow peer too."""
    for corpus in bench.corpora:
        for size in bench.sizes:
            yield from _train(bench, corpus, size, bench.trainers)
        if bench.educational:
            sample = corpus.prefix(_SAMPLE_CHARACTERS)
            trainers = [bench.trainers[0], *bench.educational]
            yield from _train(bench, sample, _SAMPLE_VOCAB_SIZE, trainers)


def _train(bench: Bench, corpus: Corpus, size: int, trainers: list[Trainer]) -> Iterator[Series]:
    bench.say(f"{corpus.name}: training to {size:,}")
    learned: dict[str, set[bytes]] = {}

    def sample(trainer: Trainer) -> Mapping[str, float]:
        result: list[Tokens] = []
        taken = seconds(lambda: result.append(trainer.train(corpus, size)))
        if trainer.name not in learned:
            learned[trainer.name] = result[0]()
        return {str(size): taken}

    samplers = {trainer.name: partial(sample, trainer) for trainer in trainers}
    amounts = dict.fromkeys(samplers, corpus.size)
    yield from bench.measure("train", corpus.name, samplers, amounts=amounts)
    ours = learned[OURS]
    for name, tokens in learned.items():
        if tokens:
            share = len(tokens & ours) / len(tokens | ours)
            yield Series("same", corpus.name, str(size), name, "share", [share])


def equal(bench: Bench) -> Iterator[Series]:
    """How many ids differ from tiktoken's; an error if they are more than a few."""
    for corpus in bench.corpora:
        for maker in bench.coders:
            bench.say(f"{corpus.name}: checking {maker.name}")
            differing = check_coder(maker, bench.artifact(corpus))
            yield Series("equal", corpus.name, "", maker.name, "ids", [differing])


def encode(bench: Bench) -> Iterator[Series]:
    """The whole text by a new tokenizer, and then by the same one again."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding")
        artifact = bench.artifact(corpus)
        samplers = {maker.name: partial(_encode, maker, artifact) for maker in bench.coders}
        amounts = dict.fromkeys(samplers, corpus.size)
        yield from bench.measure("encode", corpus.name, samplers, amounts=amounts)


def _encode(maker: type[Coder], artifact: Artifact) -> Mapping[str, float]:
    coder = maker(artifact)
    job = partial(coder.encode, artifact.corpus.text)
    return {"first": seconds(job), "warm": seconds(job)}


def sentence(bench: Bench) -> Iterator[Series]:
    """The first words of a text, again and again, by tokenizers that know them already."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: encoding a sentence")
        text = " ".join(corpus.text[: 1 << 16].split()[:_SENTENCE_WORDS])
        makers = [maker for maker in bench.coders if maker in {Bpetite, Tiktoken}]
        jobs = {m.name: partial(m(bench.artifact(corpus)).encode, text) for m in makers}
        samples: Samples = {}
        for turn in range(bench.rounds):
            for name, job in list(jobs.items())[:: -1 if turn % 2 else 1]:
                samples.setdefault((name, "warm"), []).extend(_repeat(job))
        yield from series_of("sentence", corpus.name, samples)


def _repeat(job: Callable[[], object]) -> Iterator[float]:
    """Time a job of microseconds many times, each by itself."""
    job()
    for _ in range(_SENTENCES_IN_A_ROUND):
        begin = perf_counter()
        job()
        yield perf_counter() - begin


def decode(bench: Bench) -> Iterator[Series]:
    """All ids of a text, by each who made them."""
    for corpus in bench.corpora:
        bench.say(f"{corpus.name}: decoding")
        samplers, amounts = {}, {}
        for maker in bench.coders:
            coder = maker(bench.artifact(corpus))
            ids = coder.encode(corpus.text)
            samplers[maker.name] = partial(_decode, coder, ids)
            amounts[maker.name] = len(ids)
        yield from bench.measure("decode", corpus.name, samplers, amounts=amounts)


def _decode(coder: Coder, ids: list[int]) -> Mapping[str, float]:
    return {"all": seconds(partial(coder.decode, ids))}


def long(bench: Bench) -> Iterator[Series]:
    """Runs of characters without a safe boundary, of n bytes and of 2 n."""
    artifact = bench.artifact(bench.corpora[0])
    makers = [maker for maker in bench.coders if maker in {Bpetite, Tiktoken}]
    for size in _LONG_BYTES_QUICK if bench.quick else _LONG_BYTES:
        for kind, text in _long_texts(size).items():
            bench.say(f"long: {size:,} bytes of {kind}")
            samplers = {m.name: partial(_encode_long, m, artifact, kind, text) for m in makers}
            amounts = dict.fromkeys(samplers, size)
            yield from bench.measure("long", "", samplers, amounts=amounts)


def _encode_long(maker: type[Coder], artifact: Artifact, kind: str, text: str) -> dict[str, float]:
    return {kind: seconds(partial(maker(artifact).encode, text))}


def _long_texts(size: int) -> dict[str, str]:
    """Return texts of so many bytes, or a few less, by what they are made of."""
    chance = random.Random(0)  # noqa: S311 - chance makes texts here, not secrets
    base64 = string.ascii_letters + string.digits + "+/"
    ideographs = "".join(map(chr, range(0x4E00, 0x9FA6)))
    return {
        "`a`": "a" * size,
        "random letters": "".join(chance.choices(string.ascii_lowercase, k=size)),
        "base64": "".join(chance.choices(base64, k=size)),
        "CJK": "".join(chance.choices(ideographs, k=size // 3)),
        "spaces": " " * size,
        "newlines": "\n" * size,
        "emoji": "\N{GRINNING FACE}" * (size // 4),
    }
