"""Learn merges: count the pairs in a corpus, merge the most frequent, and again.

Words
    symbols  a chunk as it stands in training: a `str` with one character for each id
    pair     two neighbouring ids in a chunk, as the `str` of their two characters
    count    how often a chunk or a pair stands in the corpus
    born     a pair is born in the merge that makes the newer of its two ids

Idea: equal chunks merge alike, so each distinct chunk is held once, with its count. A
merge changes the counts of the pairs around it and no others, so pairs are counted once,
and then their counts are kept up to date.

The tie rule: of the pairs with the highest count, the smallest by tuple comparison of
ids. Pairs wait in a list for each count; those of the highest count stand in a heap, and
characters compare as their ids do.

What makes this exact: a merge makes a new id, so every pair that it adds holds that id,
and nothing later adds to the count of a pair. Counts only fall, so a pair is found where
its count once was, never below, and is moved down when its turn comes. The highest count
only falls, too: a new pair stands no more often than the one that was merged. And the
chunks that may hold a pair are all known when it is born.

Source: Sennrich, Haddow and Birch 2016 (arXiv:1508.07909), section 3.2, on bytes.

Not here: what a chunk is (`_pretokenizer`), how the result is saved (`_persistence`).
"""

import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from operator import add, index
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, MAX_VOCAB_SIZE
from bpetite._pretokenizer import blocks, count_chunks, count_pieces

__all__ = ["TrainerResult", "train_bpe"]

_LOGGER: Final = logging.getLogger("bpetite")
_MERGES_PER_RECORD: Final = 100
_BLOCK_CHARACTERS: Final = 1 << 20
_CHARACTERS_PER_RECORD: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class TrainerResult:
    """What training learned.

    merges: pairs of ids in the order in which they were learned; the pair at rank r
        makes the token with the id 256 + r.
    vocab: the bytes of every token by its id, the special token included.
    special_tokens: the id of each special token by its text; there is one.
    mergeable_vocab_size: 256 + len(merges), which is also the id of the special token.
    """

    merges: tuple[tuple[int, int], ...]
    vocab: Mapping[int, bytes]
    special_tokens: Mapping[str, int]
    mergeable_vocab_size: int


def train_bpe(corpus: str | Iterable[str], vocab_size: int) -> TrainerResult:
    """Learn the merges of a corpus.

    Args:
        corpus: one document, or an iterable of them, which is read once. No chunk spans
            two documents, and their order changes nothing. Special tokens in the text
            are ordinary characters.
        vocab_size: how many mergeable tokens are wanted, 256 or more: 256 bytes and
            vocab_size - 256 merges. The special token is not counted.

    Returns:
        A vocabulary of that size, or a smaller one if the corpus has no pair left.

    Raises:
        TypeError: the corpus or a document is no `str`, or vocab_size is no integer.
        ValueError: vocab_size is below 256, or asks for more than 1,114,112 tokens of a
            corpus that has them.
        UnicodeEncodeError: a document holds a lone surrogate.

    >>> train_bpe("ab ab ab", vocab_size=258).merges
    ((97, 98), (32, 256))
    """
    wanted = _checked_vocab_size(vocab_size)
    _log("start", f"training: {wanted:,} mergeable tokens wanted", vocab_size=wanted)
    chunks = _count_corpus(corpus)
    merges, tokens = _learn(chunks, wanted)
    size = len(tokens)
    ending = f", fewer than the {wanted:,} wanted: no pair is left" if size < wanted else ""
    _log(
        "end",
        f"trained: {size:,} mergeable tokens{ending}",
        vocab_size=wanted,
        mergeable_vocab_size=size,
    )
    vocab = dict(enumerate([*tokens, END_OF_TEXT_TOKEN.encode("utf-8")]))
    return TrainerResult(tuple(merges), vocab, {END_OF_TEXT_TOKEN: size}, size)


