"""Merges: the fast way to replay them against one full pass for each, and what they leave."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite._merges import Merges
from texts import CHUNKS, RUNS, TIES, merge_lists

TWICE = [(97, 97), (97, 98), (97, 97), (256, 256), (97, 98), (97, 97)]
TWINS = [(97, 98), (98, 99), (256, 99), (97, 257), (258, 259), (259, 258), (259, 259)]
NESTED = [(97, 97), (256, 97), (257, 97), (256, 256), (257, 257), (98, 258)]


@given(merge_lists(), CHUNKS)
@example(TWICE, b"aaaabab" * 30)
@example(TWINS, b"abcabcbcab" * 30)
@example(NESTED, b"aaaaabaaab" * 30)
@example([(97, 97), (97, 256), (256, 97)], b"a" * 301)
def test_hand_made_merges_apply_as_in_full_passes(
    merges: list[tuple[int, int]], chunk: bytes
) -> None:
    """FR-16: of any chunk the merges make what one pass for each of them makes."""
    expected = oracle.encode_chunk(chunk, merges)
    assert Merges(merges).apply(chunk) == expected


@given(st.lists(st.one_of(TIES, RUNS), min_size=1, max_size=3), st.one_of(TIES, RUNS))
def test_trained_merges_apply_as_in_full_passes(documents: list[str], text: str) -> None:
    """FR-16: merges that training learned apply as one pass for each does."""
    merges = oracle.train(documents, 290)
    chunk = (text * 9).encode("utf-8")
    expected = oracle.encode_chunk(chunk, merges)
    assert Merges(merges).apply(chunk) == expected


@pytest.mark.parametrize("merges", [TWICE, TWINS, NESTED])
@pytest.mark.parametrize("length", range(7))
def test_every_short_chunk_is_merged_as_in_full_passes(
    merges: list[tuple[int, int]], length: int
) -> None:
    """FR-16: each chunk of a length in three letters is merged as by the passes."""
    chunks = ["".join(letters).encode() for letters in product("abc", repeat=length)]
    expected = [oracle.encode_chunk(chunk, merges) for chunk in chunks]
    ready = Merges(merges)
    assert [ready.apply(chunk) for chunk in chunks] == expected


@pytest.mark.parametrize("length", [1, 99, 1000])
def test_length_of_a_chunk_changes_nothing(length: int) -> None:
    """FR-16: a long chunk is merged as a short one is."""
    chunk = (b"aab" * length)[:length]
    assert Merges(NESTED).apply(chunk) == oracle.encode_chunk(chunk, NESTED)


@pytest.mark.parametrize(
    ("merges", "chunk", "ids"),
    [
        pytest.param([(97, 98)], b"abab", [256, 256], id="every-occurrence"),
        pytest.param([(97, 97)], b"aaa", [256, 97], id="from-the-left"),
        pytest.param([(98, 99), (97, 98)], b"abc", [97, 256], id="rank-before-place"),
        pytest.param([(97, 98), (98, 99), (256, 99)], b"abc", [258], id="merge-of-a-merge"),
        pytest.param([(97, 97), (97, 97)], b"aaa", [256, 97], id="pair-listed-twice"),
        pytest.param([(98, 99), (97, 256), (97, 98)], b"abcab", [257, 258], id="twins"),
    ],
)
def test_chunk_is_merged_as_by_hand(
    merges: list[tuple[int, int]], chunk: bytes, ids: list[int]
) -> None:
    """FR-16: merges apply by rank, at every occurrence, from left to right."""
    assert Merges(merges).apply(chunk) == ids


@given(merge_lists())
@example(TWICE)
@example(TWINS)
@example(NESTED)
@example([(97, 97), (256, 256), (257, 257), (256, 97), (97, 256)])
def test_tokens_that_stay_are_those_that_encode_to_themselves(
    merges: list[tuple[int, int]],
) -> None:
    """Of any list of merges, the tokens that stay are found without encoding one."""
    expected = [
        token_id
        for token_id, token in oracle.vocabulary(merges).items()
        if token_id < 256 + len(merges) and oracle.encode_chunk(token, merges) == [token_id]
    ]
    assert Merges(merges).self_encoding_tokens() == expected


@given(merge_lists())
@example(TWICE)
@example(TWINS)
@example(NESTED)
@example([(97, 97), (256, 256), (257, 257), (256, 97), (97, 256)])
def test_neighbours_stay_if_their_bytes_encode_to_both(merges: list[tuple[int, int]]) -> None:
    """Two tokens stay side by side exactly if their bytes, joined, encode to the two."""
    vocab = oracle.vocabulary(merges)
    ready = Merges(merges)
    tokens = [97, 98, 99, *(token for token in ready.self_encoding_tokens() if token > 255)]
    for left, right in product(tokens, repeat=2):
        joined = oracle.encode_chunk(vocab[left] + vocab[right], merges)
        assert ready.keep_apart(left, right) == (joined == [left, right])


@pytest.mark.parametrize("times", [1, 50])
def test_merges_may_be_as_many_as_pairs_of_bytes(times: int) -> None:
    """Ids above 65,535, and those that are surrogates as characters, are merged like any."""
    merges = [(left, right) for left in range(256) for right in range(256)]
    low, high = 256 + merges.index((215, 215)), 256 + merges.index((255, 255))
    assert low in range(0xD800, 0xE000)
    assert high > 0xFFFF
    merges += [(low, high), (high, low)]
    chunk = bytes([215, 215, 255, 255, 255, 255, 215, 215]) * times
    ids = [65792, 65793] * times
    assert oracle.encode_chunk(chunk[:8], merges) == ids[:2]
    assert Merges(merges).apply(chunk) == ids
