"""Merges: both fast ways to apply them, compared with one full pass for each merge."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given

import oracle
from bpetite._merges import Merges
from oracle import Pair
from texts import CHUNKS, NESTED, TWICE, TWINS, merge_lists


@given(merge_lists(), CHUNKS)
@example(TWICE, b"aaaabab" * 30)
@example(TWINS, b"abcabcbcab" * 30)
@example(NESTED, b"aaaaabaaab" * 30)
@example([(97, 97), (97, 256), (256, 97)], b"a" * 301)
def test_hand_made_merges_apply_as_in_full_passes(merges: list[Pair], chunk: bytes) -> None:
    """FR-16: the merges turn any chunk into the ids that one pass for each merge gives."""
    expected = oracle.encode_chunk(chunk, merges)
    ready = Merges(merges)
    assert ready.apply(chunk) == expected
    steps = list(ready.steps(chunk))
    assert [list(chunk), *(ids for _, ids in steps)][-1] == expected
    assert all(new in ids for new, ids in steps)
    made = [new for new, _ in steps]
    assert made == sorted(set(made))


@pytest.mark.parametrize("merges", [TWICE, TWINS, NESTED])
def test_every_short_chunk_is_merged_as_in_full_passes(merges: list[Pair]) -> None:
    """FR-16: each chunk of up to six letters "a", "b" and "c" gets the ids of the passes."""
    ready = Merges(merges)
    for chunk in (bytes(some) for length in range(7) for some in product(b"abc", repeat=length)):
        assert ready.apply(chunk) == oracle.encode_chunk(chunk, merges)


def test_chunk_is_merged_as_by_hand() -> None:
    """FR-16: merges apply by rank, at every occurrence, from left to right."""
    for merges, chunk, ids in (
        ([(97, 98)], b"abab", [256, 256]),  # every occurrence
        ([(97, 97)], b"aaa", [256, 97]),  # from the left
        ([(98, 99), (97, 98)], b"abc", [97, 256]),  # by rank, not by place
        ([(97, 98), (98, 99), (256, 99)], b"abc", [258]),  # a merge of a merge
        ([(97, 97), (97, 97)], b"aaa", [256, 97]),  # a pair listed twice
        ([(98, 99), (97, 256), (97, 98)], b"abcab", [257, 258]),  # twins
    ):
        assert Merges(merges).apply(chunk) == ids
        assert oracle.encode_chunk(chunk, merges) == ids


def test_both_algorithms_merge_any_byte() -> None:
    """FR-16: a byte that no merge takes keeps its id, whatever its value."""
    merges = [(0, 1), (1, 1), (255, 255), (256, 2)]
    chunk = bytes([*range(256), 255, 255, 1, 1, 1, 0, 0, 1])
    expected = oracle.encode_chunk(chunk, merges)
    ready = Merges(merges)
    assert ready._apply_short(chunk) == ready._apply_long(chunk) == expected


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc on this system")
@pytest.mark.parametrize("text", ["'a' * 4_000_000", "'abcdefgh' * 500_000"])
def test_memory_of_a_long_chunk(run_python: Callable[..., str], text: str) -> None:
    """Applying the merges takes at most 60 bytes of memory for each byte of a chunk."""
    program = f"""
        import re
        from pathlib import Path
        from bpetite import Tokenizer

        def peak():
            return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

        tokenizer = Tokenizer.train("aaaaaaaa abcdefgh " * 9, 300)
        text = {text}
        before = peak()
        tokenizer.encode(text)
        print((peak() - before) * 1024 / len(text))
    """
    assert 0 < float(run_python(program)) < 60


@pytest.mark.parametrize("times", [1, 50])
def test_ids_above_65535_can_be_merged(times: int) -> None:
    """Ids above 65,535, and those equal to surrogate code points, are merged like any other."""
    merges = [(left, right) for left in range(256) for right in range(256)]
    low, high = 256 + merges.index((215, 215)), 256 + merges.index((255, 255))
    assert low in range(0xD800, 0xE000)
    assert high > 0xFFFF
    merges += [(low, high), (high, low)]
    chunk = bytes([215, 215, 255, 255, 255, 255, 215, 215]) * times
    ids = [65792, 65793] * times
    assert oracle.encode_chunk(chunk[:8], merges) == ids[:2]
    assert Merges(merges).apply(chunk) == ids
