"""Train on files and show the progress, for `train` and `verify`.

On a terminal, bars are drawn; elsewhere, the log records of the core are printed as lines.
"""

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from bpetite import Tokenizer
from bpetite_cli.streams.inputs import Advance, is_typed, read_text, total_size
from bpetite_cli.terminal.progress import on_terminal
from bpetite_cli.terminal.training import Training

__all__ = ["learn"]


def learn(paths: Sequence[str], vocab_size: int) -> tuple[Tokenizer, Training]:
    """Train on the files, and return the tokenizer and what is known of the training."""
    with _watched(paths) as training:
        begin = time.perf_counter()
        tokenizer = Tokenizer.train(_texts(paths, training.advance), vocab_size)
        training.seconds = time.perf_counter() - begin
    return tokenizer, training


def _texts(paths: Sequence[str], advance: Advance) -> Iterator[str]:
    for path in paths:
        yield from read_text(path, advance)


@contextmanager
def _watched(paths: Sequence[str]) -> Iterator[Training]:
    """Show the training on these files that goes on inside."""
    logging.raiseExceptions = False  # a standard error that is full is no reason to stop
    logger = logging.getLogger("bpetite")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    with ExitStack() as stack:
        handlers: list[logging.Handler] = []
        if on_terminal() and not is_typed(paths):
            from bpetite_cli.terminal.bars import TrainingBars  # noqa: PLC0415 - rich is slow to load

            training: Training = stack.enter_context(TrainingBars(total_size(paths)))
        else:
            training = Training()
            if sys.stderr is not None:
                handlers.append(logging.StreamHandler(sys.stderr))
        for handler in (training, *handlers):
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield training
