"""Byte-level BPE on one page: pairs and merges, vocabularies, a model, encoding and decoding.

Each function states a lemma, and uses only the functions above it.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self, TypeAlias

import regex

Pair: TypeAlias = tuple[int, int]


def get_stats(ids: Sequence[int]) -> dict[Pair, int]:
    """Return the frequency of each pair of adjacent ids.

    Lemma (counting): the frequencies add up to len(ids) - 1, or to 0 if there are no ids.

    >>> get_stats([7, 7, 7, 8])
    {(7, 7): 2, (7, 8): 1}
    """
    return dict(Counter(pairwise(ids)))


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of a pair, left to right and without overlaps, with a new id.

    Lemma (merge preservation, the prototype's Lemma 1): if the bytes of the new id are the
    bytes of the left id and then of the right id, the bytes of the list do not change.

    >>> merge([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    merged: list[int] = []
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + 2]) == pair:
            merged.append(new_id)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged


def decode_bytes(vocab: Mapping[int, bytes], ids: Sequence[int]) -> bytes:
    """Return the joined bytes of a list of ids.

    Lemma (distributivity, Lemma 6): the bytes of two joined lists are the joined bytes of
    the lists.

    Raises:
        KeyError: an id is not in the vocabulary.

    >>> decode_bytes({0: b"a", 1: b"bc"}, [1, 0])
    b'bca'
    """
    return b"".join(vocab[token_id] for token_id in ids)


def build_vocab(merges: Mapping[Pair, int]) -> dict[int, bytes]:
    """Return the vocabulary of merges: the 256 bytes, and the bytes that each merge joins.

    Lemma (construction): merges and vocabulary are well formed unless two tokens have the
    same bytes.

    >>> build_vocab({(97, 98): 256, (256, 99): 257})[257]
    b'abc'
    """
    vocab = {value: bytes([value]) for value in range(256)}
    for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


def check_well_formed(
    merges: Mapping[Pair, int], vocab: Mapping[int, bytes], byte_shuffle: Sequence[int]
) -> None:
    """Check the four conditions that the proof of the round trip needs.

    Lemma (well-formedness): recovered merges and the vocabulary that `build_vocab` makes of
    them pass; anything that violates a condition fails.

    Raises:
        ValueError: a condition is violated; the message names it.
    """
    for value in range(256):
        if vocab.get(value) != bytes([value]):
            raise ValueError(
                f"base tokens: id {value} has the bytes {vocab.get(value)!r}, not its own byte"
            )
    for (left, right), new_id in merges.items():
        parts = vocab.get(left), vocab.get(right)
        if None in parts or not all(parts) or vocab.get(new_id) != b"".join(filter(None, parts)):
            raise ValueError(
                f"merges: id {new_id} is not the bytes of {left} and {right}, joined and non-empty"
            )
    ids_of: dict[bytes, int] = {}
    for token_id, token in vocab.items():
        if ids_of.setdefault(token, token_id) != token_id:
            raise ValueError(
                f"injectivity: ids {ids_of[token]} and {token_id} have the same bytes, {token!r}"
            )
    if sorted(byte_shuffle) != list(range(256)):
        raise ValueError("shuffle: it is not a permutation of the 256 bytes")


def join_lowest(
    parts: Sequence[bytes], rank_of: Callable[[bytes, bytes], int | None]
) -> list[bytes]:
    """Return parts after all merges: the lowest rank first, and its leftmost pair first.

    Lemma (joining): the result joins to the same bytes, whatever `rank_of` gives for two adjacent
    parts: their rank, or None if they do not merge.

    >>> join_lowest([b"a", b"b", b"a"], lambda left, right: 2 if left + right == b"ab" else None)
    [b'ab', b'a']
    """
    joined = [*parts]
    while ranked := [
        (rank, place)
        for place, (left, right) in enumerate(pairwise(joined))
        if (rank := rank_of(left, right)) is not None
    ]:
        _, place = min(ranked)
        joined[place : place + 2] = [joined[place] + joined[place + 1]]
    return joined


def decompose_token(
    ranks: Mapping[bytes, int], token: bytes, max_rank: int | None = None
) -> list[bytes]:
    """Return the parts of a token after all merges, or after all merges below a rank.

    Lemma (decomposition, Lemma 7): the parts join to the token.

    >>> decompose_token({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3}, b"abab", max_rank=3)
    [b'ab', b'ab']
    """

    def rank_of(left: bytes, right: bytes) -> int | None:
        rank = ranks.get(left + right)
        return None if rank is None or (max_rank is not None and rank >= max_rank) else rank

    return join_lowest([bytes([value]) for value in token], rank_of)


def recover_merges(ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Return the merges, by the ids of their parts, in the order of ranks.

    Lemma (recovery): for a trained vocabulary, these are the merges that made it, because
    every token encodes to itself.

    Raises:
        ValueError: a token is not a merge of two others, so BPE did not make these ranks.

    >>> recover_merges({b"a": 0, b"b": 1, b"ab": 2, b"aba": 3})
    {(0, 1): 2, (2, 0): 3}
    """
    merges: dict[Pair, int] = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        # A token joins the two parts that remain of it after all merges of lower rank.
        parts = decompose_token(ranks, token, max_rank=rank)
        if len(parts) != 2:
            raise ValueError(
                f"token {rank}, {token[:40]!r}, is not a merge of two lower-ranked tokens: "
                f"lower ranks leave {len(parts)} parts"
            )
        left, right = parts
        merges[ranks[left], ranks[right]] = rank
    return merges


