"""When bytes identify tokens: the check, compared with its definition, and its consequences."""

from collections.abc import Sequence

import pytest
import tiktoken
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from bpetite._artifact import Artifact
from bpetite_compare._soundness import find_duplicate, find_unreachable
from bpetite_compare._to_tiktoken import of_artifact
from bpetite_compare.reference import Model, Pair, encode_chunk
from compare_tools import DUPLICATE, UNREACHABLE
from texts import CHUNKS, CORPORA, merge_lists

RUNS_OF_A = st.lists(st.integers(1, 12), max_size=8).map(
    lambda sizes: [(97, 97), *((255 + min(size, place), 97) for place, size in enumerate(sizes, 1))]
)
"""Merges that make runs of one letter, where pairs overlap."""


def encode_to_themselves(merges: Sequence[Pair]) -> bool:
    """Return whether every token encodes to itself in the reference model."""
    vocab = oracle.vocabulary(merges)
    model = Model.of_merges(merges, oracle.PATTERN, {})
    return all(
        encode_chunk(model, vocab[token_id]) == [token_id] for token_id in range(256 + len(merges))
    )


@given(merge_lists() | RUNS_OF_A)
def test_check_equals_definition(merges: list[Pair]) -> None:
    """The check reports a token if and only if some token does not encode to itself."""
    assert (find_unreachable(Artifact.of_merges(merges)) is None) == encode_to_themselves(merges)


@given(merge_lists())
def test_duplicate_check_equals_definition(merges: list[Pair]) -> None:
    """The check reports two tokens if and only if two have the same bytes."""
    tokens = list(oracle.vocabulary(merges).values())
    assert (find_duplicate(Artifact.of_merges(merges)) is None) == (len(set(tokens)) == len(tokens))


@given(CORPORA, st.integers(256, 300))
def test_trained_models_are_sound(corpus: list[str], vocab_size: int) -> None:
    """In a trained vocabulary no two tokens have the same bytes, and each encodes to itself."""
    artifact = Artifact.of_merges(oracle.train(corpus, vocab_size))
    assert find_duplicate(artifact) is None
    assert find_unreachable(artifact) is None


@given(merge_lists() | RUNS_OF_A, CHUNKS)
def test_sound_models_have_tiktokens_ids(merges: list[Pair], chunk: bytes) -> None:
    """If every token encodes to itself, merging by pairs and by joined bytes agree."""
    artifact = Artifact.of_merges(merges)
    assume(find_unreachable(artifact) is None)
    whole = tiktoken.Encoding(
        "chunk",
        pat_str=r"(?s:.+)",
        mergeable_ranks={token: rank for rank, token in enumerate(artifact.tokens)},
        special_tokens={},
    )
    assert whole.encode(chunk.decode()) == oracle.encode_chunk(chunk, merges)


def test_an_unreachable_token_is_named() -> None:
    """The error names the first token that does not encode to itself, and its bytes."""
    assert find_unreachable(Artifact.of_merges(UNREACHABLE)) == (
        "the token 258, b'abc', does not encode to itself"
    )


def test_two_tokens_with_the_same_bytes_are_named() -> None:
    """The error names both tokens, and tiktoken does not get them."""
    fault = "the tokens 258 and 259 have the same bytes, b'abc'"
    assert find_duplicate(Artifact.of_merges(DUPLICATE)) == fault
    with pytest.raises(ValueError, match=f"tiktoken cannot load this vocabulary: {fault}"):
        of_artifact(Artifact.of_merges(DUPLICATE), "self")


def test_a_copy_of_the_special_token_is_named() -> None:
    """The special token is one of the tokens that must differ."""
    letters = [*b"<|endoftext|>"]
    merges = [(letters[0], letters[1])]
    merges += [(255 + place, letter) for place, letter in enumerate(letters[2:], 1)]
    assert find_duplicate(Artifact.of_merges(merges)) == (
        "the tokens 267 and 268 have the same bytes, b'<|endoftext|>'"
    )
