"""Encoding: the cache and both fast ways to merge, compared with the specification."""

import sys
import tracemalloc
from itertools import product
from random import Random
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import artifact_with, loaded
from bpetite import Tokenizer
from bpetite._encoder import Encoder
from bpetite._merges import Merges
from bpetite._patterns import GPT2
from oracle import Pair
from texts import ASCII_TEXTS, CHUNKS, CORPORA, NESTED, RUNS, TEXTS, TIES, TWICE, TWINS, merge_lists


@given(merge_lists(), st.text("abc'", max_size=24))
@example(TWICE, "aaaababaaabab")
@example(TWINS, "abcabcbcababcbcabc")
@example(NESTED, "aaaaabaaabaaaab")
@example([(39, 108), (256, 108)], "'l'll'l")
def test_what_the_cache_kept_changes_nothing(merges: list[Pair], text: str) -> None:
    """FR-16: neither what an encoder remembers of a text, nor changed results, change other ids."""
    tokenizer = loaded(artifact_with(merges))
    for part in (part for end in range(len(text) + 1) for part in (text[:end], text[end:])):
        ids = tokenizer.encode(part)
        assert ids == oracle.encode(part, merges)
        ids.append(1)


@given(CORPORA, st.one_of(TEXTS, TIES, RUNS, ASCII_TEXTS))
@example([], "<|endoftext|> x<|endoftext|>y" * 20)
def test_text_encodes_as_in_the_oracle(documents: list[str], text: str) -> None:
    """FR-7, FR-15, FR-16: special tokens are cut out, each chunk is merged by rank."""
    documents = [*documents, text[: len(text) // 2]]
    ids = Tokenizer.train(documents, 280).encode(text)
    assert (type(ids), ids) == (list, oracle.encode(text, oracle.train(documents, 280)))
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


@pytest.mark.parametrize(
    ("text", "ids"),
    {
        "": [],
        "<|endoftext|><|endoftext|>": [257, 257],
        "a<|endoftext|>b": [97, 257, 98],
        "<<|endoftext|>>": [60, 257, 62],
        "<|endoftext<|endoftext|>": [*b"<|endoftext", 257],
        "<|endoftext|>endoftext|>": [257, *b"endoftext|>"],
        "<|endo": [*b"<|endo"],
        "endoftext|>": [*b"endoftext|>"],
        "<|ENDOFTEXT|>": [*b"<|ENDOFTEXT|>"],
        "<|endoftext|\uff1e": [*"<|endoftext|\uff1e".encode()],
        "<|pad|><|im_end|><s></s>[PAD]": [*b"<|pad|><|im_end|><s></s>[PAD]"],
    }.items(),
)
def test_special_tokens_are_extracted_in_order(text: str, ids: list[int]) -> None:
    """FR-14, FR-16, FR-17, FR-18, FR-19: each exact literal is one id, in order; a part is text."""
    assert Tokenizer.train("ab", 257).encode(text) == ids


@pytest.mark.parametrize(
    "text", [b"ab", bytearray(b"ab"), memoryview(b"ab"), None, 1, ["ab"]], ids=type
)
def test_non_text_is_rejected(tokenizer: Tokenizer, text: object) -> None:
    """FR-37: bytes of any type, and anything else that is not a `str`, raise `TypeError`."""
    with pytest.raises(TypeError, match=f"^text must be str, got {type(text).__name__}$"):
        tokenizer.encode(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("ab<|endoftext|>é\ud83d \ude00", 16),
        pytest.param("<|endoftext|>" * 2 + "a " * 20_000 + "\udc80", 40_026, id="in a later block"),
    ],
)
def test_lone_surrogates_raise(tokenizer: Tokenizer, text: str, start: int) -> None:
    """A lone surrogate raises `UnicodeEncodeError` with its index in the whole text."""
    message = f"in position {start}: surrogates not allowed"
    with pytest.raises(UnicodeEncodeError, match=message) as caught:
        tokenizer.encode(text)
    assert (caught.value.start, caught.value.object) == (start, text)


# The cache


@pytest.mark.thorough
def test_cache_is_bounded_in_bytes() -> None:
    """However many distinct words occur, the cache takes at most 151 MB, and the ids are right."""
    names = [f"<{number}>" for number in range(4096)]
    tokenizer = Tokenizer.train("bb", 257, special_tokens=names)
    tokenizer.encode("a")
    letters = str.maketrans("0123456789", "abcdefghij")
    tracemalloc.start()
    for number in range(0, 700_000, 1000):
        text = " ".join(map(str, range(number, number + 1000))).translate(letters)
        assert "".join(map(chr, tokenizer.encode(text))).replace("\u0100", "bb") == text
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 20_000_000 < taken < 151_000_000


@pytest.fixture
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the size of a generation of the cache: that of a test, instead of two million."""
    size: int = request.param
    monkeypatch.setattr("bpetite._encoder._CACHE_ROOM", size)
    return size


@pytest.mark.parametrize("room", [73 * 14], indirect=True)
def test_frequent_chunks_are_merged_once(room: int) -> None:
    """A chunk counts as its characters and 7 more; one of more than 64 characters is not cached.

    Until a generation is full, nothing is forgotten; then, what is not used in the next one.
    """
    merged: list[str] = []

    def merge(chunk: bytes) -> list[int]:
        merged.append(chunk.decode())
        return [0]

    encoder = Encoder(merge, GPT2, {})
    words = [f" {number}" for number in range(100_000, 100_000 + room // 14)]
    for _ in range(2):
        encoder.encode("".join(words))
    assert merged == words
    long, longer = "é" * 64, "é" * 65
    for text in (long, long, longer, longer, words[0]):
        encoder.encode(text)
    assert merged[len(words) :] == [long, longer, longer]
    for number in range(200_000, 200_000 + room // 14):
        encoder.encode(f"{words[0]} {number}")
    assert merged.count(words[0]) == 1
    merged.clear()
    encoder.encode("".join(words))
    assert merged == words[1:]


@pytest.mark.parametrize("room", [1 << 12], indirect=True)
def test_ids_of_long_chunks_are_bounded_in_bytes(room: int) -> None:
    """The ids of cached chunks are no objects of their own, however long the chunks are."""
    signs, choose = [*map(chr, range(0x1F300, 0x1F340))], Random(0).choices
    tokenizer = Tokenizer.train(signs * 9, 310)
    texts = ["".join(choose(signs, k=63)) for _ in range(room // 36)]
    tokenizer.encode("a")
    tracemalloc.start()
    for text in texts:
        tokenizer.encode(text)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 9 * room < taken < 2 * 36 * room


@pytest.mark.parametrize("room", [0, 12, 1 << 21], indirect=True)
@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("text", ["abcab", "abcabc", "abc bcab cababc"])
def test_thread_between_any_two_calls_changes_nothing(text: str) -> None:
    """The ids are the oracle's, whenever another thread fills or empties the cache."""
    expected = oracle.encode(text, TWINS)
    number, left = 0, 0

    def encode_between(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event == "call"
        if left == 0:
            assert encoder.encode(text) == expected

    while left <= 0:
        number += 1
        left, encoder = number, Encoder(Merges(TWINS).apply, GPT2, {})
        sys.setprofile(encode_between)
        try:
            ids = encoder.encode(text)
        finally:
            sys.setprofile(None)
        assert ids == expected
    assert number > 6


# Merging


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


@pytest.mark.parametrize("merges", [TWICE, TWINS, NESTED], ids=["twice", "twins", "nested"])
def test_every_short_chunk_is_merged_as_in_full_passes(merges: list[Pair]) -> None:
    """FR-16: each chunk of up to six letters "a", "b" and "c" gets the ids of the passes."""
    ready = Merges(merges)
    for chunk in (bytes(some) for length in range(7) for some in product(b"abc", repeat=length)):
        assert ready.apply(chunk) == oracle.encode_chunk(chunk, merges)


def test_any_byte_is_merged() -> None:
    """FR-16: a byte that no merge takes keeps its id, whatever its value, in any chunk."""
    merges = [(0, 1), (1, 1), (255, 255), (256, 2)]
    chunk = bytes([*range(256), 255, 255, 1, 1, 1, 0, 0, 1])
    for size in (50, len(chunk)):  # one is for each of the algorithms
        for start in range(0, len(chunk), size):
            part = chunk[start : start + size]
            assert Merges(merges).apply(part) == oracle.encode_chunk(part, merges)


def test_ids_above_65535_can_be_merged() -> None:
    """Ids above 65,535, and those equal to surrogate code points, are merged like any other."""
    merges = [(left, right) for left in range(256) for right in range(256)]
    low, high = 256 + merges.index((215, 215)), 256 + merges.index((255, 255))
    assert low in range(0xD800, 0xE000)
    assert high > 0xFFFF
    merges += [(low, high), (high, low)]
    chunk, ids = bytes([215, 215, 255, 255, 255, 255, 215, 215]), [65792, 65793]
    assert oracle.encode_chunk(chunk, merges) == ids
    ready = Merges(merges)
    for times in (1, 50):  # one is for each of the algorithms
        assert ready.apply(chunk * times) == ids * times
