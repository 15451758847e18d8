"""Train on files and show the progress, for `train` and `verify`.

On a terminal, bars are drawn; elsewhere, the log records of the core are printed as lines.
"""

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import TypeAlias

from bpetite import Tokenizer
from bpetite._corpus import Counting, add_up
from bpetite_cli.jobs.sharing import Sharing
from bpetite_cli.streams.documents import Documents
from bpetite_cli.streams.inputs import Advance, is_typed
from bpetite_cli.streams.json_lines import read_counts
from bpetite_cli.terminal.progress import is_quiet, on_terminal
from bpetite_cli.terminal.training import Training

__all__ = ["learn"]

_Row: TypeAlias = tuple[str, int]
"""A text that ends at a safe boundary, and how often it occurs."""


def learn(
    documents: Documents, vocab_size: int, size: int | None, jobs: int
) -> tuple[Tokenizer, Training]:
    """Train on documents.

    Args:
        documents: what to train on.
        vocab_size: how many mergeable tokens to learn.
        size: how many bytes there are to read, or None if that is unknown.
        jobs: how many processes count.

    Returns:
        The tokenizer, and what is known of the training.
    """
    with (
        _watched(documents, size) as training,
        Sharing(Counting(), jobs, _length) as sharing,
    ):
        begin = time.perf_counter()

        def count() -> Mapping[str, int]:
            rows = _noted(_rows(documents, sharing.read), training)
            # Each process counts what it gets, and reports its chunks once, at the end.
            parts = sharing.results(rows, training.advance)
            return add_up(chain(parts, sharing.results_of_each([])))

        tokenizer = Tokenizer._learn(count, vocab_size)
        training.seconds = time.perf_counter() - begin
    return tokenizer, training


def _noted(rows: Iterable[_Row], training: Training) -> Iterator[_Row]:
    for text, count in rows:
        training.note(text, count)
        yield text, count


def _rows(documents: Documents, advance: Advance) -> Iterator[_Row]:
    if documents.counted:
        for path in documents.paths:
            yield from read_counts(path, advance)
    else:
        for blocks in documents.read(advance):
            for text in blocks:
                yield text, 1


def _length(row: _Row) -> int:
    return len(row[0])


@contextmanager
def _watched(documents: Documents, size: int | None) -> Iterator[Training]:
    """Show the training that goes on inside."""
    logging.raiseExceptions = False  # a standard error that is full is no reason to stop
    logger = logging.getLogger("bpetite")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    with ExitStack() as stack:
        handlers: list[logging.Handler] = []
        if on_terminal() and not is_typed(documents.paths):
            from bpetite_cli.terminal.bars import TrainingBars  # noqa: PLC0415 - rich is slow to load

            training: Training = stack.enter_context(TrainingBars(size))
        else:
            training = Training()
            if sys.stderr is not None and not is_quiet():
                handlers.append(logging.StreamHandler(sys.stderr))
        for handler in (training, *handlers):
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield training
