"""Count the chunks of a corpus, whole or in parts.

Only the number of times that each chunk occurs matters to training. So documents may be
counted in any order, and a document in parts that end at safe boundaries, each anywhere.

Not here: what a chunk is (`_pretokenizer`), what is learned from the counts (`_trainer`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import index
from reprlib import Repr
from typing import Final, NamedTuple, TypeAlias

from bpetite._pretokenizer import blocks, count_chunks, count_pieces
from bpetite._records import log

__all__ = ["Corpus", "Part", "add_up", "count_corpus", "count_documents", "count_part"]

Corpus: TypeAlias = str | Iterable[str] | Mapping[str, int]
"""One document, several, or documents and how often each occurs."""

_BLOCK_CHARACTERS: Final = 1 << 14
_CHARACTERS_PER_RECORD: Final = 1 << 24
_SHORT: Final = Repr()
_SHORT.maxstring = 40


class Part(NamedTuple):
    """A part of a corpus that is counted: how much it was, and how often each chunk occurs."""

    documents: int
    characters: int
    chunks: Mapping[str, int]


def count_corpus(corpus: Corpus) -> Mapping[str, int]:
    """Return how often each chunk occurs in a corpus; `train_bpe` says what is refused."""
    return count_documents(_checked_documents(corpus))


def count_documents(documents: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Return how often each chunk occurs in texts that occur so many times each."""
    return _counted(documents, _Progress(log)).chunks


def count_part(documents: Iterable[tuple[str, int]]) -> Part:
    """Count the chunks of such texts, for `add_up`."""
    return _counted(documents, _Progress(_tell_nobody))


def add_up(parts: Iterable[Part]) -> Mapping[str, int]:
    """Return how often each chunk occurs in all parts of a corpus."""
    chunks: dict[str, int] = {}
    progress = _Progress(log)
    for part in parts:
        for chunk, count in part.chunks.items():
            chunks[chunk] = chunks.get(chunk, 0) + count
        progress.documents += part.documents
        progress.advance(part.characters)
    return progress.end(chunks).chunks


def _counted(documents: Iterable[tuple[str, int]], progress: "_Progress") -> Part:
    """Count the chunks of documents; one block of text is held at a time."""
    pieces: Counter[str] = Counter()
    for document, count in documents:
        progress.documents += count
        for block in blocks(document, _BLOCK_CHARACTERS):
            count_pieces(block, pieces, count)
            progress.advance(len(block) * count)
    return progress.end(count_chunks(pieces))


class _Progress:
    """How much is counted, and the log records that tell of it."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self.documents = 0
        self._tell = tell
        self._characters = 0
        self._told = 0

    def advance(self, characters: int) -> None:
        self._characters += characters
        if self._characters // _CHARACTERS_PER_RECORD > self._told:
            self._told = self._characters // _CHARACTERS_PER_RECORD
            self._log("count", f"counting: {self._characters:,} characters so far")

    def end(self, chunks: Mapping[str, int]) -> Part:
        distinct = len(chunks)
        summary = f"counted: {self._characters:,} characters, {distinct:,} distinct chunks"
        self._log("counted", summary, distinct_chunks=distinct)
        return Part(self.documents, self._characters, chunks)

    def _log(self, event: str, message: str, **figures: int) -> None:
        self._tell(event, message, documents=self.documents, characters=self._characters, **figures)


def _tell_nobody(event: str, message: str, **figures: int) -> None:
    """Leave it to the process that adds the parts up."""


def _checked_documents(corpus: Corpus) -> Iterator[tuple[str, int]]:
    """Yield the documents of a corpus, each known to be text, and how often each occurs."""
    if isinstance(corpus, (bytes, bytearray, memoryview)) or not isinstance(corpus, Iterable):
        message = (
            "corpus must be str, an iterable of str, or a mapping from str to int, "
            f"got {type(corpus).__name__}"
        )
        raise TypeError(message)
    if isinstance(corpus, Mapping):
        for position, (document, count) in enumerate(corpus.items()):
            yield _checked_document(document, position), _checked_count(document, count)
        return
    for position, document in enumerate([corpus] if isinstance(corpus, str) else corpus):
        yield _checked_document(document, position), 1


def _checked_document(document: str, position: int) -> str:
    if not isinstance(document, str):
        message = f"documents must be str, got {type(document).__name__} at position {position}"
        raise TypeError(message)
    if not document.isascii():
        document.encode("utf-8")  # a lone surrogate is not text; say so before counting it
    return document


def _checked_count(document: str, count: int) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        message = (
            f"counts must be integers, got {type(count).__name__} for the document "
            f"{_SHORT.repr(document)}"
        )
        raise TypeError(message)
    times = index(count)
    if times < 1:
        found = times if times > -(10**30) else "far less"
        message = f"counts must be at least 1, got {found} for the document {_SHORT.repr(document)}"
        raise ValueError(message)
    return times
