"""A tokenizer as data, from a tokenizer file or a tiktoken encoding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from bpetite_compare.reference._kernel import Pair
from bpetite_compare.reference._recovery import recover_merges
from bpetite_compare.reference._well_formed import build_vocab


@dataclass(frozen=True, slots=True)
class Model:
    """A tokenizer as data.

    merges: pair of ids -> the id that replaces it; lower ids merge first.
    vocab: id -> its bytes, shuffled; special tokens are not in it.
    byte_shuffle: at position b, the id of byte b, for all 256 bytes.
    pattern: the split pattern, for the package `regex`.
    special_tokens: text -> id; `encode` extracts them before it splits a text.
    """

    merges: Mapping[Pair, int]
    vocab: Mapping[int, bytes]
    byte_shuffle: Sequence[int]
    pattern: str
    special_tokens: Mapping[str, int]

    @property
    def inverse_byte_shuffle(self) -> list[int]:
        """At position i, the byte that id i represents."""
        return [self.byte_shuffle.index(token_id) for token_id in range(256)]

    @classmethod
    def of_merges(
        cls, merges: Sequence[Pair], pattern: str, special_tokens: Mapping[str, int]
    ) -> Self:
        """Return the model of a tokenizer file: the merge at rank r makes the id 256 + r.

        If a handmade file lists a pair twice, the first merge applies.
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
