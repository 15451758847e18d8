"""The tokenizer, compared with the functions that are proved in docs/proof.

They are printed from Coq, and need no Coq to run. A wrong encoder may still restore every text,
so ids are compared, never only the round trip.
"""

import string
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import artifact_with, loaded, merges_of
from bpetite import Tokenizer
from bpetite._boundaries import blocks
from bpetite._merges import Merges
from bpetite._patterns import GPT2, PATTERNS
from bpetite._special_tokens import checked_special_tokens
from bpetite_compare.reference import Model, encode_chunk, pre_tokenize_ascii
from numbered import WORDS, Made, ids_by_bytes, numbered
from proof import proof_oracle
from proof.proof_oracle import Numbered
from texts import ASCII_TEXTS, CHUNKS, RUNS, TEXTS, TIES, every_character, merge_lists

pytestmark = pytest.mark.thorough

Pair = tuple[int, int]
Cut = Callable[[str], Iterable[str | bytes]]

END_OF_TEXT = "<|endoftext|>"
MERGES = {
    "nested": [(97, 97), (256, 97), (257, 97), (256, 256), (98, 258)],
    "twice": [(97, 97), (97, 98), (97, 97), (256, 256), (97, 98)],
    "trained": oracle.train(["abcabcaabb bca aab cab"], 266),
}
# One or two characters of each class on each side of ASCII, and those that the pattern names.
CHARACTERS = "'sdmtlver1² \n\u3000\x1c\x1f!aé日Ⅷ\u0301"
# Some overlap, or are inside another; none is the beginning of another.
NAMES = checked_special_tokens(("<|endoftext|>", "<a>", "a<", "b>a<", "|1|", "'l|", "字a/"))
TEXTS_WITH_NAMES = st.lists(st.sampled_from(NAMES) | TEXTS | ASCII_TEXTS | RUNS).map("".join)
PARTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=6)
"""Where a part starts, and how many characters it has, if the text has so many."""
SPLITS: dict[str, proof_oracle.Split] = {
    **{name: regex.compile(pattern.text).findall for name, pattern in PATTERNS.items()},
    GPT2.name: proof_oracle.split,
}
ASCII_CUTS: list[Cut] = [
    lambda text: pre_tokenize_ascii(text.encode("ascii")),
    lambda text: proof_oracle.split_ascii(text.encode("ascii")),
]
ADDED = st.sampled_from([[], ["<|a|>", "<|b|>"]])
SMALL = st.lists(st.one_of(TIES, RUNS), max_size=3)
"""Documents small enough for the proved trainer, which counts by recursion."""


@pytest.mark.parametrize("name", MERGES)
def test_every_short_chunk_has_the_proved_ids(name: str) -> None:
    """All 3,280 chunks of up to seven letters "a", "b" and "c" have the proved ids."""
    chunks = [bytes(letters) for length in range(8) for letters in product(b"abc", repeat=length)]
    assert len(chunks) == 3_280
    apply = Merges(MERGES[name]).apply
    assert [*map(apply, chunks)] == [proof_oracle.passes(chunk, MERGES[name]) for chunk in chunks]


@pytest.mark.parametrize(
    ("characters", "length", "number", "real", "proved"),
    [
        (CHARACTERS, 3, 11_155, GPT2.split, proof_oracle.split),
        (
            "\r\n /a0'字\x1f",
            4,
            7_381,
            partial(blocks, size=1),
            partial(proof_oracle.blocks, size=1),
        ),
        ("'sL1 \t\n.\x00", 4, 7_381, *ASCII_CUTS),
    ],
    ids=["chunks", "blocks", "chunks of ASCII"],
)
def test_every_short_text_is_cut_as_proved(
    characters: str, length: int, number: int, real: Cut, proved: Cut
) -> None:
    """All texts of up to 3 or 4 characters of every class have the proved chunks and blocks."""
    texts = ["".join(text) for n in range(length + 1) for text in product(characters, repeat=n)]
    assert len(texts) == number
    assert [[*real(text)] for text in texts] == [proved(text) for text in texts]


