"""Each job is a process, so that nothing that a library leaves behind slows the next.

A command is timed as a whole, from start to end (`run_command`). Other jobs are functions of this
module, which time a part of what they do (`run_job` starts the process and `do_job` does the
job). There the library has done the same job on a little text before, so that what it sets up
once is not counted.
"""

import json
import math
import os
import random
import string
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

from bench import libraries
from bench.equality import check_merges, count_different_ids
from bench.libraries import CORES, Coder, Vocabulary, documents_of
from bpetite._constants import END_OF_TEXT_TOKEN

Result = Mapping[str, float]
T = TypeVar("T")

_LITTLE_CHARACTERS: Final = 2_000
_QUICK_CHARACTERS: Final = 1_000_000
_SENTENCE_WORDS: Final = 50
_SENTENCES: Final = 1_000
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class JobError(Exception):
    """A job ended without a result."""


def run_command(words: Sequence[object]) -> dict[str, float]:
    """Run a program; return its seconds, and the peak memory of its largest process in bytes.

    The peak is at least what this process holds, so this process must stay small.

    Raises:
        JobError: it failed. The message is the last line of its error.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["RAYON_NUM_THREADS"] = str(CORES)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        begin = perf_counter()
        process = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.DEVNULL, stderr=errors, env=env
        )
        _, status, usage = os.wait4(process.pid, 0)
        taken = perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        _check(process.returncode, errors.read())
    return {"seconds": taken, "peak": usage.ru_maxrss * _RUSAGE_UNIT}


def run_job(action: str, **arguments: object) -> dict[str, float]:
    """Do a job in a new process, and return what it measured.

    Raises:
        JobError: it failed. The message is the last line of its error.
    """
    job = json.dumps({"action": action, **arguments}, default=str)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent), "--job", job],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "RAYON_NUM_THREADS": str(CORES)},
        check=False,
    )
    _check(done.returncode, done.stderr)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _check(status: int, errors: str) -> None:
    if status:
        lines = errors.strip().splitlines() or [f"exit status {status}"]
        raise JobError(lines[-1][:300])


def do_job(job: str) -> int:
    """Do a job in this process, and print what it measured as the last line."""
    arguments: dict[str, Any] = json.loads(job)
    print(json.dumps(_ACTIONS[arguments.pop("action")](**arguments)))
    return 0


def prepare(source: str, text: str, half: str, quick: bool) -> Result:
    """Check a text and our merges on it; write it, or its beginning, and its first half."""
    whole = _read(source)
    if not whole or END_OF_TEXT_TOKEN in whole:
        # rustbpe and Hugging Face's trainer would read it in another way than the others.
        message = f"{source!r} is empty or contains {END_OF_TEXT_TOKEN}; take another text"
        raise ValueError(message)
    check_merges(whole)
    if quick:
        whole = whole[:_QUICK_CHARACTERS]
    documents = documents_of(whole)
    sizes = {}
    for path, part in ((text, whole), (half, "".join(documents[: len(documents) // 2]))):
        sizes[path] = Path(path).write_bytes(part.encode("utf-8"))
    return {"size": sizes[text], "half": sizes[half]}


def reference(text: str, vocabulary: str, ids: str) -> Result:
    """Write the ids of tiktoken, in the format u16."""
    coder = libraries.load_tiktoken(Vocabulary(Path(vocabulary), ""))
    found = array("H")
    for batch in libraries.batches(documents_of(_read(text))):
        for document in coder.encode_all(batch):
            found.extend(document)
    if sys.byteorder == "big":
        found.byteswap()
    Path(ids).write_bytes(found.tobytes())
    return {}


def check(name: str, text: str, vocabulary: str, ids: str) -> Result:
    """Count the ids that differ from tiktoken's."""
    found = Vocabulary(Path(vocabulary), _read(text))
    right = array("H", Path(ids).read_bytes())
    if sys.byteorder == "big":
        right.byteswap()
    coder = libraries.LOADERS[name](found)
    return {"ids": count_different_ids(name, coder, documents_of(found.text), right)}


def encode(name: str, text: str, vocabulary: str) -> Result:
    """Time one half of the documents, then the other, and decoding the first, in one thread."""
    corpus = _read(text)
    coder, documents = _load(name, vocabulary, corpus), documents_of(corpus)
    middle = len(documents) // 2
    each = coder.encode_each or (lambda some: list(map(coder.encode, some)))
    first, ids = _timed(partial(each, documents[:middle]))
    second, _ = _timed(partial(each, documents[middle:]))
    decode, _ = _timed(lambda: list(map(coder.decode, ids)))
    return {"first": first, "second": second, "decode": decode, "ids": sum(map(len, ids))}


def cores(name: str, text: str, vocabulary: str) -> Result:
    """Time all documents on all cores."""
    corpus = _read(text)
    coder, documents = _load(name, vocabulary, corpus), documents_of(corpus)
    seconds, _ = _timed(partial(coder.encode_all, documents))
    return {"seconds": seconds}


def sentence(name: str, text: str, vocabulary: str) -> Result:
    """Encode the first words of a text many times; measure what 50 and 99 of 100 calls take."""
    corpus = _read(text)
    words = " ".join(corpus[: 1 << 16].split()[:_SENTENCE_WORDS])
    coder = _load(name, vocabulary, corpus)
    coder.encode(words)
    samples = sorted(_timed(partial(coder.encode, words))[0] for _ in range(_SENTENCES))
    p50, p99 = (samples[math.ceil(_SENTENCES * share) - 1] for share in (0.5, 0.99))
    return {"p50": p50, "p99": p99}


def long(name: str, text: str, vocabulary: str, kind: str, size: int) -> Result:
    """Time the encoding of a text without a safe boundary."""
    coder, chunk = _load(name, vocabulary, _read(text)), LONG[kind](size)
    return {"seconds": _timed(partial(coder.encode, chunk))[0]}


_ACTIONS: Final[dict[str, Callable[..., Result]]] = {
    action.__name__: action for action in (prepare, reference, check, encode, cores, sentence, long)
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
    "emoji": lambda size: "\N{GRINNING FACE}" * (size // 4),
}
"""Texts of so many bytes, by what they are made of."""


def _read(path: str) -> str:
    return Path(path).read_bytes().decode("utf-8")


def _load(name: str, vocabulary: str, text: str) -> Coder:
    """Return a new coder, after another one has set up what is set up once."""
    found, little = Vocabulary(Path(vocabulary), text), text[:_LITTLE_CHARACTERS]
    if name != "rustbpe":  # it would train twice
        libraries.LOADERS[name](found).encode(little)
    return libraries.LOADERS[name](found)


def _timed(job: Callable[[], T]) -> tuple[float, T]:
    begin = perf_counter()
    result = job()
    return perf_counter() - begin, result
