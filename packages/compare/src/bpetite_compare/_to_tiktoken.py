"""A tiktoken encoding with the vocabulary of a tokenizer."""

import os
from collections.abc import Iterable
from typing import Final

import tiktoken

from bpetite._artifact import Artifact
from bpetite_compare._encodings import make_encoding
from bpetite_compare._soundness import find_duplicate, find_unordered
from bpetite_compare._vocabulary import Vocabulary, with_special_tokens
from bpetite_compare.reference import Model

SELF: Final = "self"
"""The name of the encoding made from the tokenizer file itself."""


def to_tiktoken(
    model: str | os.PathLike[str] | Model, special_tokens: Iterable[str] = ()
) -> tiktoken.Encoding:
    """Return a tiktoken encoding with the vocabulary of a tokenizer, special tokens included.

    It needs no network. If every token encodes to itself, both return the same ids, except
    for characters that the two regex engines classify differently. Training makes only such
    tokens. A handmade tokenizer file may have others, and so may a training that continues
    it (`Tokenizer.train` logs a warning): check its ids with `parity`.

    Args:
        model: the path of a tokenizer file, or a model of `bpetite_compare.reference`,
            which brings its own pattern.
        special_tokens: more special tokens; their ids follow the last one.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        TypeError: `special_tokens` is a single `str`, or one of them is not a `str`.
        ValueError: a special token cannot be used, two tokens have the same bytes (never if
            every token encodes to itself), or the file has ids of its own, and tiktoken, which
            merges the lowest id first, would merge other tokens.
    """
    if not isinstance(model, Model):
        return of_artifact(Artifact.read(model), "bpetite", special_tokens)
    if model.numbers is not None:
        raise ValueError("this model has ids of its own; pass the path of its tokenizer file")
    inverse = model.inverse_byte_shuffle
    ranks = {
        bytes(map(inverse.__getitem__, token)): token_id for token_id, token in model.vocab.items()
    }
    if len(ranks) < len(model.vocab):
        raise ValueError("tiktoken cannot load this vocabulary: two tokens have the same bytes")
    special = with_special_tokens(model.special_tokens, special_tokens, ranks)
    return make_encoding("bpetite", model.pattern, ranks, special)


def of_artifact(
    artifact: Artifact, name: str, special_tokens: Iterable[str] = ()
) -> tiktoken.Encoding:
    """Return a tiktoken encoding with the tokens of a tokenizer and more special tokens.

    Raises:
        ValueError: two tokens have the same bytes, and tiktoken identifies tokens by their
            bytes; the order of the ids would merge other tokens; or a special token cannot be
            used.
    """
    if fault := find_duplicate(artifact) or find_unordered(artifact):
        raise ValueError(f"tiktoken cannot load this vocabulary: {fault}")
    own = Vocabulary.of(artifact, special_tokens)
    return make_encoding(name, own.pattern.text, own.ranks, own.special_tokens)
