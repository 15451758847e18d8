"""Train on files and show the progress, for `train` and `verify`.

On a terminal, a bar is drawn; elsewhere, the log records of the core are printed as lines.
"""

import logging
import math
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bpetite import Tokenizer
from bpetite._files import quoted
from bpetite_cli.corpus import Texts, counted
from bpetite_cli.errors import Failure
from bpetite_cli.io import models
from bpetite_cli.io.documents import Documents
from bpetite_cli.terminal.messages import is_quiet
from bpetite_cli.terminal.progress import Work


class Training(logging.Handler):
    """Collects the figures of a training for the bar and the summary."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.corpus_bytes = 0  # of the texts, in UTF-8
        self.mergeable_vocab_size = 0
        self.seconds = 0.0
        self.warning: str | None = None  # what the bar hides
        self._work = work
        self._merges = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a record of the core."""
        match vars(record):
            case {"event": "counted"}:
                self._work.begin("counting pairs")
            case {"event": "merge", "merges": int(merges), "merges_wanted": int(wanted)}:
                self._show(merges, wanted)
            case {"event": "unreachable"} if self._work.has_bar:
                self.warning = record.getMessage()
            case {"event": "end", "mergeable_vocab_size": int(size)}:
                self.mergeable_vocab_size = size

    def _show(self, merges: int, wanted: int) -> None:
        if self._merges:
            self._work.advance(merges - self._merges)
        else:
            self._work.begin("merging pairs", wanted, merges, cost_of_merges)
        self._merges = merges


def cost_of_merges(merges: int) -> int:
    """Return a number that is proportional to the time that this many merges take.

    The pair at rank r is about 1/r as frequent as the first, and each merge also has a fixed
    cost. The constants fit trainings on 9 to 100 MB of text.
    """
    return round(1e6 * math.log1p(merges / 100)) + 17 * merges


def learn(
    documents: Documents, vocab_size: int, jobs: int, work: Work, start: Tokenizer | None = None
) -> tuple[Tokenizer, Training]:
    """Train on documents.

    Args:
        documents: what to train on.
        vocab_size: the number of mergeable tokens.
        jobs: the number of processes that count.
        work: the work of the command, which gets new phases.
        start: the tokenizer whose merges come first.

    Returns:
        The tokenizer, and the figures of the training.
    """
    texts = Texts(documents)
    with _recorded(work) as training, counted(texts, jobs, work) as parts:
        begin = time.perf_counter()
        tokenizer = Tokenizer._learn(parts, vocab_size, start)
        training.seconds = time.perf_counter() - begin
        training.corpus_bytes = texts.size
    return tokenizer, training


def load_start(path: str | None, vocab_size: int) -> Tokenizer | None:
    """Load the tokenizer to continue, if there is one, and check its size."""
    if path is None:
        return None
    start = models.load_model(path)
    size = start._artifact.special_id
    if size > vocab_size:
        raise Failure(
            f"cannot continue {quoted(path)} to {vocab_size:,} tokens: it has {size:,} "
            "(a smaller one has its first merges: `bpetite truncate`)"
        )
    return start


@contextmanager
def _recorded(work: Work) -> Iterator[Training]:
    """Collect the log records of the training inside; without a bar, print them."""
    logging.raiseExceptions = False  # if standard error is full, training goes on
    logger = logging.getLogger("bpetite")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    training = Training(work)
    handlers: list[logging.Handler] = [training]
    if sys.stderr is not None and not is_quiet() and not work.has_bar:
        handlers.append(logging.StreamHandler(sys.stderr))
    with ExitStack() as stack:
        for handler in handlers:
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        yield training
