"""Ordinary parts of a text: `encode(text, ordinary=[(start, end), ...])`."""

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts import loaded, with_whitespace
from bpetite import Tokenizer

OVERLAPPING = ("<1>", ">1>", "1>1", "1><")
LETTERS = "<1>"

TOKENIZER = Tokenizer.train("", 256, special_tokens=OVERLAPPING)
NESTED = (" ", "  ", "    ", " \t", "\t ")
WITH_NESTED = loaded(with_whitespace(NESTED))
PARTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda two: (*sorted(two),)))

Part = tuple[int, int]


def overlaps(start: int, end: int, part: Part) -> bool:
    """Return whether an occurrence overlaps a part; an empty part lies between two characters."""
    return start < part[1] and part[0] < end


def slow_ids(
    text: str, names: Sequence[str], parts: Iterable[Part], tokenizer: Tokenizer = TOKENIZER
) -> list[int]:
    """Return the ids of a text without merges: leftmost names first, then the longest."""
    allowed = [
        (start, start + len(name))
        for start in range(len(text))
        for name in sorted(names, key=len, reverse=True)
        if text.startswith(name, start)
        and not any(overlaps(start, start + len(name), part) for part in parts)
    ]
    ids: list[int] = []
    place = 0
    while place < len(text):
        end = next((end for start, end in allowed if start == place), None)
        if end is None:
            ids += text[place].encode()
            place += 1
        else:
            ids.append(tokenizer.special_tokens[text[place:end]])
            place = end
    return ids


def all_parts(size: int) -> list[Part]:
    """Return every part of a text."""
    return [*combinations_with_replacement(range(size + 1), 2)]


def test_all_short_texts_with_one_part() -> None:
    """All texts of up to five characters have the ids of slow code, with any ordinary part."""
    for size in range(6):
        for text in map("".join, product(LETTERS, repeat=size)):
            for part in all_parts(size):
                ids = TOKENIZER.encode(text, ordinary=[part])
                assert ids == slow_ids(text, OVERLAPPING, [part]), (text, part)


def test_all_shorter_texts_with_two_parts() -> None:
    """Texts of up to four characters have the same ids with two parts, in any order."""
    for size in range(5):
        for text in map("".join, product(LETTERS, repeat=size)):
            for parts in product(all_parts(size), repeat=2):
                ids = TOKENIZER.encode(text, ordinary=[*parts])
                assert ids == slow_ids(text, OVERLAPPING, parts), (text, parts)


def test_the_next_shorter_name_is_tried_beside_a_part() -> None:
    """Where the longest name of whitespace overlaps a part, the longest that does not is found."""
    for size in range(7):
        for text in map("".join, product(" \t", repeat=size)):
            for part in all_parts(size):
                ids = WITH_NESTED.encode(text, ordinary=[part])
                assert ids == slow_ids(text, NESTED, [part], WITH_NESTED), (text, part)


@given(st.text(" \ta", min_size=30), PARTS)
def test_special_whitespace_covers_no_ordinary_character(text: str, parts: list[Part]) -> None:
    """With several parts, names of whitespace are found as by slow code."""
    ids = WITH_NESTED.encode(text, ordinary=parts)
    assert ids == slow_ids(text, NESTED, parts, WITH_NESTED)


@given(st.text("<1>é", min_size=30), PARTS)
def test_no_special_token_covers_an_ordinary_character(text: str, parts: list[Part]) -> None:
    """An id of a special token covers no character of an ordinary part; the round trip holds."""
    ids = TOKENIZER.encode(text, ordinary=parts)
    assert ids == slow_ids(text, OVERLAPPING, parts)
    assert TOKENIZER.decode(ids) == text
    end = 0
    for token_id in ids:
        start, end = end, end + len(TOKENIZER.vocab[token_id])
        if token_id in TOKENIZER.special_tokens.values():
            covered = text.encode()[start:end].decode()
            first = len(text.encode()[:start].decode())
            assert not any(overlaps(first, first + len(covered), part) for part in parts)


def test_parts_cut_no_chunk() -> None:
    """A part that begins or ends inside a word changes no id: only special tokens do."""
    tokenizer = Tokenizer.train("lower lower <1> lower", 270, special_tokens=["<1>"])
    plain = tokenizer.encode("lower lower")
    for part in all_parts(len("lower lower")):
        assert tokenizer.encode("lower lower", ordinary=[part]) == plain


def test_true_is_the_whole_text_and_no_part_is_none_of_it() -> None:
    """`True` is one part, the whole text; `False` is no part."""
    text = "<1>1><1>"
    whole = [(0, len(text))]
    assert TOKENIZER.encode(text, ordinary=whole) == TOKENIZER.encode(text, ordinary=True)
    assert TOKENIZER.encode(text, ordinary=[]) == TOKENIZER.encode(text, ordinary=False)
    assert TOKENIZER.encode(text, ordinary=whole) != TOKENIZER.encode(text)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        pytest.param(1, "True, False, or pairs of integers .*; got int", id="an integer"),
        pytest.param(None, "got NoneType", id="None"),
        pytest.param("ab", "got str", id="a text"),
        pytest.param({0: 1}, "got dict", id="a mapping"),
        pytest.param((0, 1), "got 0 in it", id="one pair"),
        pytest.param([(0, 1, 2)], r"got \(0, 1, 2\) in it", id="three positions"),
        pytest.param([(0.0, 1)], r"got \(0.0, 1\) in it", id="a float"),
        pytest.param([(False, True)], r"got \(False, True\) in it", id="booleans"),
    ],
)
def test_what_is_no_pairs_of_integers_is_a_type_error(parts: Any, reason: str) -> None:  # noqa: ANN401 - they are wrong
    """Parts that are not pairs of integers are a `TypeError` with the reason."""
    with pytest.raises(TypeError, match=reason):
        TOKENIZER.encode("ab", ordinary=parts)


@pytest.mark.parametrize(
    "part",
    [
        pytest.param((-1, 1), id="begins before the text"),
        pytest.param((0, 3), id="ends after the text"),
        pytest.param((2, 1), id="ends before it begins"),
        pytest.param((0, 10**40), id="a huge position"),
    ],
)
def test_a_part_outside_of_the_text_is_a_value_error(part: Part) -> None:
    """A part that is not inside the text is a `ValueError` with the rule."""
    with pytest.raises(ValueError, match=r"expected 0 <= start <= end <= 2, .*, got \(") as caught:
        TOKENIZER.encode("ab", ordinary=[(0, 1), part])
    assert len(str(caught.value)) < 200
