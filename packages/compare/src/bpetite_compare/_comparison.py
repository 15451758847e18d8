"""Tokenize one text with a model and with an encoding of tiktoken."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

import tiktoken

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._encodings import SELF, encode, get_encoding, of_artifact, of_model
from bpetite_compare._engines import drift
from bpetite_compare._tokenizations import Difference, Tokenization, first_difference
from bpetite_compare.reference import Model

__all__ = ["Comparison", "compare", "to_tiktoken", "tokenize_both"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two tokenizers make of one text.

    text: the text.
    ours, theirs: what the model makes of it, and what the encoding does.
    difference: the first place at which they part, or None if they do not. With the
        encoding "self" ids are compared, with any other the bytes of the tokens.
    engine_characters: those of the text's characters that the Unicode tables of the two
        engines put into different classes, where a difference is to be expected.
    """

    text: str
    ours: Tokenization
    theirs: Tokenization
    difference: Difference | None
    engine_characters: frozenset[str]


def compare(model: str | os.PathLike[str], text: str, encoding: str = "gpt2") -> Comparison:
    """Tokenize a text with a model and with an encoding of tiktoken.

    `<|endoftext|>` is one token on both sides, and any other special token of tiktoken is
    ordinary text.

    Args:
        model: the path of an artifact.
        text: any text.
        encoding: the name of an encoding of tiktoken; "self" is the one that is made of
            the model itself, with no network.

    Raises:
        KeyError, ValueError, OSError: the model cannot be loaded, or tiktoken has no such
            encoding, or cannot get it.
        UnicodeEncodeError: the text holds a lone surrogate.
    """
    artifact = Artifact.read(model)
    same = encoding == SELF
    theirs = of_artifact(artifact, SELF) if same else get_encoding(encoding)
    ours, others = tokenize_both(Tokenizer._of(artifact), theirs, text)
    found = frozenset() if text.isascii() else drift().intersection(text)
    return Comparison(text, ours, others, first_difference(ours, others, by_id=same), found)


def to_tiktoken(
    model: str | os.PathLike[str] | Model, special_tokens: Iterable[str] = ()
) -> tiktoken.Encoding:
    """Return the encoding of tiktoken that has the vocabulary of a model, special token and all.

    It needs no network and no file but the model. Its ids are the model's if each token
    encodes to itself, as after training, except for characters that the two engines class
    differently. To be sure of a model made by hand, see `parity`.

    Args:
        model: the path of a tokenizer file, or a model of `bpetite_compare.reference`, whose
            pattern the encoding gets.
        special_tokens: more special tokens; they get the ids after the last one.

    Raises:
        KeyError, ValueError, OSError: the model cannot be loaded.
        TypeError: `special_tokens` is a single text, or contains something else.
        ValueError: two of its tokens have the same bytes, as no training makes them; or a
            special token is not usable.
    """
    if isinstance(model, Model):
        return of_model(model, "bpetite", special_tokens)
    return of_artifact(Artifact.read(model), "bpetite", special_tokens)


def tokenize_both(
    tokenizer: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> tuple[Tokenization, Tokenization]:
    """Return what both make of a text, with bpetite's special token on both sides."""
    artifact = tokenizer._artifact
    ids = tokenizer.encode(text)  # refuses lone surrogates; tiktoken would replace them
    others = encode(encoding, text, artifact.special_token)
    return (
        Tokenization("bpetite", ids, list(map(artifact.bytes_of, ids))),
        Tokenization(encoding.name, others, encoding.decode_tokens_bytes(others)),
    )
