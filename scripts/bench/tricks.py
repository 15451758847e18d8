"""What each trick is worth: the same job with it and with the plain way in its place.

    uv run python scripts/bench/tricks.py FILE...

A trick is taken out by putting another way in its place, in this process, and results are
compared before times are. docs/decisions.md has the verdicts.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

import plain
from bpetite import (
    Tokenizer,
    _decoder,
    _encoder,
    _pairs,
    _pretokenizer,
    _tokenizer,
    _trainer,
)
from bpetite._decoder import Decoder
from bpetite._encoder import Encoder
from corpora import Corpus, read_corpus
from ours import VOCAB_SIZE, train_artifact
from timing import seconds

Job = Callable[[], object]
Plain = dict[tuple[object, str], object]
"""What takes the place of each attribute of a module or class."""


@dataclass(frozen=True)
class Trick:
    """A trick, the plain way or another one, and the jobs in which it shows."""

    name: str
    plain: str
    instead: Plain
    jobs: tuple[str, ...]


_COLLECTOR: Final[Plain] = {
    (_trainer, "collector_held_back"): nullcontext,
    (_tokenizer, "collector_held_back"): nullcontext,
}

TRICKS: Final = (
    Trick(
        "ASCII text is split by `re`",
        "always by `regex`",
        {(_pretokenizer, "_ASCII_PATTERN"): _pretokenizer._PATTERN},
        ("train", "first"),
    ),
    Trick(
        "pieces are counted, then split",
        "the pattern runs over the whole text",
        {(_trainer, "count_pieces"): plain.count_chunks_alone},
        ("train",),
    ),
    Trick(
        "distinct pieces are split one by one",
        "all at once",
        {(_trainer, "count_chunks"): plain.split_all_pieces_at_once},
        ("train",),
    ),
    Trick(
        "pairs wait by their count",
        "in one heap",
        {(_trainer, "Pairs"): plain.OneHeap},
        ("train",),
    ),
    Trick(
        "chunks of one count stand in lines",
        "each chunk by itself",
        {(_pairs, "_LINE_SYMBOLS"): 0},
        ("train",),
    ),
    Trick("the collector is held back", "it runs", _COLLECTOR, ("train", "load")),
    Trick(
        "the ids of pieces are kept",
        "of chunks only",
        {(_encoder, "cut"): _pretokenizer.split},
        ("first", "warm"),
    ),
    Trick(
        "pieces of up to 64 characters are kept",
        "of up to 32",
        {(_encoder, "_CACHED_CHARACTERS"): 32},
        ("first", "warm"),
    ),
    Trick(
        "new chunks are put together from known parts",
        "the merges are applied",
        {(Encoder, "_encode_chunk"): plain.apply_always},
        ("first",),
    ),
    Trick(
        "new chunks are put together from known parts",
        "from the longest tokens",
        {(Encoder, "_encode_chunk"): plain.longest_tokens},
        ("first",),
    ),
    Trick(
        "the tokens are known from the start",
        "nothing is",
        {(Encoder, "_known_tokens"): lambda _encoder, _vocab: {}},
        ("first",),
    ),
    Trick(
        "each new piece is split by itself",
        "all of a block at once",
        {(Encoder, "encode"): plain.all_new_pieces_at_once},
        ("first", "warm"),
    ),
    Trick(
        "blocks of 16 thousand characters are encoded",
        "of a million",
        {(_encoder, "_BLOCK_CHARACTERS"): 1 << 20},
        ("first", "warm"),
    ),
    Trick(
        "tokens are joined in blocks",
        "all at once",
        {(_decoder, "_BLOCK_IDS"): 1 << 40},
        ("decode",),
    ),
    Trick(
        "tokens are looked up in a comprehension",
        "by `itemgetter`",
        {(Decoder, "_join"): plain.look_up_by_itemgetter},
        ("decode",),
    ),
)


class Jobs:
    """The jobs, on one text."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._text = corpus.text
        self._path = train_artifact(corpus, folder).path
        self._tokenizer = Tokenizer.load(self._path)
        self._ids = self._tokenizer.encode(self._text)

    def ready(self, job: str) -> Job:
        """Return a job of its name, with all that is not to be timed done."""
        if job == "train":
            return partial(Tokenizer.train, self._text, VOCAB_SIZE)
        if job == "load":
            return partial(Tokenizer.load, self._path)
        tokenizer = Tokenizer.load(self._path)
        if job == "decode":
            return partial(tokenizer.decode, self._ids)
        if job == "warm":
            tokenizer.encode(self._text)
        return partial(tokenizer.encode, self._text)


@contextmanager
def without(trick: Trick) -> Iterator[None]:
    """Have the plain way in the place of a trick."""
    with ExitStack() as stack:
        for (owner, name), plain in trick.instead.items():
            stack.enter_context(patch.object(owner, name, plain))
        yield


def compare(jobs: Jobs, trick: Trick, job: str, rounds: int) -> tuple[float, float]:
    """Return the median seconds of a job with a trick and without it, in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(2 * rounds):
        plain = turn % 2
        with without(trick) if plain else nullcontext():
            times[plain].append(seconds(jobs.ready(job)))
    return statistics.median(times[0]), statistics.median(times[1])


def check_same(jobs: Jobs, trick: Trick, job: str) -> None:
    """Refuse a plain way that has another result.

    Raises:
        ValueError: it has.
    """
    results = []
    for way in (nullcontext(), without(trick)):
        with way:
            result = jobs.ready(job)()
            results.append(result.__reduce__()[1] if isinstance(result, Tokenizer) else result)
    if results[0] != results[1]:
        message = f"{trick.name}: the plain way has another result ({job})"
        raise ValueError(message)


def main() -> int:
    """Print a table of all tricks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--job", choices=("train", "first", "warm", "decode", "load"))
    options = parser.parse_args()
    corpora = [read_corpus(path) for path in options.files]
    print("| trick | instead | job |", *(f"{corpus.name} |" for corpus in corpora))
    print("| --- | --- | --- |", *("--- |" for _ in corpora))
    with tempfile.TemporaryDirectory() as folder:
        ready = [Jobs(corpus, Path(folder)) for corpus in corpora]
        for trick in TRICKS:
            for job in trick.jobs:
                if options.job in {None, job}:
                    cells = []
                    for jobs in ready:
                        check_same(jobs, trick, job)
                        kept, plain = compare(jobs, trick, job, options.rounds)
                        cells.append(f"{kept:.3g} s, {plain:.3g} s ×{plain / kept:.2f} |")
                    print(f"| {trick.name} | {trick.plain} | {job} |", *cells, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
