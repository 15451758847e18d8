"""Encoding: the cache and both fast ways to merge, compared with the specification."""

import sys
from collections.abc import Callable
from itertools import chain, product
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite._encoder import Encoder
from bpetite._merges import Merges
from bpetite._patterns import GPT2, PATTERNS
from oracle import Pair
from texts import ASCII_TEXTS, CHUNKS, CORPORA, NESTED, RUNS, TEXTS, TIES, TWICE, TWINS, merge_lists


def encoder_of(merges: list[tuple[int, int]]) -> Encoder:
    return Encoder(Merges(merges).apply, GPT2, {oracle.END_OF_TEXT: 256 + len(merges)})


@given(merge_lists(), st.text("abc'", max_size=24))
@example(TWICE, "aaaababaaabab")
@example(TWINS, "abcabcbcababcbcabc")
@example(NESTED, "aaaaabaaabaaaab")
@example([(39, 108), (256, 108)], "'l'll'l")
def test_what_the_cache_kept_changes_nothing(merges: list[tuple[int, int]], text: str) -> None:
    """FR-16: neither what an encoder remembers of a text, nor changed results, change other ids."""
    encoder = encoder_of(merges)
    for part in (part for end in range(len(text) + 1) for part in (text[:end], text[end:])):
        ids = encoder.encode(part)
        assert ids == oracle.encode(part, merges)
        ids.append(1)


