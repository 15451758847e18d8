"""Learn merges: count the pairs in a corpus, merge the most frequent pair, and repeat.

In a tie, the smallest pair is merged, by tuple comparison of indexes. Pairs that occur once are
merged too: training ends when no chunk has two tokens left.

Source: Sennrich, Haddow and Birch 2016 (arXiv:1508.07909), section 3.2, on bytes.

Not here: counting chunks (`_corpus`), counting and merging pairs (`_pairs`), the result
(`_artifact`).
"""

import logging
import operator
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from bpetite._artifact import Artifact
from bpetite._collector import garbage_collector_paused
from bpetite._constants import BASE_VOCAB_SIZE, MAX_FILE_BYTES, MAX_VOCAB_SIZE
from bpetite._corpus import CountedPart, count_corpus, total_chunks
from bpetite._merges import Merges, Pair
from bpetite._pairs import Pairs
from bpetite._patterns import GPT2, pattern_named
from bpetite._quoting import shortened
from bpetite._records import log
from bpetite._schema.canonical import FileSize
from bpetite._special_tokens import Origin, checked_special_tokens, is_whitespace

_MERGES_PER_RECORD: Final = 100
_BYTES_OF_A_TOKEN_PER_RECORD: Final = 40
_BYTES: Final = Artifact.of_merges([])


class TrainerResult(NamedTuple):
    """The result of `train_bpe`; the merge at rank r makes the id 256 + r."""

    merges: tuple[tuple[int, int], ...]
    vocab: Mapping[int, bytes]
    special_tokens: Mapping[str, int]
    mergeable_vocab_size: int


def train_bpe(corpus: str | Iterable[str] | Mapping[str, int], vocab_size: int) -> TrainerResult:
    """Learn the merges of a corpus, as `Tokenizer.train` does: the specification's function.

    >>> train_bpe("ab ab ab", vocab_size=258).merges
    ((97, 98), (32, 256))
    """
    artifact, _ = learn_merges(count_corpus(corpus, GPT2), vocab_size)
    size = len(artifact.tokens)
    return TrainerResult((*artifact.merges,), artifact.vocab, artifact.special_tokens, size)


def training_start(
    start: Artifact | None,
    pattern: str | None,
    special_tokens: Sequence[str] | None,
    *,
    keep_ids: bool = False,
) -> Artifact:
    """Return what training begins with: the merges, pattern and special tokens.

    If ids are kept, the numbering has none for added special tokens: they follow the new tokens.

    For the arguments and errors, see `Tokenizer.train`.
    """
    if keep_ids and start is None:
        raise ValueError("keep_ids requires start, the tokenizer whose ids are kept")
    begin = _BYTES if start is None else start
    if keep_ids and not begin.numbering:
        begin = begin.keeping_ids()
    names = begin.special_names
    if special_tokens is not None:
        added = checked_special_tokens(special_tokens)
        origin: Origin = "imported" if begin.numbering else "trained"
        names = added if start is None else checked_special_tokens((*names, *added), origin)
        if taken := {name.encode("utf-8") for name in added}.intersection(begin.tokens):
            shown = shortened(min(taken).decode())
            raise ValueError(f"special token {shown}: start has such a token")
    chosen = begin.pattern if pattern is None else pattern_named(pattern)
    if start is not None and chosen is not start.pattern:
        raise ValueError(f"pattern must be {start.pattern.name}, that of start, got {chosen.name}")
    return replace(begin, pattern=chosen, special_names=names)


def learn_merges(
    parts: Iterable[CountedPart], vocab_size: int, start: Artifact = _BYTES
) -> tuple[Artifact, list[int]]:
    """Learn the merges of a corpus that is counted in parts, after the merges of `start`.

    For the errors, see `Tokenizer.train`.

    Returns:
        The tokenizer, and how often the pair of each new merge occurred when it was merged.
    """
    wanted = _checked_vocab_size(vocab_size)
    kept = len(start.merges)
    if wanted < len(start.tokens):
        raise ValueError(
            f"vocab_size must be at least {len(start.tokens)}, the size of start, got {wanted}"
        )
    keeping = f", {kept:,} merges kept" if kept else ""
    log(
        f"training: {wanted:,} mergeable tokens wanted{keeping}",
        {"event": "start", "vocab_size": wanted, "merges_kept": kept},
    )
    unreachable = {*start.unreachable}
    _warn_if_unreachable(start, unreachable)
    chunks = total_chunks(parts)
    if len(start.tokens) > BASE_VOCAB_SIZE:
        # A chunk that is a token has no pair.
        for index, token in enumerate(start.tokens):
            if index not in unreachable:
                chunks.pop(token.decode("utf-8", errors="surrogateescape"), None)
    with garbage_collector_paused():
        artifact, counts = _learn(chunks, wanted, start)
    size = len(artifact.tokens)
    ending = f", fewer than the {wanted:,} wanted: no pair is left" if size < wanted else ""
    log(
        f"trained: {size:,} mergeable tokens{ending}",
        {"event": "end", "vocab_size": wanted, "mergeable_vocab_size": size},
    )
    return artifact, counts


