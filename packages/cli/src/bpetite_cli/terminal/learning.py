"""Train on files and show the progress, for `train` and `verify`.

On a terminal, bars are drawn; elsewhere, the log records of the core are printed as lines.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bpetite import Tokenizer
from bpetite_cli.streams.documents import Documents
from bpetite_cli.streams.inputs import is_typed
from bpetite_cli.streams.json_lines import Counts, read_counts
from bpetite_cli.terminal.progress import on_terminal
from bpetite_cli.terminal.training import Training

__all__ = ["learn"]


def learn(documents: Documents, vocab_size: int, size: int | None) -> tuple[Tokenizer, Training]:
    """Train on documents.

    Args:
        documents: what to train on.
        vocab_size: how many mergeable tokens to learn.
        size: how many bytes there are to read, or None if that is unknown.

    Returns:
        The tokenizer, and what is known of the training.
    """
    with _watched(documents, size) as training:
        begin = time.perf_counter()
        if documents.counted:
            tokenizer = Tokenizer.train(Counts(_counts(documents, training)), vocab_size)
        else:
            tokenizer = Tokenizer.train(_texts(documents, training), vocab_size)
        training.seconds = time.perf_counter() - begin
    return tokenizer, training


def _texts(documents: Documents, training: Training) -> Iterator[str]:
    for blocks in documents.read(training.advance):
        for text in blocks:
            training.note(text)
            yield text


def _counts(documents: Documents, training: Training) -> Iterator[tuple[str, int]]:
    for path in documents.paths:
        for text, count in read_counts(path, training.advance):
            training.note(text, count)
            yield text, count


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
            if sys.stderr is not None:
                handlers.append(logging.StreamHandler(sys.stderr))
        for handler in (training, *handlers):
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield training