@given(st.text("aS'lL vV1 2\n\r\t.!\x00\x1c\x7f") | TEXTS | ASCII_TEXTS | RUNS, st.integers(1, 12))
@example("".join(CHARACTERS) * 9, 1)
@example("。\n字\n/x\r\nb\nc d" * 9, 3)
def test_text_has_the_proved_chunks_pieces_and_blocks(text: str, size: int) -> None:
    """Any text has the proved chunks, pieces and blocks."""
    assert GPT2.split(text) == proof_oracle.split(text)
    assert GPT2.pieces(text) == proof_oracle.pieces(text)
    assert [*blocks(text, size)] == proof_oracle.blocks(text, size)
    assert not text.isascii() or ASCII_CUTS[0](text) == ASCII_CUTS[1](text)


@given(
    st.lists(st.tuples(*[st.sampled_from([97, 98, 256, 257, 258])] * 2), unique=True),
    st.permutations(range(256)),
    st.binary(max_size=20) | CHUNKS,
)
@example([(97, 98), (98, 97)], list(range(256)), b"babab")
@example([(257, 98), (98, 97)], list(range(255, -1, -1)), b"babbab")
def test_the_reference_has_the_proved_ids(
    merges: list[Pair], shuffle: list[int], chunk: bytes
) -> None:
    """Any chunk has the proved ids, with merges in any order and any byte permutation."""
    bytes_of_ids = bytes(map(shuffle.index, chunk))  # so that its ids are often merged
    model = Model(dict(zip(merges, range(256, 999), strict=False)), {}, shuffle, "", {})
    for data in (chunk, bytes_of_ids):
        assert encode_chunk(model, data) == proof_oracle.encode_chunk(data, model.merges, shuffle)


def test_classes_are_as_the_proof_assumes() -> None:
    """No whitespace is a letter or a number, and the characters of ASCII are as assumed."""
    assert regex.findall(r"[[\p{L}\p{N}]&&\s]", every_character(), regex.VERSION1) == []
    assert regex.fullmatch(r"\p{L}+", string.ascii_letters)
    assert regex.fullmatch(r"\p{N}+", string.digits)
    assert regex.findall(r"[\s\p{L}\p{N}]", string.punctuation) == []
    assert regex.fullmatch(r"\s+", "\n\r ")


@pytest.mark.parametrize("pattern", oracle.PATTERNS)
@given(
    merge_lists(),
    st.lists(st.sampled_from(NAMES), unique=True),
    st.lists(TEXTS_WITH_NAMES, max_size=4),
)
@example([(97, 98), (98, 99)], [], ["ab" * 32, "ab" * 33, "abc", "c" * 65, "abc"])
@example([(97, 98)], ["<|endoftext|>"], [f"ab{END_OF_TEXT}{END_OF_TEXT}ab<|endoftext"] * 2)
@example([(97, 60)], ["a<", "<a>", "b>a<"], ["<a<a>\na<a>", "b>a<a> b>a<"])
def test_text_has_the_proved_ids(
    pattern: str, merges: list[Pair], names: list[str], texts: list[str]
) -> None:
    """Text after text has the proved ids, as ordinary text and in blocks."""
    split = SPLITS[pattern]
    tokenizer = loaded(artifact_with(merges, pattern, names))
    for text in texts:
        ids = proof_oracle.encode(text, merges, names, split)
        assert tokenizer.encode(text) == ids
        assert [i for block in blocks(text, 1) for i in tokenizer.encode(block)] == ids
        ordinary = proof_oracle.encode_ordinary(text, merges, split)
        assert tokenizer.encode(text, ordinary=True) == ordinary
        assert max(ordinary, default=0) < 256 + len(merges)
        assert proof_oracle.decode(ids, merges, names) == text
        assert proof_oracle.decode(ordinary, merges, names) == text


def inside(text: str, parts: list[Pair]) -> list[Pair]:
    """Return ordinary parts of a text."""
    size = len(text)
    return [(min(start, size), min(start + length, size)) for start, length in parts]