@dataclass(frozen=True, slots=True)
class Model:
    """A tokenizer as data.

    merges: pair of ids -> the id that replaces it; lower ids merge first.
    vocab: id -> its bytes, shuffled; special tokens are not in it.
    byte_shuffle: at position b, the id of byte b, for all 256 bytes.
    pattern: the split pattern, for the package `regex`.
    special_tokens: text -> id.
    whole_tokens: bytes -> id; a chunk with these bytes becomes it, before any merge.
    indexes: id in a file of schema version 3 or 4 -> index in `merges` and `vocab`; None if they
        are the same.
    """

    merges: Mapping[Pair, int]
    vocab: Mapping[int, bytes]
    byte_shuffle: Sequence[int]
    pattern: str
    special_tokens: Mapping[str, int]
    whole_tokens: Mapping[bytes, int] = field(default_factory=dict)
    indexes: Mapping[int, int] | None = None

    @property
    def inverse_byte_shuffle(self) -> list[int]:
        """At position i, the byte that id i represents."""
        return [self.byte_shuffle.index(token_id) for token_id in range(256)]

    @classmethod
    def load(cls, path: str) -> Self:
        """Return the model of a tokenizer file, of any schema version.

        It checks nothing: `Tokenizer.load` does.
        """
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        pattern, special = content["pretokenizer_pattern"], content["special_tokens"]
        if content["schema_version"] < 3:
            merges = [(left, right) for left, right in content["merges"]]
            return cls.of_merges(merges, pattern, special)
        vocab = {int(key): bytes(values) for key, values in content["vocab"].items()}
        tokens = {one: vocab[one] for one in vocab.keys() - special.values()}
        indexes = {one: token[0] for one, token in tokens.items() if len(token) == 1}
        for _, _, new in content["merges"]:
            indexes[new] = len(indexes)
        merges = [(indexes[left], indexes[right]) for left, right, _ in content["merges"]]
        model = cls.of_merges(merges, pattern, special)
        whole_tokens: dict[bytes, int] = {}
        for one in tokens.keys() - indexes.keys():
            whole_tokens[tokens[one]] = indexes[one] = len(indexes)
        vocab = {indexes[one]: token for one, token in tokens.items()}
        return cls(model.merges, vocab, range(256), pattern, special, whole_tokens, indexes)

    @classmethod
    def of_merges(
        cls, merges: Sequence[Pair], pattern: str, special_tokens: Mapping[str, int]
    ) -> Self:
        """Return the model of a tokenizer file: the merge at rank r makes the id 256 + r.

        If a pair occurs twice, the first merge applies.
        """
        # The vocabulary also has the id of the second.
        ids: dict[Pair, int] = {}
        vocab = build_vocab({})
        for new_id, (left, right) in enumerate(merges, 256):
            ids.setdefault((left, right), new_id)
            vocab[new_id] = vocab[left] + vocab[right]
        return cls(ids, vocab, range(256), pattern, special_tokens)

    @classmethod
    def of_ranks(
        cls, ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int]
    ) -> Self:
        """Return the model of a tiktoken encoding, with its merges recovered.

        Raises:
            ValueError: a token is not a merge of two others.
            KeyError: a byte has no rank.
        """
        shuffle = [ranks[bytes([value])] for value in range(256)]
        merges = recover_merges(ranks)
        return cls(merges, build_vocab(merges), shuffle, pattern, special_tokens)


