"""Count the chunks of documents for `train`, `verify` and `chunks`, and the ids for others."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Final, TypeAlias

from bpetite import Tokenizer
from bpetite._inner import Artifact, ChunkCounter, CountedPart, Pattern
from bpetite_cli.pipe import Pipe, Tagged
from bpetite_cli.plugins import Engine

_Chunks: TypeAlias = frozenset[str] | None
"""Chunks to count; None is all of them."""

_MOST_NAMES: Final = 3
"""The number of names to look for: each takes a hundredth of the time of counting."""


class CountedCorpus:
    """The chunks of the documents of a command.

    size: the number of bytes in UTF-8 of the texts read so far, with their repetitions.

    Args:
        pipe: the pipe of the command.
        pattern: what splits text into chunks.
        names: special tokens whose names in the corpus are worth a warning, as the first of them;
            whitespace is not.
    """

    def __init__(self, pipe: Pipe, pattern: Pattern, names: Sequence[str] = ()) -> None:
        self.size = 0
        self._pipe = pipe
        self._pattern = pattern
        separator = pipe.documents.separator or ""
        looked_for = (name for name in names if name not in separator and not name.isspace())
        self._names = [*islice(looked_for, _MOST_NAMES)]

    def parts(self) -> Iterator[CountedPart]:
        """Yield the counted parts of the corpus; the last ones have the chunks."""
        self._pipe.begin()
        return self._pipe.counts(ChunkCounter(self._pattern), self._texts())

    def _texts(self) -> Iterator[tuple[Tagged[int], int]]:
        documents = self._pipe.documents
        for row in documents.read_with_counts(self._pattern.name):
            text, times = row[0]
            self.size += times * (len(text) if text.isascii() else len(text.encode("utf-8")))
            self._look_for_names(text)
            yield row
        if not self.size:
            documents.note_empty("the corpus")

    def _look_for_names(self, text: str) -> None:
        """Note a name in the corpus; none spans two texts, as it has no whitespace."""
        if found := [name for name in self._names if name in text]:
            about = (
                f"{found[0]}, which is learned as ordinary text; if it separates the documents of "
                f"text files, use --document-separator {shlex.quote(found[0])}"
            )
            self._pipe.documents.odd["contains", "contain", about] = ["the corpus"]
            self._names = []


def count_ids(pipe: Pipe, chunks: _Chunks = frozenset()) -> tuple[list[int], Counter[str]]:
    """Return how often each token occurs in the documents, in the order of indexes.

    And how often each of some chunks occurs.

    Args:
        pipe: the pipe of a command with `--model`, `--ordinary` and `--jobs`.
        chunks: the chunks; None is all of them.
    """
    model = pipe.model
    counts = [0] * len(model.ids)
    counts_of_chunks: Counter[str] = Counter()
    ordinary = pipe.options.ordinary
    count = partial(_count, model, pipe.encoder, chunks, ordinary)
    texts = (((text, None), size) for document in pipe.documents.read() for text, size in document)
    for ids, found in pipe.results(count, texts, in_order=False):
        for token_id, times in ids.items():
            counts[model.indexes[token_id]] += times
        counts_of_chunks.update(found)
    return counts, counts_of_chunks


def _count(
    model: Artifact,
    encoder: Tokenizer | Engine,
    chunks: _Chunks,
    ordinary: bool,
    batch: list[Tagged[None]],
) -> tuple[Counter[int], Counter[str]]:
    """Count each id of some texts, and some chunks in them."""
    ids, found = Counter[int](), Counter[str]()
    for text, _ in batch:
        ids.update(encoder.encode(text, ordinary=ordinary))
        if chunks is None or chunks:
            # Every second part is a special token.
            parts = [text] if ordinary else model.cut(text)[::2]
            every = chain.from_iterable(map(model.pattern.split, parts))
            found.update(every if chunks is None else filter(chunks.__contains__, every))
    return ids, found
