"""A tiktoken encoding with the vocabulary of a tokenizer."""

import os
from collections.abc import Iterable
from typing import Final

import tiktoken

from bpetite import Tokenizer
from bpetite._inner import Artifact, artifact_of
from bpetite_compare._encodings import make_encoding
from bpetite_compare._soundness import exportable, ids_by_bytes
from bpetite_compare.reference import Model

SELF: Final = "self"
"""The name of the encoding made from the tokenizer file itself."""


def to_tiktoken(
    model: str | os.PathLike[str] | Tokenizer | Model, special_tokens: Iterable[str] = ()
) -> tiktoken.Encoding:
    """Return a tiktoken encoding with the vocabulary of a tokenizer, special tokens included.

    It needs no network. The ids are the same, except for characters that the two regex engines
    classify differently.

    Args:
        model: a tokenizer, the path of its file, or a model of `bpetite_compare.reference`.
        special_tokens: more special tokens, as for `export`.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        TypeError: an argument has a wrong type.
        ValueError: tiktoken would have other ids, for example because two tokens have the same
            bytes, or a special token cannot be used.
    """
    if not isinstance(model, Model):
        return of_artifact(read_artifact(model), "bpetite", special_tokens)
    if model.indexes is not None:
        raise ValueError("this model has ids of its own; pass the path of its tokenizer file")
    return of_artifact(_artifact_of(model), "bpetite", special_tokens, model.pattern)


def read_artifact(model: str | os.PathLike[str] | Tokenizer) -> Artifact:
    """Return a tokenizer, or that of a tokenizer file, as an artifact."""
    return artifact_of(model) if isinstance(model, Tokenizer) else Artifact.read(model)


def of_artifact(
    artifact: Artifact, name: str, special_tokens: Iterable[str] = (), pattern: str | None = None
) -> tiktoken.Encoding:
    """Return a tiktoken encoding with the tokens of a tokenizer and more special tokens.

    It has the pattern of the tokenizer, unless there is another one.

    Raises:
        ValueError: tiktoken would have other ids, or a special token cannot be used.
    """
    own = exportable(artifact, special_tokens)
    text = own.pattern.text if pattern is None else pattern
    return make_encoding(name, text, ids_by_bytes(own), own.special_tokens)


def _artifact_of(model: Model) -> Artifact:
    """Return a model as an artifact; its pattern, which may be any, does not matter here."""
    byte_of, names = model.inverse_byte_shuffle, model.special_tokens
    merges = sorted(model.merges, key=model.merges.__getitem__)
    made = map(model.merges.__getitem__, merges)
    ids = list(dict.fromkeys([*model.byte_shuffle, *made, *model.vocab]))
    index_of = {token_id: index for index, token_id in enumerate(ids)}
    pairs = [(index_of[left], index_of[right]) for left, right in merges]
    tokens = [bytes(map(byte_of.__getitem__, model.vocab[token_id])) for token_id in ids]
    return Artifact(pairs, tokens, special_names=(*names,), numbering=(*ids, *names.values()))