@given(CORPORA, st.one_of(TEXTS, TIES, RUNS, ASCII_TEXTS))
@example([], "<|endoftext|> x<|endoftext|>y" * 20)
def test_text_encodes_as_in_the_oracle(documents: list[str], text: str) -> None:
    """FR-7, FR-15, FR-16: special tokens are cut out, each chunk is merged by rank."""
    merges = oracle.train([*documents, text[: len(text) // 2]], 280)
    ids = encoder_of(merges).encode(text)
    assert (type(ids), ids) == (list, oracle.encode(text, merges))
    assert {type(token_id) for token_id in ids} <= {int}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("e\u0301 \u212b \ufb01", id="normalized"),
        pytest.param("ABC \u0130 \u1e9e", id="case-folded"),
        pytest.param(" \ufeff a\t \r\n ", id="trimmed"),
        pytest.param("a", id="with a prefix space"),
    ],
)
def test_text_is_encoded_as_it_is(text: str) -> None:
    """FR-6: without merges, the ids of a text are its bytes, which any change would show."""
    assert Tokenizer.train("", 256).encode(text) == list(text.encode("utf-8"))


def test_special_tokens_are_extracted_in_order() -> None:
    """FR-14, FR-16, FR-17, FR-18, FR-19: each exact literal is one id, in order; a part is text."""
    for text, ids in (
        ("", []),
        *(("<|endoftext|>", [257]), ("<|endoftext|>" * 2, [257] * 2)),
        *(("ab<|endoftext|>", [256, 257]), ("<|endoftext|>ab", [257, 256])),
        *(("a<|endoftext|>b", [97, 257, 98]), ("<<|endoftext|>>", [60, 257, 62])),
        ("<|endoftext|> <|endoftext|>", [257, 32, 257]),
        ("<|endoftext<|endoftext|>", [*b"<|endoftext", 257]),
        ("<|endoftext|>endoftext|>", [257, *b"endoftext|>"]),
    ):
        assert encoder_of([(97, 98)]).encode(text) == ids
    for text in (
        *(oracle.END_OF_TEXT[:length] for length in range(1, 13)),
        *(oracle.END_OF_TEXT[length:] for length in range(1, 13)),
        *("<|ENDOFTEXT|>", "<|endoftext |>", "<|end\u200boftext|>", "<|endoftext|\uff1e"),
        *("< |endoftext|>", "<|pad|>", "<|startoftext|><|im_end|>", "<s></s>[PAD]<unk>"),
    ):
        assert encoder_of([]).encode(text) == list(text.encode("utf-8"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", PATTERNS)
def test_cache_is_bounded_in_bytes(name: str) -> None:
    """However many distinct words occur, the cache takes at most 151 MB, and the ids are right."""
    special_tokens = {f"<{number}>": 257 + number for number in range(4096)}
    encoder = Encoder(Merges([(98, 98)]).apply, PATTERNS[name], special_tokens)
    letters = str.maketrans("0123456789", "abcdefghij")
    words = [str(number).translate(letters) for number in range(700_000)]
    ids = encoder.encode(" ".join(words))
    assert "".join(map(chr, ids)).replace("\u0100", "bb") == " ".join(words)
    for generation in (encoder._cache, encoder._cache._old):
        room = 7 * len(generation) + sum(map(len, generation))
        assert room <= 1 << 21
        sizes = map(sys.getsizeof, chain(generation, generation.values()))
        assert sum(sizes) + sys.getsizeof(generation) < 75_500_000
    assert f" {words[-1]}" in encoder._cache
    assert room > (1 << 21) - 14  # the old generation was full before it became the old one


@pytest.mark.parametrize("kept", [False, True], ids=["version 1", "version 3"])
def test_ids_of_long_chunks_are_bounded_in_bytes(
    monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """The ids of cached chunks are no objects of their own, however long the chunks are."""
    room = 1 << 14
    monkeypatch.setattr("bpetite._encoder._CACHE_ROOM", room)
    signs = [*map(chr, range(0x1F300, 0x1F600))]
    counts = dict.fromkeys(signs, 9)
    tokenizer = Tokenizer.train(counts, 1100, start=Tokenizer.train(counts, 1000), keep_ids=kept)
    assert (tokenizer._artifact.numbering is not None) == kept
    choose = Random(0).choices
    tokenizer.encode(" ".join("".join(choose(signs, k=63)) for _ in range(room // 36)))
    assert tokenizer._encoder is not None
    cache = tokenizer._encoder._cache
    generations: list[dict[str, tuple[int, ...]]] = [cache, cache._old]
    ids = {id(one): one for young in generations for one in chain.from_iterable(young.values())}
    for young in generations:
        assert sum(map(len, young)) > room / 2
        sizes = map(sys.getsizeof, chain(young, young.values(), ids.values()))
        assert sum(sizes) + sys.getsizeof(young) < 36 * room


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the size of a cache generation: 73 words of 7 characters."""
    monkeypatch.setattr("bpetite._encoder._CACHE_ROOM", 73 * 14)
    return 73 * 14


def test_a_full_generation_becomes_the_old_one(room: int) -> None:
    """Words of up to 64 characters are cached until these, plus 7 for each, exceed the size."""
    words = [f" {number}" for number in range(100_000, 100_000 + room // 14)]
    encoder = encoder_of([])
    encoder.encode("".join(words))
    assert (set(encoder._cache), encoder._cache._old) == (set(words), {})
    encoder.encode(" 99999")
    assert (set(encoder._cache), set(encoder._cache._old)) == ({" 99999"}, set(words))
    encoder.encode("é" * 64)
    encoder.encode("é" * 65 + " one")
    assert set(encoder._cache) == {" 99999", "é" * 64, " one"}


def test_a_frequently_occurring_chunk_is_not_encoded_again(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frequent chunk is taken from the old generation, however many rare ones occur."""
    encoder = encoder_of([(97, 98)])
    applied: list[bytes] = []
    apply = encoder._cache._ids_of_chunk

    def noted(chunk: bytes) -> list[int]:
        applied.append(chunk)
        return apply(chunk)

    monkeypatch.setattr(encoder._cache, "_ids_of_chunk", noted)
    for number in range(room):
        assert encoder.encode(f" ab {number}")[:2] == [32, 256]
    assert applied.count(b" ab") == 1
    assert len({*encoder._cache._old, *encoder._cache}) < room // 4


@pytest.mark.parametrize("room", [0, 12, 1 << 21])
@pytest.mark.parametrize("text", ["abcab", "abcabc", "abc bcab cababc"])
def test_thread_between_any_two_calls_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, text: str, room: int
) -> None:
    """The ids are the oracle's, whenever another thread fills or empties the cache."""
    monkeypatch.setattr("bpetite._encoder._CACHE_ROOM", room)
    expected = oracle.encode(text, TWINS)
    number, left = 0, 0

    def encode_between(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event == "call"
        if left == 0:
            assert encoder.encode(text) == expected

    while left <= 0:
        number += 1
        left, encoder = number, encoder_of(TWINS)
        sys.setprofile(encode_between)
        try:
            ids = encoder.encode(text)
        finally:
            sys.setprofile(None)
        assert ids == expected
    assert number > 6


def test_non_text_is_rejected() -> None:
    """FR-37: bytes of any type, and anything else that is not a `str`, raise `TypeError`."""
    wrong: list[Any] = [b"ab", bytearray(b"ab"), memoryview(b"ab"), None, 1, ["ab"]]
    names = ["bytes", "bytearray", "memoryview", "NoneType", "int", "list"]
    for text, name in zip(wrong, names, strict=True):
        with pytest.raises(TypeError, match=f"^text must be str, got {name}$"):
            encoder_of([]).encode(text)


def test_lone_surrogates_raise() -> None:
    """A lone surrogate raises `UnicodeEncodeError` with its index in the whole text."""
    for text, start in (
        *(("\ud800", 0), ("ab \udfff", 3), ("ab<|endoftext|>é\ud83d \ude00", 16)),
        ("<|endoftext|>" * 2 + "a" * 200_000 + " \udc80", 200_027),  # in a later block
    ):
        message = f"in position {start}: surrogates not allowed"
        with pytest.raises(UnicodeEncodeError, match=message) as caught:
            encoder_of([(97, 97)]).encode(text)
        assert (caught.value.start, caught.value.object) == (start, text)


@given(merge_lists(), CHUNKS)
@example(TWICE, b"aaaabab" * 30)
@example(TWINS, b"abcabcbcab" * 30)
@example(NESTED, b"aaaaabaaab" * 30)
@example([(97, 97), (97, 256), (256, 97)], b"a" * 301)
@example([(97, 97), (97, 97)], b"aaa")
@example([(98, 99), (97, 98)], b"abc")
@example([(98, 99), (97, 256), (97, 98)], b"abcab")
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
