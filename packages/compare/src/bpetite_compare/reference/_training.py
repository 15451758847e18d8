"""Training with any pattern: count all pairs, merge the most frequent, count again.

The core trains with the patterns that it knows, much faster and with the same result. Use this
trainer to find out what any other pattern does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import regex

from ._model import Model, Pair, encode_chunk, get_stats, merge

GPT2_PATTERN: Final = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""GPT-2's split pattern: words, numbers and punctuation, with the preceding space."""

GPT4_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""GPT-4's split pattern: numbers of at most three digits, newlines with punctuation."""

NO_PATTERN: Final = r"(?s:.+)"
"""No splitting: the whole text is one chunk."""

_SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token of text, no password


def train(
    documents: Iterable[str],
    vocab_size: int,
    pattern: str = GPT2_PATTERN,
    start: Model | None = None,
    special_tokens: Sequence[str] = (_SPECIAL_TOKEN,),
) -> Model:
    """Learn merges: the most frequent pair first, and the smallest pair in a tie.

    The frequency of a pair includes overlapping occurrences. Training stops early when no
    chunk has two ids left.

    Lemma (learning): every merge joins two ids below its own, so the model is well formed
    unless two tokens have the same bytes.

    Args:
        documents: the texts; no pair spans two of them.
        vocab_size: the number of mergeable tokens, including the 256 bytes.
        pattern: a regular expression for the package `regex`; its matches are the chunks.
        start: a model whose merges come first; the chunks are encoded with them.
        special_tokens: they follow the last merge, in this order.

    Raises:
        TypeError: `documents` is a single `str`.
        ValueError: `vocab_size` is below 256 or the size of `start`, the pattern leaves text
            out, or `start` is not the model of a tokenizer file of schema version 1 or 2
            with distinct pairs.
        UnicodeEncodeError: a text contains a lone surrogate.

    >>> train(["low lower lowest"], 258).merges
    {(108, 111): 256, (256, 119): 257}
    """
    if isinstance(documents, str):
        raise TypeError(
            "documents must be an iterable of str, got str; put a single text into a list"
        )
    start = start or Model.of_merges([], pattern, {})
    merges = sorted(start.merges, key=start.merges.__getitem__)
    size = 256 + len(merges)
    in_order = start.indexes is None and start.vocab.keys() == {*range(size)}
    if not in_order or [*start.byte_shuffle] != [*range(256)]:
        raise ValueError(
            "start must be the model of a tokenizer file of schema version 1 or 2 with "
            "distinct pairs"
        )
    if vocab_size < size:
        what = "the size of start" if merges else "one for each byte"
        raise ValueError(f"vocab_size must be at least {size} ({what}), got {vocab_size}")
    counts = Counter(chunk for text in documents for chunk in _chunks(text, pattern))
    chunks = {chunk: encode_chunk(start, chunk) for chunk in counts}
    merges += learn(chunks, counts, size, vocab_size - size)
    special = {text: 256 + len(merges) + place for place, text in enumerate(special_tokens)}
    return Model.of_merges(merges, pattern, special)


def learn(
    chunks: Mapping[bytes, Sequence[int]], counts: Mapping[bytes, int], first: int, most: int
) -> list[Pair]:
    """Return the merges that chunks give: the most frequent pair first, the smallest in a tie.

    Args:
        chunks: the ids of each distinct chunk.
        counts: how often each occurs.
        first: the id that the first merge makes.
        most: the number of merges to learn; there are fewer if no chunk has two ids left.

    Lemma: every merge joins two ids below its own.

    >>> learn({b"abab": [97, 98, 97, 98]}, {b"abab": 5}, 256, 9)
    [(97, 98), (256, 256)]
    """
    ids_of, merges = dict(chunks), list[Pair]()
    while len(merges) < most:
        totals: Counter[Pair] = Counter()
        for chunk, ids in ids_of.items():
            for pair, count in get_stats(ids).items():
                totals[pair] += count * counts[chunk]
        if not totals:
            break
        best = min(totals, key=lambda pair: (-totals[pair], pair))
        for chunk, ids in ids_of.items():
            ids_of[chunk] = merge(ids, best, first + len(merges))
        merges.append(best)
    return merges


def _chunks(text: str, pattern: str) -> Iterator[bytes]:
    found = [match[0] for match in regex.finditer(pattern, text)]
    if "".join(found) != text:
        kept = sum(map(len, found))
        raise ValueError(
            f"the pattern leaves out text: it matches {kept} of {len(text)} characters"
        )
    return (chunk.encode("utf-8") for chunk in found)