def encode_chunk(model: Model, chunk: bytes) -> list[int]:
    """Return the ids of a chunk, after applying merges as long as possible, lowest id first.

    Lemma (chunk round trip): `decode_chunk` returns the chunk. The ids first represent the
    shuffled bytes, and no merge changes the bytes that the ids represent.

    >>> model = Model.of_merges([(97, 98), (256, 97)], "", {})
    >>> encode_chunk(model, b"abac")
    [257, 99]
    """
    if chunk in model.whole_tokens:
        return [model.whole_tokens[chunk]]
    ids = [model.byte_shuffle[value] for value in chunk]
    while candidates := {pair for pair in get_stats(ids) if pair in model.merges}:
        pair = min(candidates, key=model.merges.__getitem__)
        ids = merge(ids, pair, model.merges[pair])
    return ids


def decode_chunk(model: Model, ids: Sequence[int]) -> bytes:
    """Return the bytes of ids that are not special.

    Lemma (shuffle cancellation, Lemma 2): the inverse shuffle restores each byte.
    """
    inverse = model.inverse_byte_shuffle
    return bytes(inverse[value] for value in decode_bytes(model.vocab, ids))


def encode(model: Model, text: str) -> list[int]:
    """Return the ids of a text: extract special tokens, and split the rest into chunks.

    Lemma (locality): the ids of a text without special tokens are the ids of its chunks,
    joined.

    Raises:
        UnicodeEncodeError: the text contains a lone surrogate.
    """
    # Alternatives are tried in order, so at any position the longest token wins.
    specials = "|".join(map(regex.escape, sorted(model.special_tokens, key=len, reverse=True)))
    parts = regex.split(f"({specials})", text) if specials else [text]
    id_of = {index: token_id for token_id, index in (model.indexes or {}).items()}
    ids: list[int] = []
    for place, part in enumerate(parts):  # those at odd places are special tokens
        if place % 2:
            ids.append(model.special_tokens[part])
        else:
            for chunk in regex.finditer(model.pattern, part):
                found = encode_chunk(model, chunk[0].encode("utf-8"))
                ids += [id_of.get(one, one) for one in found]
    return ids


def decode(model: Model, ids: Sequence[int]) -> str:
    """Return the text of a list of ids.

    Lemma (round trip, the claim itself): `decode(model, encode(model, text)) == text`
    if the model is well formed and the pattern's chunks join to the text.

    Raises:
        KeyError: an id is neither in the vocabulary nor special.
        TypeError: `ids` is bytes, whose items would be read as ids.
        UnicodeDecodeError: the joined bytes are not UTF-8.
    """
    if isinstance(ids, (bytes, bytearray, memoryview)):
        raise TypeError(f"ids must be a sequence of integers, got {type(ids).__name__}")
    special_of = {token_id: text for text, token_id in model.special_tokens.items()}
    return b"".join(
        special_of[token_id].encode("utf-8")
        if token_id in special_of
        else decode_chunk(model, [token_id if model.indexes is None else model.indexes[token_id]])
        for token_id in ids
    ).decode("utf-8", errors="strict")
