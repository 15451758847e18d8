"""One job in a process of its own, so that nothing that a library leaves behind slows the next.

`run_job` starts the process and `do_job` is what it does. Before anything is timed, the library
has done the same job on a little text, so that what it sets up once is not counted.
"""

import ctypes
import gc
import json
import math
import os
import random
import resource
import string
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from bench.equality import count_different_ids
from bench.libraries import LOADERS, TRAINERS, Coder, Vocabulary
from bpetite import Tokenizer

Result = Mapping[str, float]

_LITTLE_CHARACTERS: Final = 2_000
_LITTLE_VOCAB_SIZE: Final = 300
_SENTENCE_WORDS: Final = 50
_SENTENCES: Final = 1_000
_STATUS: Final = Path("/proc/self/status")
_RESET: Final = Path("/proc/self/clear_refs")
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class JobError(Exception):
    """A job ended without a result."""


def run_job(action: str, threads: int = 1, **arguments: object) -> dict[str, float]:
    """Do a job in a new process with a number of threads, and return what it measured.

    Raises:
        JobError: it failed. The message is the last line of its error.
    """
    job = json.dumps({"action": action, **arguments}, default=str)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent), "--job", job],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "RAYON_NUM_THREADS": str(threads)},
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise JobError(lines[-1][:300])
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def do_job(job: str) -> int:
    """Do a job in this process, and print what it measured as the last line."""
    arguments: dict[str, Any] = json.loads(job)
    print(json.dumps(_ACTIONS[arguments.pop("action")](**arguments)))
    return 0


def train(name: str, text: str, vocab_size: int, vocabulary: str) -> Result:
    """Measure training; "same" is the share of its tokens and those of a vocabulary in both."""
    corpus = _read(text)
    TRAINERS[name](corpus[:_LITTLE_CHARACTERS], _LITTLE_VOCAB_SIZE)
    before = _settled_bytes()
    begin = perf_counter()
    learned = TRAINERS[name](corpus, vocab_size)
    taken = perf_counter() - begin
    peak = _peak_bytes()
    tokens, ours = learned(), set(Vocabulary(Path(vocabulary), corpus).tokens)
    same = len(tokens & ours) / len(tokens | ours)
    return {"seconds": taken, "taken": peak - before, "same": same}


def check(name: str, text: str, vocabulary: str) -> Result:
    """Count the ids that differ from tiktoken's."""
    found = Vocabulary(Path(vocabulary), _read(text))
    return {"ids": count_different_ids(name, LOADERS[name](found), found)}


def encode(name: str, text: str, vocabulary: str) -> Result:
    """Measure two passes and decoding, and the memory of the first pass."""
    corpus = _read(text)
    coder = _load(name, Vocabulary(Path(vocabulary), corpus))
    job = partial(coder.encode, corpus)
    before = _settled_bytes()
    first = _seconds(job)
    peak = _peak_bytes()
    warm = _seconds(job)
    ids = job()
    decoding = _seconds(partial(coder.decode, ids))
    passes = {"first": first, "warm": warm, "decoding": decoding}
    return {**passes, "ids": len(ids), "taken": peak - before}


def sentence(name: str, text: str, vocabulary: str) -> Result:
    """Encode the first words of a text many times; measure what 50 and 99 of 100 calls take."""
    corpus = _read(text)
    words = " ".join(corpus[: 1 << 16].split()[:_SENTENCE_WORDS])
    coder = _load(name, Vocabulary(Path(vocabulary), corpus))
    coder.encode(words)
    samples = []
    for _ in range(_SENTENCES):
        begin = perf_counter()
        coder.encode(words)
        samples.append(perf_counter() - begin)
    samples.sort()
    p50, p99 = (samples[math.ceil(len(samples) * share) - 1] for share in (0.5, 0.99))
    return {"p50": p50, "p99": p99, "slowest": samples[-1]}


def long(name: str, text: str, vocabulary: str, kind: str, size: int) -> Result:
    """Measure the encoding of a text without a safe boundary."""
    coder = _load(name, Vocabulary(Path(vocabulary), _read(text)))
    return {"seconds": _seconds(partial(coder.encode, LONG[kind](size)))}


def load(vocabulary: str) -> Result:
    """Measure loading a tokenizer of ours."""
    tokens = len(Vocabulary(Path(vocabulary), "").tokens)
    return {"seconds": _seconds(partial(Tokenizer.load, vocabulary)), "tokens": tokens}


def command(words: list[str]) -> Result:
    """Measure a program from its start to its end. Python may keep what it compiles."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken = _seconds(partial(subprocess.run, words, check=True, capture_output=True, env=env))
    # At least what this process held when it started the program, so it must stay small.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _RUSAGE_UNIT
    return {"seconds": taken, "peak": peak}


_ACTIONS: Final[dict[str, Callable[..., Result]]] = {
    action.__name__: action for action in (train, check, encode, sentence, long, load, command)
}

_CHANCE: Final = random.Random(0)
_BASE64: Final = string.ascii_letters + string.digits + "+/"


def _any_of(characters: str, length: int) -> str:
    return "".join(_CHANCE.choices(characters, k=length))


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


def _read(path: str) -> str:
    return Path(path).read_bytes().decode("utf-8")


def _load(name: str, vocabulary: Vocabulary) -> Coder:
    """Return a new coder, after another one has set up what is set up once."""
    LOADERS[name](vocabulary).encode(vocabulary.text[:_LITTLE_CHARACTERS])
    return LOADERS[name](vocabulary)


def _seconds(job: Callable[[], object]) -> float:
    """Return how long a job takes by the clock on the wall, without dropping its result."""
    gc.collect()
    begin = perf_counter()
    result = job()
    end = perf_counter()
    del result
    return end - begin


def _settled_bytes() -> int:
    """Give back free memory, forget earlier peaks, and return the memory that is held.

    Outside Linux nothing can be forgotten, and the peak so far is returned.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # only the C library of GNU has it
        ctypes.CDLL(None).malloc_trim(0)
    if _RESET.exists():
        _RESET.write_text("5", encoding="ascii")  # proc(5): the peak is what it is now
    return _peak_bytes()


def _peak_bytes() -> int:
    """Return the most memory that this process has held since it settled."""
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RUSAGE_UNIT