def _checked_vocab_size(vocab_size: int) -> int:
    if isinstance(vocab_size, bool):
        message = f"vocab_size must be an integer, got {vocab_size!r}"
        raise TypeError(message)
    try:
        # No corpus has so many merges, and a number of thousands of digits cannot be shown.
        wanted = min(index(vocab_size), sys.maxsize)
    except TypeError:
        message = f"vocab_size must be an integer, got {type(vocab_size).__name__}"
        raise TypeError(message) from None
    if wanted < BASE_VOCAB_SIZE:
        found = wanted if wanted > -(10**60) else "far less"
        message = f"vocab_size must be at least {BASE_VOCAB_SIZE} (one for each byte), got {found}"
        raise ValueError(message)
    return wanted


def _count_corpus(corpus: str | Iterable[str]) -> dict[str, int]:
    """Return how often each chunk stands in the corpus, holding one block at a time."""
    pieces: Counter[str] = Counter()
    documents = characters = told = 0
    for document in _documents(corpus):
        documents += 1
        for block in blocks(document, _BLOCK_CHARACTERS):
            count_pieces(block, pieces)
            characters += len(block)
            if characters // _CHARACTERS_PER_RECORD > told:
                told = characters // _CHARACTERS_PER_RECORD
                _log(
                    "count",
                    f"counting: {characters:,} characters so far",
                    documents=documents,
                    characters=characters,
                )
    chunks = count_chunks(pieces)
    _log(
        "counted",
        f"counted: {characters:,} characters, {len(chunks):,} distinct chunks",
        documents=documents,
        characters=characters,
        distinct_chunks=len(chunks),
    )
    return chunks


def _documents(corpus: str | Iterable[str]) -> Iterator[str]:
    """Yield the documents of a corpus, each known to be text."""
    if isinstance(corpus, (bytes, bytearray, memoryview)) or not isinstance(corpus, Iterable):
        message = f"corpus must be str or an iterable of str, got {type(corpus).__name__}"
        raise TypeError(message)
    for position, document in enumerate([corpus] if isinstance(corpus, str) else corpus):
        if not isinstance(document, str):
            message = (
                f"corpus must be str or an iterable of str, "
                f"got {type(document).__name__} at position {position}"
            )
            raise TypeError(message)
        if not document.isascii():
            document.encode("utf-8")  # a lone surrogate is no text; say so before counting it
        yield document


def _learn(chunks: Mapping[str, int], wanted: int) -> tuple[list[tuple[int, int]], list[bytes]]:
    """Return the merges, and the bytes of every mergeable token."""
    pairs = _Pairs(chunks)
    merges: list[tuple[int, int]] = []
    tokens = [bytes([value]) for value in range(BASE_VOCAB_SIZE)]
    while len(tokens) < wanted:
        pair, count = pairs.take_most_frequent()
        if not count:
            break
        if len(tokens) == MAX_VOCAB_SIZE:
            message = f"vocab_size must be at most {MAX_VOCAB_SIZE:,} for this corpus"
            raise ValueError(message)
        pairs.merge(pair, chr(len(tokens)))
        left, right = ord(pair[0]), ord(pair[1])
        merges.append((left, right))
        tokens.append(tokens[left] + tokens[right])
        if len(merges) % _MERGES_PER_RECORD == 0:
            _log(
                "merge",
                f"merge {len(merges):,} of {wanted - BASE_VOCAB_SIZE:,}: "
                f"{tokens[-1]!r}, {count:,} times",
                merges=len(merges),
                merges_wanted=wanted - BASE_VOCAB_SIZE,
                token=tokens[-1],
                count=count,
            )
    return merges, tokens


