"""Count the chunks of documents in one or more processes, for `training` and `chunks`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from bpetite._corpus import Part, PartCounter
from bpetite._patterns import GPT2
from bpetite_cli.io.documents import Documents
from bpetite_cli.io.inputs import Advance
from bpetite_cli.io.json_lines import read_counts
from bpetite_cli.io.notes import EMPTY, note
from bpetite_cli.jobs.sharing import Sharing
from bpetite_cli.terminal.progress import Work

_Row: TypeAlias = tuple[str, int]
"""A text that ends at a safe boundary, and the number of its repetitions."""


class Texts:
    """The texts of documents, and the number of bytes in UTF-8 of those read so far."""

    def __init__(self, documents: Documents) -> None:
        self.size = 0
        self._documents = documents

    def read(self, advance: Advance) -> Iterator[_Row]:
        """Yield each text with the number of its repetitions."""
        for text, count in self._rows(advance):
            size = len(text) if text.isascii() else len(text.encode("utf-8"))
            self.size += size * count
            yield text, count
        if not self.size:
            note("the corpus", EMPTY)

    def _rows(self, advance: Advance) -> Iterator[_Row]:
        if self._documents.counted:
            for path in self._documents.paths:
                yield from read_counts(path, advance)
        else:
            for blocks in self._documents.read(advance):
                for text in blocks:
                    yield text, 1


@contextmanager
def counted(texts: Texts, jobs: int, work: Work) -> Iterator[Iterator[Part]]:
    """Count texts in one or more processes, which end with the `with` statement.

    Args:
        texts: what to count.
        jobs: the number of processes.
        work: the work of the command, whose phase advances.
    """
    with Sharing(PartCounter(GPT2), jobs, _length) as sharing:
        yield _parts(sharing, texts.read(sharing.read), work)


def _parts(sharing: Sharing[_Row, Part], rows: Iterable[_Row], work: Work) -> Iterator[Part]:
    """Yield the parts of a corpus; each process splits its last pieces at the end."""
    yield from sharing.results(rows, work.advance, in_order=False)
    yield from sharing.results_of_each([])


def _length(row: _Row) -> int:
    return len(row[0])
