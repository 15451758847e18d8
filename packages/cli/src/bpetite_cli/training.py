"""Train on files and show the progress, for `train` and `verify`.

On a terminal, a bar is drawn; elsewhere, the log records of the core are printed as lines.
"""

import logging
import time

from bpetite._inner import Artifact, learn_merges, quoted
from bpetite_cli.counting import CountedCorpus
from bpetite_cli.errors import Failure
from bpetite_cli.pipe import Pipe
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import visible


class _Listener(logging.Handler):
    """Moves the bar, or prints the log records if there is none."""

    def __init__(self, pipe: Pipe) -> None:
        super().__init__()
        self._pipe = pipe
        self._merges = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a record of the core."""
        bar = self._pipe.bar
        told, data = record.getMessage(), vars(record)
        if data.get("event") == "counted":
            bar.begin("counting pairs")
        if data.get("event") == "merge":
            merges, wanted, count = data["merges"], data["merges_wanted"], data["count"]
            told = f"merge {merges:,} of {wanted:,}: {visible(data['token'])}, {count:,} times"
            if self._merges:
                bar.advance(merges - self._merges)
            else:
                bar.begin("merging pairs", wanted, merges, "{:,}".format)
            self._merges = merges
        if not bar.is_wanted:
            messages.say(told)
        elif record.levelno >= logging.WARNING:
            self._pipe.warnings.append(told)


def learn(
    pipe: Pipe, corpus: CountedCorpus, vocab_size: int, begin: Artifact
) -> tuple[Artifact, list[int], float]:
    """Train on the documents of a command.

    Args:
        pipe: its pipe, whose bar gets new phases.
        corpus: its documents.
        vocab_size: the number of mergeable tokens.
        begin: the merges that come first, the pattern and the special tokens.

    Returns:
        The tokenizer; how often the pair of each new merge was counted, which never rises; and the
        seconds for reading and training.
    """
    logger, listener = logging.getLogger("bpetite"), _Listener(pipe)
    level, propagate = logger.level, logger.propagate
    logger.addHandler(listener)
    try:
        logger.setLevel(logging.INFO)
        logger.propagate = False
        started = time.perf_counter()
        artifact, counts = learn_merges(corpus.parts(), vocab_size, begin)
        return artifact, counts, time.perf_counter() - started
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)
        logger.propagate = propagate


def check_start(path: str | None, start: Artifact, vocab_size: int) -> None:
    """Reject a tokenizer to continue that has more tokens than wanted."""
    if len(start.tokens) > vocab_size:
        raise Failure(
            f"cannot continue {quoted(path or '')} to {vocab_size:,} tokens: it has "
            f"{len(start.tokens):,} (a smaller one has its first merges: `bpetite truncate`)"
        )
