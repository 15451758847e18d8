"""The figures of a training, from the records of the core."""

import logging
import math

from bpetite_cli.terminal.work import Work


class Training(logging.Handler):
    """Collects the figures of a training for the bar and the summary."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.corpus_bytes = 0  # of the texts, in UTF-8
        self.mergeable_vocab_size = 0
        self.seconds = 0.0
        self._work = work
        self._merges = 0

    def note(self, text: str, count: int = 1) -> None:
        """Add a text that was read."""
        self.corpus_bytes += len(text.encode("utf-8")) * count

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a record of the core."""
        match vars(record):
            case {"event": "counted"}:
                self._work.begin("counting pairs")
            case {"event": "merge", "merges": int(merges), "merges_wanted": int(wanted)}:
                self._show(merges, wanted)
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