class _Pairs:
    """Every pair in the corpus, with its count and with the chunks in which it was born."""

    def __init__(self, chunks: Mapping[str, int]) -> None:
        # Latin-1 has the character n for the byte n.
        self._symbols = [chunk.encode("utf-8").decode("latin-1") for chunk in chunks]
        self._count_of_chunk = list(chunks.values()).__getitem__
        self._counts: dict[str, int] = {}
        self._holders: dict[str, list[int]] = {}
        self._waiting: dict[int, list[str]] = {}
        self._waiting_counts: list[int] = []
        self._highest = 0
        self._pairs_of_highest: list[str] = []
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for chunk, symbols in enumerate(self._symbols):
            for pair in map(add, symbols, symbols[1:]):
                holders[pair].append(chunk)
        for pair, chunks_with_it in holders.items():
            self._add(pair, chunks_with_it)

    def take_most_frequent(self) -> tuple[str, int]:
        """Return the pair to merge next and its count, or ("", 0) if there is no pair."""
        while True:
            while self._pairs_of_highest:
                pair = heappop(self._pairs_of_highest)
                count = self._counts[pair]
                if count == self._highest:
                    return pair, count
                if count:
                    self._wait(pair, count)  # it has fallen since it was put here
                else:
                    del self._counts[pair], self._holders[pair]
            if not self._waiting_counts:
                return "", 0
            self._highest = -heappop(self._waiting_counts)
            self._pairs_of_highest = self._waiting.pop(self._highest)
            heapify(self._pairs_of_highest)

    def merge(self, pair: str, new: str) -> None:
        """Put the symbol `new` for the pair everywhere, and bring the counts up to date.

        `str.split` finds the occurrences that the specification merges: from left to
        right, none overlapping another. The ends of the parts are the neighbours.
        """
        left, right = pair[0], pair[1]
        symbols = self._symbols
        # For each neighbour of an occurrence: the chunks, one entry for each occurrence.
        before: defaultdict[str, list[int]] = defaultdict(list)
        after: defaultdict[str, list[int]] = defaultdict(list)
        side_by_side: list[int] = []
        for chunk in dict.fromkeys(self._holders.pop(pair)):
            parts = symbols[chunk].split(pair)
            if len(parts) == 1:
                continue  # an earlier merge took one of the two symbols
            symbols[chunk] = new.join(parts)
            if first := parts[0]:
                before[first[-1]].append(chunk)
            if last := parts[-1]:
                after[last[0]].append(chunk)
            for part in parts[1:-1]:
                if part:
                    after[part[0]].append(chunk)
                    before[part[-1]].append(chunk)
                else:
                    side_by_side.append(chunk)
        for neighbour, holders in before.items():
            self._replace(neighbour + left, neighbour + new, holders)
        for neighbour, holders in after.items():
            self._replace(right + neighbour, new + neighbour, holders)
        if side_by_side:
            self._replace(right + left, new + new, side_by_side)
        del self._counts[pair]

    def _replace(self, old: str, born: str, holders: list[int]) -> None:
        """Move occurrences from a pair that a merge broke up to the pair that it made."""
        self._counts[old] -= self._add(born, holders)

    def _add(self, pair: str, holders: list[int]) -> int:
        """Take in a pair that has just been born, and return its count."""
        count = sum(map(self._count_of_chunk, holders))
        self._counts[pair] = count
        self._holders[pair] = holders
        self._wait(pair, count)
        return count

    def _wait(self, pair: str, count: int) -> None:
        """Put a pair where it is found when its count is the highest."""
        if count == self._highest:
            heappush(self._pairs_of_highest, pair)
        elif count in self._waiting:
            self._waiting[count].append(pair)
        else:
            self._waiting[count] = [pair]
            heappush(self._waiting_counts, -count)


def _log(event: str, message: str, **figures: object) -> None:
    """Emit a record of the logger `bpetite`, with the event and its figures as attributes.

    start     vocab_size, as wanted
    count     documents and characters so far; about every 16 million characters
    counted   documents, characters, distinct_chunks
    merge     merges and merges_wanted, the last token and its count; every 100 merges
    end       vocab_size, as wanted; mergeable_vocab_size, as learned
    """
    _LOGGER.info(message, extra={"event": event, **figures})
