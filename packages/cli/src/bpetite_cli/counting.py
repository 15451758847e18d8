"""Count the chunks of documents for `train`, `verify` and `chunks`, and the ids for others."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from bpetite import Tokenizer
from bpetite._inner import Artifact, Part, PartCounter, Pattern, tokenizer_of
from bpetite_cli.io.inputs import EMPTY
from bpetite_cli.pipe import Pipe, Tagged


class CountedCorpus:
    """The chunks of the documents of a command.

    size: the number of bytes in UTF-8 of the texts read so far, with their repetitions.
    """

    def __init__(self, pipe: Pipe, pattern: Pattern) -> None:
        self.size = 0
        self._pipe = pipe
        self._pattern = pattern

    def parts(self) -> Iterator[Part]:
        """Yield the counted parts of the corpus; the last ones have the chunks."""
        self._pipe.begin()
        return self._pipe.counts(PartCounter(self._pattern), self._texts())

    def _texts(self) -> Iterator[tuple[Tagged[int], int]]:
        documents = self._pipe.documents
        for row in documents.read_with_counts(self._pattern.name):
            text, times = row[0]
            self.size += times * (len(text) if text.isascii() else len(text.encode("utf-8")))
            yield row
        if not self.size:
            documents.odd[EMPTY] = ["the corpus"]


def count_ids(pipe: Pipe, whole: Collection[str] = ()) -> tuple[list[int], Counter[str]]:
    """Return how often each token occurs in the documents, in the order of indexes.

    Args:
        pipe: the pipe of a command with `--model`, `--ordinary` and `--jobs`.
        whole: chunks to count apart, too: the second result says how often they occur.
    """
    model = pipe.model
    pipe.begin()
    counts = [0] * len(model.ids)
    chunks: Counter[str] = Counter()
    counter = _Counter(tokenizer_of(model), pipe.options.ordinary, model, frozenset(whole))
    texts = pipe.documents.read_with_counts(model.pattern.name)
    for ids, found in pipe.results(counter, texts, in_order=False):
        for token_id, count in ids.items():
            counts[model.indexes[token_id]] += count
        chunks.update(found)
    return counts, chunks


@dataclass(frozen=True)
class _Counter:
    """Counts each id of some texts, and some chunks in them."""

    tokenizer: Tokenizer
    ordinary: bool
    artifact: Artifact
    whole: Collection[str]

    def __call__(self, batch: list[Tagged[int]]) -> tuple[Counter[int], Counter[str]]:
        ids: Counter[int] = Counter()
        chunks: Counter[str] = Counter()
        for text, _ in batch:
            ids.update(self.tokenizer.encode(text, ordinary=self.ordinary))
            if self.whole:
                parts = [text] if self.ordinary else self.artifact.cut(text)[::2]
                found = chain.from_iterable(map(self.artifact.pattern.split, parts))
                chunks.update(chunk for chunk in found if chunk in self.whole)
        return ids, chunks
