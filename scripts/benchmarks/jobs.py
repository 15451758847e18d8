"""Run each job in its own process, so that no library slows the next one.

A command is timed as a whole, from start to end (`run_command`). Other jobs are functions of this
module, which time a part of their work (`run_job`). The library first does the job on a little
text, so that one-time setup is not counted.
"""

import os
import random
import string
import subprocess
import sys
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from typing import Final, TypeVar

from benchmarks.libraries import Coder, Documents, Text, batches, documents_of, load
from benchmarks.results import REFERENCE
from bpetite._constants import END_OF_TEXT_TOKEN

Result = Mapping[str, float]
T = TypeVar("T")

LONG: Final = {
    "`a`": "a",
    "random letters": string.ascii_lowercase,
    "base64": string.ascii_letters + string.digits + "+/",
    "CJK": "".join(map(chr, range(0x4E00, 0x9FA6))),
    "spaces": " ",
    "emoji": "\N{GRINNING FACE}",
}
"""Texts without a safe boundary, by the characters that they are randomly made of."""

_FEW: Final = 50
_LITTLE_CHARACTERS: Final = 2_000
_SENTENCE_WORDS: Final = 50
_SENTENCES: Final = 1_000
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class BenchError(Exception):
    """A job failed, or two results that must be equal differ."""


def run_command(*words: object) -> Result:
    """Run a program; return its seconds, and its peak memory in bytes.

    "peak" is that of the largest process. It is at least what this process holds, so this process
    must stay small. "total" is that of all its processes together, looked up ten times a second;
    what they share counts for each.
    """
    totals = [0]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        begin = perf_counter()
        process = subprocess.Popen([*map(str, words)], stdout=subprocess.DEVNULL, stderr=errors)
        Thread(target=_watch, args=(process.pid, totals), daemon=True).start()
        _, status, usage = os.wait4(process.pid, 0)
        taken = perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or [f"exit status {process.returncode}"]
            raise BenchError(lines[-1][:300])
    peak = usage.ru_maxrss * _RUSAGE_UNIT
    return {"seconds": taken, "peak": peak, "total": max(peak, *totals)}


def _watch(pid: int, totals: list[int]) -> None:
    """Note the memory of a process and its descendants, until it ends; on Linux only."""
    while Path(f"/proc/{pid}").exists():
        with suppress(OSError):  # one has just ended
            family = [str(pid)]
            for one in family:
                for children in Path(f"/proc/{one}/task").glob("*/children"):
                    family += children.read_text("ascii").split()
            sizes = [Path(f"/proc/{one}/statm").read_text("ascii").split() for one in family]
            totals.append(sum(int(size[1]) for size in sizes) * os.sysconf("SC_PAGE_SIZE"))
        sleep(0.1)


def run_job(job: Callable[..., Result], *arguments: object) -> Result:
    """Run a job of this module in a new process, and return its measurements."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(_do, job, arguments).result()
        except BrokenExecutor as error:
            raise BenchError(f"{job.__name__}: {error}") from None


def _do(job: Callable[..., Result], arguments: tuple[object, ...]) -> Result:
    os.dup2(2, 1)  # standard output is for the result
    try:
        return job(*arguments)
    except BaseException as error:  # noqa: BLE001 - Rust panics too
        message = f"{type(error).__name__}: {error}"
        raise BenchError(message[:300]) from None


def prepare(source: Path, text: Text) -> Result:
    """Check a text, and copy it."""
    whole = source.read_bytes().decode("utf-8")
    if not whole or END_OF_TEXT_TOKEN in whole:
        # rustbpe and Hugging Face's trainer read it differently from the others.
        raise ValueError(
            f"{str(source)!r} is empty or contains {END_OF_TEXT_TOKEN}; take another text"
        )
    text.path.write_bytes(whole.encode("utf-8"))
    return {}


def reference(text: Text) -> Result:
    """Write the ids of tiktoken, in the format u16."""
    coder = load(REFERENCE, text)
    with text.ids.open("wb") as file:
        for batch in batches(documents_of(text.read())):
            for ids in coder.encode_all(batch):
                array("H", ids).tofile(file)
    return {}


def check(name: str, text: Text) -> Result:
    """Count the ids that differ from tiktoken's."""
    right = array("H", text.ids.read_bytes())
    return {"ids": count_different_ids(name, load(name, text), documents_of(text.read()), right)}


def count_different_ids(name: str, coder: Coder, documents: Documents, right: Sequence[int]) -> int:
    """Compare a library's decoded text with the text, and its ids with the right ones.

    Libraries have Unicode tables of different years, so a few ids of a text with rare characters
    may differ. They are counted and reported; more than a few are an error.
    """
    ids = coder.encode_all(documents)
    if any(map(str.__ne__, map(coder.decode, ids), documents)):
        raise BenchError(f"{name} does not decode what it encodes")
    found = list(chain.from_iterable(ids))
    if found == list(right):
        return 0
    more, less = Counter(found) - Counter(right), Counter(right) - Counter(found)
    different = max(more.total(), less.total())
    if not 0 < different <= _FEW:
        raise BenchError(f"{different} ids of {name} differ from tiktoken's")
    return different


def encode(name: str, text: Text) -> Result:
    """Time encoding the documents of the first half, and decoding them, in one thread."""
    coder, documents = _load_again(name, text), documents_of(text.read())
    half = documents[: len(documents) // 2]
    each = coder.encode_each or (lambda some: list(map(coder.encode, some)))
    first, ids = _timed(partial(each, half))
    decode, _ = _timed(lambda: list(map(coder.decode, ids)))
    return {"first": first, "decode": decode}


def cores(name: str, text: Text) -> Result:
    """Time all documents on all cores."""
    coder, documents = _load_again(name, text), documents_of(text.read())
    return {"seconds": _timed(partial(coder.encode_all, documents))[0]}


def again(name: str, text: Text) -> Result:
    """Time loading a tokenizer file for the second time."""
    load(name, text)
    return {"load": _timed(partial(load, name, text))[0]}


def sentence(name: str, text: Text) -> Result:
    """Encode the first words of a text many times; return the 99th percentile."""
    words = " ".join(text.read()[: 1 << 16].split()[:_SENTENCE_WORDS])
    coder = _load_again(name, text)
    coder.encode(words)
    samples = sorted(_timed(partial(coder.encode, words))[0] for _ in range(_SENTENCES))
    return {"p99": samples[_SENTENCES * 99 // 100 - 1]}


def long(name: str, text: Text, kind: str, size: int) -> Result:
    """Time the encoding of a text of this many bytes without a safe boundary."""
    characters = LONG[kind]
    length = size // len(characters[0].encode("utf-8"))
    chunk = "".join(random.Random(0).choices(characters, k=length))
    return {"seconds": _timed(partial(_load_again(name, text).encode, chunk))[0]}


def _load_again(name: str, text: Text) -> Coder:
    """Return a new coder, after another one has done the one-time setup."""
    if name != "rustbpe":  # it would train twice
        load(name, text).encode(text.read()[:_LITTLE_CHARACTERS])
    return load(name, text)


def _timed(job: Callable[[], T]) -> tuple[float, T]:
    begin = perf_counter()
    result = job()
    return perf_counter() - begin, result
