"""Count the chunks of a corpus, whole or in parts.

Training depends only on the number of times that each chunk occurs. So documents can be
counted in any order, and so can parts of a document that end at safe boundaries.

Counting the pieces of a text takes a fraction of the time of splitting it into chunks, so
the pattern splits each distinct piece only once.

Not here: splitting text into chunks and pieces (`_patterns`), learning from the counts
(`_trainer`).
"""

import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from bpetite._boundaries import blocks
from bpetite._patterns import Pattern
from bpetite._quoting import shortened
from bpetite._records import log

Corpus: TypeAlias = str | Iterable[str] | Mapping[str, int]
"""One document, several documents, or the number of repetitions of each document."""

_BLOCK_CHARACTERS: Final = 1 << 14
"""Few enough that the pieces of a block stay in the processor's cache."""

_CHARACTERS_PER_RECORD: Final = 1 << 24
_MOST_PIECES: Final = 1 << 18
_LONGEST_PATH: Final = 255
_TEXT_OF_A_FILE: Final = 'the text of a file is open(path, encoding="utf-8", newline="").read()'


class CountedPart(NamedTuple):
    """A counted part of a corpus. Its pieces may be split into chunks with a later part.

    documents, characters: the size of the part.
    chunks: the frequency of each chunk in the pieces that are split.
    """

    documents: int = 0
    characters: int = 0
    chunks: Mapping[str, int] = MappingProxyType({})


class ChunkCounter:
    """Counts the chunks of a part of a corpus, some documents at a time.

    `count` gets documents with the number of their repetitions, and returns chunks only if the
    pieces need much memory; `flush` returns the rest of them.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._pieces: Counter[str] = Counter()

    def count(self, documents: Iterable[tuple[str, int]]) -> CountedPart:
        """Count some documents."""
        parts = [*_count_pieces(documents, self._pattern, self._pieces)]
        size = sum(part.documents for part in parts), sum(part.characters for part in parts)
        # {} and not the default: a worker pickles the part, and a mappingproxy cannot be pickled.
        return CountedPart(*size, self.flush().chunks if len(self._pieces) > _MOST_PIECES else {})

    def flush(self) -> CountedPart:
        """Return the chunks of all pieces since the last time."""
        chunks = count_chunks(self._pieces, self._pattern)
        self._pieces.clear()
        return CountedPart(chunks=chunks)


def count_corpus(corpus: Corpus, pattern: Pattern) -> Iterator[CountedPart]:
    """Count a corpus and yield its parts; the last one has the chunks.

    For the errors, see `Tokenizer.train`.
    """
    pieces: Counter[str] = Counter()
    yield from _count_pieces(_checked_documents(corpus), pattern, pieces)
    yield CountedPart(chunks=count_chunks(pieces, pattern))


def count_chunks(pieces: Mapping[str, int], pattern: Pattern) -> dict[str, int]:
    """Return the frequency of each chunk in the counted pieces."""
    chunks: dict[str, int] = {}
    for piece, count in pieces.items():
        for chunk in pattern.split(piece):
            chunks[chunk] = chunks.get(chunk, 0) + count
    return chunks


def total_chunks(parts: Iterable[CountedPart]) -> dict[str, int]:
    """Return the frequency of each chunk in all parts of a corpus, and log the progress."""
    chunks: Counter[str] = Counter()
    documents = characters = reported = 0
    for part in parts:
        documents += part.documents
        characters += part.characters
        if characters // _CHARACTERS_PER_RECORD > reported:
            reported = characters // _CHARACTERS_PER_RECORD
            log(
                f"counting: {characters:,} characters so far",
                {"event": "count", "documents": documents, "characters": characters},
            )
        chunks.update(part.chunks)
    log(
        f"counted: {characters:,} characters, {len(chunks):,} distinct chunks",
        {
            "event": "counted",
            "documents": documents,
            "characters": characters,
            "distinct_chunks": len(chunks),
        },
    )
    return chunks


def _count_pieces(
    documents: Iterable[tuple[str, int]], pattern: Pattern, pieces: Counter[str]
) -> Iterator[CountedPart]:
    """Count the pieces of documents, and yield parts without chunks.

    Only one block of text is in memory at a time.
    """
    for document, times in documents:
        yield CountedPart(documents=times)
        for block in blocks(document, _BLOCK_CHARACTERS):
            if times == 1:
                pieces.update(pattern.pieces(block))  # in C
            else:
                for piece in pattern.pieces(block):
                    pieces[piece] += times
            yield CountedPart(characters=len(block) * times)


def _checked_documents(corpus: Corpus) -> Iterator[tuple[str, int]]:
    """Check the documents of a corpus, and yield each with the number of its repetitions."""
    if isinstance(corpus, (bytes, bytearray, memoryview)) or not isinstance(corpus, Iterable):
        raise TypeError(
            "corpus must be str, an iterable of str, or a mapping from str to int, "
            f"got {type(corpus).__name__}; {_TEXT_OF_A_FILE}"
        )
    if hasattr(corpus, "readline"):
        _warn("", "the corpus is an open file, so each of its lines is a document of its own")
    if isinstance(corpus, Mapping):
        for position, (document, count) in enumerate(corpus.items()):
            yield _checked_document(document, position), _checked_count(document, count)
        return
    for position, document in enumerate([corpus] if isinstance(corpus, str) else corpus):
        yield _checked_document(document, position), 1


def _checked_document(document: str, position: int) -> str:
    if not isinstance(document, str):
        raise TypeError(
            f"documents must be str, got {type(document).__name__} at position {position}; "
            f"{_TEXT_OF_A_FILE}"
        )
    if not document.isascii():
        document.encode("utf-8")  # raises an error if it contains a lone surrogate
    if not position and _is_path(document):
        shown = shortened(document)
        _warn(document, f"the document {shown} is the path of a file; its letters are trained")
    return document


def _is_path(document: str) -> bool:
    """Return whether a document is the path of a file; looking up `//host/` would connect to it."""
    may_be = len(document) <= _LONGEST_PATH and document.splitlines() == [document]
    return may_be and document[:2].strip("/\\") != "" and os.path.isfile(document)


def _warn(path: str, message: str) -> None:
    log(f"{message}; {_TEXT_OF_A_FILE}", {"event": "file", "path": path}, logging.WARNING)


def _checked_count(document: str, count: int) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(
            f"counts must be integers, got {type(count).__name__} for the document "
            f"{shortened(document)}"
        )
    times = index(count)
    if times < 1:
        found = times if times > -(10**30) else "far less"
        raise ValueError(
            f"counts must be at least 1, got {found} for the document {shortened(document)}"
        )
    return times