def _checked_vocab_size(vocab_size: int) -> int:
    if isinstance(vocab_size, bool):
        raise TypeError(f"vocab_size must be an integer, got {vocab_size!r}")
    try:
        # No corpus has that many merges, and Python cannot print thousands of digits.
        wanted = min(operator.index(vocab_size), sys.maxsize)
    except TypeError:
        raise TypeError(f"vocab_size must be an integer, got {type(vocab_size).__name__}") from None
    if wanted < BASE_VOCAB_SIZE:
        found = wanted if wanted > -(10**60) else "far less"
        raise ValueError(
            f"vocab_size must be at least {BASE_VOCAB_SIZE} (one for each byte), got {found}"
        )
    return wanted


def _learn(chunks: dict[str, int], wanted: int, start: Artifact) -> tuple[Artifact, list[int]]:
    merges, tokens = list(start.merges), list(start.tokens)
    del tokens[BASE_VOCAB_SIZE + len(merges) :]  # the whole tokens
    extension = None
    if start.numbering:
        from bpetite._extending import Extension  # noqa: PLC0415 - only for these

        extension = Extension(start, merges, tokens)
    file_size = extension or FileSize(start.merges, start.pattern, start.special_names)
    taken = extension.taken if extension else ()
    pairs = Pairs(_symbols(chunks, merges))
    counts: list[int] = []
    while (size := len(start.tokens) + len(counts)) < wanted:
        pair, count = pairs.take_most_frequent()
        if not count:
            break
        left, right = ord(pair[0]), ord(pair[1])
        token = tokens[left] + tokens[right]
        if token in taken:
            continue
        if size == MAX_VOCAB_SIZE or not file_size.add(left, right):
            raise _too_large(size)
        pairs.merge(pair, chr(len(tokens)))
        counts.append(count)
        merges.append((left, right))
        tokens.append(token)
        if extension and not extension.complete(pair, pairs):
            raise _too_large(size)
        learned = len(start.merges) + len(counts)
        if learned % _MERGES_PER_RECORD == 0:
            _log_merge(learned, learned - 1 + wanted - size, token, count)
    if extension:
        return extension.artifact(), counts
    return replace(start, merges=merges, tokens=tokens), counts


def _symbols(chunks: Mapping[str, int], merges: Sequence[Pair]) -> Iterator[tuple[str, int]]:
    """Yield the symbols of each chunk, which is encoded with the merges, and its count."""
    if not merges:
        for chunk, count in chunks.items():
            # In Latin-1, byte n is character n.
            yield chunk.encode("utf-8").decode("latin-1"), count
        return
    apply = Merges(merges).apply
    for chunk, count in chunks.items():
        yield "".join(map(chr, apply(chunk.encode("utf-8")))), count


def _warn_if_unreachable(start: Artifact, unreachable: Collection[int]) -> None:
    """Warn if tokens of the start do not encode to themselves.

    Then they do not in the result either: their bytes are encoded with the start's merges first.
    If all tokens of the start encode to themselves, so do those that are learned.
    """
    names = (name.encode("utf-8") for name in start.special_names if not is_whitespace(name))
    special = {*names}.intersection(start.tokens)
    if indexes := sorted({*unreachable, *map(start.tokens.index, special)}):
        ids = [start.ids[index] for index in indexes]
        shown = start.tokens[indexes[0]][:_BYTES_OF_A_TOKEN_PER_RECORD]
        others = f" (and {len(ids) - 1:,} more)" if ids[1:] else ""
        log(
            f"the token {ids[0]} of start, {shown!r}, does not encode to itself{others}: such a "
            "tokenizer cannot be exported, and other libraries may give other ids",
            {"event": "unreachable", "id": ids[0], "token": shown, "ids": ids},
            logging.WARNING,
        )


def _too_large(vocab_size: int) -> ValueError:
    """Return the error for a tokenizer that could not be saved with one more token.

    If each merge makes the longest token longer, tokens take memory quadratic in the text.
    The maximum size of the file limits that.
    """
    message = f"vocab_size must be at most {vocab_size:,} for this corpus"
    if vocab_size < MAX_VOCAB_SIZE:
        file = f"the tokenizer file would be larger than {MAX_FILE_BYTES:,} bytes, the maximum"
        message = f"{message}: with more tokens, {file}"
    return ValueError(message)


def _log_merge(merges: int, merges_wanted: int, token: bytes, count: int) -> None:
    shown = token[:_BYTES_OF_A_TOKEN_PER_RECORD]
    of = f" and {len(token) - len(shown):,} bytes more" if len(shown) < len(token) else ""
    log(
        f"merge {merges:,} of {merges_wanted:,}: {shown!r}{of}, {count:,} times",
        {
            "event": "merge",
            "merges": merges,
            "merges_wanted": merges_wanted,
            "token": shown,
            "count": count,
        },
    )