@given(
    merge_lists(),
    st.lists(st.sampled_from(NAMES), unique=True),
    st.lists(st.sampled_from(NAMES) | st.text("<a>b|1'l字/ ", max_size=5)).map("".join),
    PARTS,
)
@example([(97, 60)], ["a<", "<a>", "b>a<"], "<a<a>b>a<a><a>", [(0, 1), (5, 0), (9, 2), (11, 0)])
@example([], ["<a>"], "<a><a><a>", [(3, 0), (4, 0), (7, 9), (0, 0)])
@example([], ["a<", "<a>"], "a<a>", [(0, 1)])  # "<a>" overlaps "a<", not the part
def test_text_with_ordinary_parts_has_the_proved_ids(
    merges: list[Pair], names: list[str], text: str, parts: list[Pair]
) -> None:
    """Text has the proved ids with any ordinary parts: empty ones, and some inside others."""
    ordinary = inside(text, parts)
    tokenizer = loaded(artifact_with(merges, GPT2.name, names))
    ids = proof_oracle.encode_outside(text, ordinary, merges, names, proof_oracle.split)
    assert tokenizer.encode(text, ordinary=ordinary) == ids
    assert proof_oracle.decode(ids, merges, names) == text
    for some in ([], [(0, len(text))]):
        ids = proof_oracle.encode_outside(text, some, merges, names, proof_oracle.split)
        assert tokenizer.encode(text, ordinary=some) == ids


@given(SMALL, st.one_of(TEXTS, TIES, RUNS))
def test_text_has_the_proved_ids_after_training(documents: list[str], text: str) -> None:
    """A tokenizer learns the proved merges, and any text has the proved ids."""
    tokenizer = Tokenizer.train([*documents, text[:20]], 280)
    merges = proof_oracle.train([*documents, text[:20]], 24)
    assert merges_of(tokenizer) == merges
    ids = proof_oracle.encode(text, merges)
    assert tokenizer.encode(text) == ids
    assert proof_oracle.decode(ids, merges) == tokenizer.decode(ids) == text


@given(
    numbered(),
    st.lists(RUNS | TEXTS | st.sampled_from(["<s>", "<|user|><", "é"])).map("".join),
    st.lists(st.integers(0, 285) | st.sampled_from(range(97, 100))),
    PARTS,
)
def test_any_ids_are_as_proved(
    made: Made, text: str, numbers: list[int], parts: list[Pair]
) -> None:
    """With any ids and whole tokens, text has the proved ids, and ids the proved text."""
    content, merges, whole, names = made
    known = [*oracle.vocabulary(merges).values()][:-1]
    numbering = [*map(ids_by_bytes(content).__getitem__, [*known, *whole])]
    names = sorted(names, key=len, reverse=True)  # the first of the list is found
    numbering += map(content["special_tokens"].__getitem__, names)
    proved, tokenizer = Numbered(merges, whole, names, numbering), loaded(content)
    (split,) = (
        SPLITS[name]
        for name, pattern in oracle.PATTERNS.items()
        if pattern == content["pretokenizer_pattern"]
    )
    for ordinary in (False, True, inside(text, parts)):
        ids = tokenizer.encode(text, ordinary=ordinary)
        assert proved.encode(text, split, ordinary=ordinary) == ids
        assert proved.decode(ids) == tokenizer.decode(ids) == text
    some_ids = [[*numbering, *range(900, 1200)][number] for number in numbers]
    found: str | None
    try:
        found = tokenizer.decode(some_ids)
    except (KeyError, UnicodeDecodeError):
        found = None
    assert proved.decode(some_ids) == found


def check_extension(start: Tokenizer, documents: list[str], more: int, added: list[str]) -> None:
    """Check that a tokenizer learns the proved merges, whole and special tokens, and ids."""
    before, size = start._artifact, len(start._artifact.tokens) + more
    options: dict[str, Any] = {"start": start, "special_tokens": added, "keep_ids": True}
    grown = Tokenizer.train(documents, size, **options)._artifact
    known = Numbered(before.merges, before.whole_tokens, before.special_names, before.ids)
    proved = known.extend(documents, more, added, SPLITS[before.pattern.name])
    assert [grown.merges, [*grown.whole_tokens]] == [proved.merges, proved.whole]
    assert [[*grown.special_names], [*grown.ids]] == [proved.names, proved.numbering]


@given(numbered(highest=2**20), *[st.lists(WORDS, max_size=3)] * 2, st.integers(0, 8), ADDED)
def test_an_extension_is_the_proved_one(
    made: Made, first: list[str], documents: list[str], more: int, added: list[str]
) -> None:
    """A start of any schema version learns the proved merges and completes the proved tokens."""
    check_extension(Tokenizer.train(first, 262), documents, more, ["<|a|>"])
    documents = [*documents, *(f"{token.decode()}b" for token in made[2])]
    check_extension(loaded(made[0]), documents, more, added)
