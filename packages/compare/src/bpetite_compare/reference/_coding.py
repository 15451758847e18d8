"""Encoding and decoding of chunks and of text."""

from collections.abc import Sequence

import regex

from bpetite_compare.reference._kernel import decode_bytes, get_stats, merge
from bpetite_compare.reference._model import Model


def encode_chunk(model: Model, chunk: bytes) -> list[int]:
    """Return the ids of a chunk, after applying merges as long as possible, lowest id first.

    Lemma (chunk round trip): `decode_chunk` returns the chunk. The ids first represent the
    shuffled bytes, and no merge changes the bytes that the ids represent.

    >>> model = Model.of_merges([(97, 98), (256, 97)], "", {})
    >>> encode_chunk(model, b"abac")
    [257, 99]
    """
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
    # Alternatives are tried in order, so at any position the token that sorts first wins.
    specials = "|".join(map(regex.escape, sorted(model.special_tokens)))
    parts = regex.split(f"({specials})", text) if specials else [text]
    ids: list[int] = []
    for number, part in enumerate(parts):  # odd numbers are special tokens
        if number % 2:
            ids.append(model.special_tokens[part])
        else:
            for chunk in regex.finditer(model.pattern, part):
                ids += encode_chunk(model, chunk[0].encode("utf-8"))
    return ids


def decode(model: Model, ids: Sequence[int]) -> str:
    """Return the text of a list of ids.

    Lemma (round trip, the claim itself): `decode(model, encode(model, text)) == text`
    if the model is well formed and the pattern's chunks join to the text.

    Raises:
        KeyError: an id is neither in the vocabulary nor special.
        UnicodeDecodeError: the joined bytes are not UTF-8.
    """
    special_of = {token_id: text for text, token_id in model.special_tokens.items()}
    return b"".join(
        special_of[token_id].encode("utf-8")
        if token_id in special_of
        else decode_chunk(model, [token_id])
        for token_id in ids
    ).decode("utf-8", errors="strict")
