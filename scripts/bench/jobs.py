"""One job, once, in a process of its own, as no contestant is to feel what another left.

    worker.py ACTION ARGUMENT...

The result goes to the last line of standard output, as JSON. A peer is used once on a
little text before anything is measured, so that what it sets up once is not counted.
"""

import json
import os
import random
import string
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from bpetite import Tokenizer
from coders import CODERS, Coder
from corpora import Corpus, read_corpus
from equal import differing_ids
from ours import Artifact, read_artifact
from peak import peak_bytes, peak_bytes_of_children, settled_bytes
from timing import percentile, seconds
from trainers import EDUCATIONAL, TRAINERS, Trainer

_LITTLE_CHARACTERS: Final = 2_000
_LITTLE_VOCAB_SIZE: Final = 300
_SENTENCE_WORDS: Final = 50
_SENTENCES: Final = 1_000


def tokens(name: str, path: str, characters: str, vocab_size: str) -> Mapping[str, list[str]]:
    """Return the tokens that a trainer learns, each byte as a character."""
    learned = _trainer(name).train(_corpus(path, characters), int(vocab_size))()
    return {"tokens": sorted(token.decode("latin-1") for token in learned)}


def train(name: str, path: str, characters: str, vocab_size: str) -> Mapping[str, float]:
    """Return the seconds and the memory that training takes."""
    trainer = _trainer(name)
    corpus = _corpus(path, characters)
    with suppress(Exception):  # sentencepiece wants more tokens; it has set itself up all the same
        trainer.train(corpus.prefix(_LITTLE_CHARACTERS), _LITTLE_VOCAB_SIZE)
    before = settled_bytes()
    taken = seconds(partial(trainer.train, corpus, int(vocab_size)))
    return {"seconds": taken, "taken": peak_bytes() - before}


def check(name: str, path: str, characters: str, artifact: str) -> Mapping[str, float]:
    """Return how many ids differ from tiktoken's."""
    corpus = _corpus(path, characters)
    return {"ids": differing_ids(_maker(name), read_artifact(Path(artifact), corpus))}


def encode(name: str, path: str, characters: str, artifact: str) -> Mapping[str, float]:
    """Return the seconds of two passes and of decoding, and the memory of the first pass."""
    corpus = _corpus(path, characters)
    coder = _new(name, read_artifact(Path(artifact), corpus))
    job = partial(coder.encode, corpus.text)
    before = settled_bytes()
    first = seconds(job)
    peak = peak_bytes()
    warm = seconds(job)
    ids = job()
    decoding = seconds(partial(coder.decode, ids))
    return {
        "first": first,
        "warm": warm,
        "decoding": decoding,
        "ids": len(ids),
        "taken": peak - before,
    }


def sentence(name: str, path: str, artifact: str) -> Mapping[str, float]:
    """Return what half of the calls keep within, and 99 of 100, and all."""
    corpus = _corpus(path, str(1 << 16))
    text = " ".join(corpus.text.split()[:_SENTENCE_WORDS])
    coder = _new(name, read_artifact(Path(artifact), corpus))
    coder.encode(text)
    samples = []
    for _ in range(_SENTENCES):
        begin = perf_counter()
        coder.encode(text)
        samples.append(perf_counter() - begin)
    p50, p99 = percentile(samples, 50), percentile(samples, 99)
    return {"p50": p50, "p99": p99, "slowest": max(samples)}


def long(name: str, path: str, artifact: str, kind: str, size: str) -> Mapping[str, float]:
    """Return the seconds that it takes to encode a text without a safe boundary."""
    coder = _new(name, read_artifact(Path(artifact), _corpus(path, "1")))
    return {"seconds": seconds(partial(coder.encode, LONG[kind](int(size))))}


def load(artifact: str) -> Mapping[str, float]:
    """Return the seconds to load a tokenizer."""
    return {"seconds": seconds(partial(Tokenizer.load, artifact))}


def save(artifact: str, copy: str) -> Mapping[str, float]:
    """Return the seconds to save a tokenizer."""
    tokenizer = Tokenizer.load(artifact)
    return {"seconds": seconds(partial(tokenizer.save, copy, overwrite=True))}


def run(*command: str) -> Mapping[str, float]:
    """Return the seconds and the memory of a program, from its start to its end.

    Python may keep what it compiles, as it does for users.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken = seconds(partial(subprocess.run, command, check=True, capture_output=True, env=env))
    return {"seconds": taken, "peak": peak_bytes_of_children()}


_CHANCE: Final = random.Random(0)  # noqa: S311 - chance makes texts here, not secrets
_BASE64: Final = string.ascii_letters + string.digits + "+/"

LONG: Final[dict[str, Callable[[int], str]]] = {
    "`a`": lambda size: "a" * size,
    "random letters": lambda size: _any_of(string.ascii_lowercase, size),
    "base64": lambda size: _any_of(_BASE64, size),
    "CJK": lambda size: _any_of("".join(map(chr, range(0x4E00, 0x9FA6))), size // 3),
    "spaces": lambda size: " " * size,
    "newlines": lambda size: "\n" * size,
    "emoji": lambda size: "\N{GRINNING FACE}" * (size // 4),
}
"""Texts of so many bytes, by what they are made of."""


def _any_of(characters: str, length: int) -> str:
    return "".join(_CHANCE.choices(characters, k=length))


def _corpus(path: str, characters: str) -> Corpus:
    whole = read_corpus(Path(path))
    return Corpus(whole.name, whole.text[: int(characters)], whole.path)


def _trainer(name: str) -> Trainer:
    return next(trainer for trainer in (*TRAINERS, EDUCATIONAL) if trainer.name == name)


def _maker(name: str) -> type[Coder]:
    return next(maker for maker in CODERS if maker.name == name)


def _new(name: str, artifact: Artifact) -> Coder:
    """Return a new coder, where another one has set up what is set up once."""
    maker = _maker(name)
    maker(artifact).encode(artifact.corpus.text[:_LITTLE_CHARACTERS])
    return maker(artifact)


_ACTIONS: Final[dict[str, Callable[..., Mapping[str, object]]]] = {
    action.__name__: action
    for action in (tokens, train, check, encode, sentence, long, load, save, run)
}

if __name__ == "__main__":
    print(json.dumps(_ACTIONS[sys.argv[1]](*sys.argv[2:])))
