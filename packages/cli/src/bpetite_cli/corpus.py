"""Count the chunks of documents in one or more processes, for `training` and `chunks`."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TypeAlias

from bpetite._inner import Part, PartCounter, Pattern
from bpetite_cli.io.documents import Documents
from bpetite_cli.io.json_lines import read_counts
from bpetite_cli.io.reading import EMPTY, Reading
from bpetite_cli.jobs.sharing import Sharing

_Row: TypeAlias = tuple[str, int]
"""A text that ends at a safe boundary, and the number of its repetitions."""


class Corpus:
    """Documents to count, and the number of bytes in UTF-8 of those read so far."""

    def __init__(self, documents: Documents, pattern: Pattern) -> None:
        self.size = 0
        self._documents = documents
        self._pattern = pattern

    @contextmanager
    def parts(self, jobs: int, reading: Reading) -> Iterator[Iterator[Part]]:
        """Count in one or more processes, which end with the `with` statement.

        Args:
            jobs: the number of processes.
            reading: gets what is told while the documents are read.
        """
        with Sharing(PartCounter(self._pattern), jobs, lambda row: len(row[0]), reading) as sharing:
            parts = sharing.results(self._read(sharing), in_order=False)
            yield chain(parts, sharing.results_of_each([]))  # at the end, their last pieces

    def _read(self, reading: Reading) -> Iterator[_Row]:
        """Yield each text with the number of its repetitions."""
        documents, pattern = self._documents, self._pattern.name
        rows: Iterator[_Row] = ((text, 1) for texts in documents.read(reading) for text in texts)
        if documents.with_counts:
            counted = (read_counts(path, pattern, reading.advance) for path in documents.paths)
            rows = chain.from_iterable(counted)
        for text, times in rows:
            size = len(text) if text.isascii() else len(text.encode("utf-8"))
            self.size += size * times
            yield text, times
        if not self.size:
            reading.note("the corpus", EMPTY)
