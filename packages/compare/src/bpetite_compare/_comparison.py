"""Tokenize one text with bpetite and with tiktoken, and find the first difference.

Files are read in blocks that end at the safe boundaries of all patterns.
"""

import codecs
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import tiktoken

from bpetite import Tokenizer
from bpetite._inner import Artifact, cut_safely, quoted, tokenizer_of
from bpetite_compare._encodings import encode, get_encoding
from bpetite_compare._engines import drift
from bpetite_compare._to_tiktoken import SELF, of_artifact, read_artifact

_BLOCK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Tokenization:
    """The tokens of a text in one tokenizer.

    name: the name of the tokenizer.
    ids: in order.
    tokens: the bytes of each; joined, they are the UTF-8 of the text.
    """

    name: str
    ids: Sequence[int]
    tokens: Sequence[bytes]

    @property
    def bytes_per_token(self) -> float | None:
        """The average number of bytes per token; None if there are no tokens."""
        return sum(map(len, self.tokens)) / len(self.tokens) if self.tokens else None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between two tokenizations of a text.

    token, byte, character: how many tokens, bytes and complete characters are before it.
    ours, theirs: the id and the bytes of the token there on each side, or None at the end.
    """

    token: int
    byte: int
    character: int
    ours: tuple[int, bytes] | None
    theirs: tuple[int, bytes] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tokens of one text in two tokenizers.

    text: the text.
    ours, theirs: its tokens in bpetite and in the tiktoken encoding.
    difference: the first one, or None. With the encoding "self", ids are compared; with any
        other, the bytes of the tokens.
    engine_characters: those that the two regex engines classify differently.
    """

    text: str
    ours: Tokenization
    theirs: Tokenization
    difference: Difference | None
    engine_characters: frozenset[str]


def compare(
    model: str | os.PathLike[str] | Tokenizer, text: str, encoding: str = "gpt2"
) -> Comparison:
    """Tokenize a text with bpetite and with a tiktoken encoding.

    Only the special tokens of the tokenizer file are special, on both sides.

    Args:
        model: a tokenizer, or the path of its file.
        text: any text.
        encoding: the name of a tiktoken encoding, or "self" for the tokenizer file's own
            vocabulary, which tiktoken loads without a network.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        ValueError, OSError: tiktoken does not have the encoding, or cannot download it.
        UnicodeEncodeError: the text contains a lone surrogate.
    """
    artifact = read_artifact(model)
    same = encoding == SELF
    theirs = of_artifact(artifact, SELF) if same else get_encoding(encoding)
    ours, others = tokenize_both(artifact, tokenizer_of(artifact), theirs, text)
    found = frozenset() if text.isascii() else drift(artifact.pattern).intersection(text)
    return Comparison(text, ours, others, first_difference(ours, others, by_id=same), found)


def tokenize_both(
    artifact: Artifact, tokenizer: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> tuple[Tokenization, Tokenization]:
    """Tokenize a text with both, with bpetite's special tokens on both sides."""
    ids = tokenizer.encode(text)  # rejects lone surrogates; tiktoken would replace them
    ours = Tokenization("bpetite", ids, [artifact.vocab[one] for one in ids])
    return ours, in_tiktoken(encoding, [text], artifact.special_names)


def in_tiktoken(
    encoding: tiktoken.Encoding, parts: Iterable[str], special: Collection[str]
) -> Tokenization:
    """Tokenize the parts of a text, one after the other; only these texts can be special tokens."""
    ids = [one for part in parts for one in encode(encoding, part, special)]
    return Tokenization(encoding.name, ids, encoding.decode_tokens_bytes(ids))


def first_difference(ours: Tokenization, theirs: Tokenization, *, by_id: bool) -> Difference | None:
    """Return the first difference between two tokenizations, or None.

    Args:
        ours: one side.
        theirs: the other side.
        by_id: whether ids must be equal, and not only the bytes of the tokens, because the
            vocabulary is the same.
    """
    sides = (zip(side.ids, side.tokens, strict=True) for side in (ours, theirs))
    for token, (our, their) in enumerate(zip_longest(*sides)):
        if our != their and (by_id or not our or not their or our[1] != their[1]):
            before = b"".join(ours.tokens[:token])
            characters = len(before.decode("utf-8", errors="ignore"))
            return Difference(token, len(before), characters, our, their)
    return None


def blocks(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the text of a file, in blocks that end at safe boundaries.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8; the message gives the position.
    """
    size = 0

    def read() -> bytes:
        nonlocal size
        block = file.read(_BLOCK_BYTES)
        size += len(block)
        return block

    with open(path, "rb") as file:
        try:
            yield from cut_safely(codecs.iterdecode(iter(read, b""), "utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{quoted(path)} is not UTF-8: byte 0x{error.object[error.start]:02x} at offset "
                f"{size - len(error.object) + error.start}; convert the file first, or leave it out"
            ) from None
