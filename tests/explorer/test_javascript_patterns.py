"""The patterns in JavaScript cut text as `regex` does, without flags inside a pattern."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import regex

from bpetite._patterns import ALL_PATTERNS
from core.test_patterns import EACH, NASTIEST, NASTY
from texts import KANA, every_character

UNLIKE_REGEX = "\x85\ufeff\u212a a'1"
"""Whitespace that JavaScript lacks, what it has instead, a sign that is a k in any case."""

LETTERS = "sStTrReEvVmMlLdDxX\u017f\u212a"
"""Letters of contractions, in any case, and others."""

Ask = Callable[..., Any]  # the answer is JSON


@EACH
@pytest.mark.parametrize(
    ("start", "characters", "length"),
    [
        *(("", NASTY, 3), ("", KANA, 3), ("", UNLIKE_REGEX, 4), ("'", LETTERS, 3)),
        *(pytest.param("", each, 4, marks=pytest.mark.thorough) for each in (NASTY, KANA)),
        pytest.param("", NASTIEST, 5, marks=pytest.mark.thorough),
    ],
)
def test_every_short_text_is_cut_as_by_regex(
    ask: Ask, name: str, start: str, characters: str, length: int
) -> None:
    """All texts of up to three nasty characters have the chunks of `regex`; thorough: five."""
    texts = [
        start + "".join(some)
        for size in range(length + 1)
        for some in product(characters, repeat=size)
    ]
    find = regex.compile(ALL_PATTERNS[name].text).findall
    found = ask("split_all", start, characters, length, name)
    assert found == ["|".join(find(text)) for text in texts]


@pytest.mark.thorough
@EACH
def test_every_character_is_cut_as_by_regex(
    ask: Ask, drift: dict[str, frozenset[str]], name: str
) -> None:
    """Each character that both tables have in one class is cut alike beside some others."""
    unlike = frozenset().union(*drift.values())
    known = [character for character in every_character() if character not in unlike]
    text = "".join(f"a{one}'{one} 1{one}\n" for one in known)
    assert ask("split", text, name) == regex.findall(ALL_PATTERNS[name].text, text)


@pytest.mark.thorough
def test_classes_differ_only_where_one_table_is_older(
    ask: Ask, drift: dict[str, frozenset[str]]
) -> None:
    """FR-4: if Node and `regex` disagree about a character, one of them does not know it."""
    text = "".join(sorted(frozenset().union(*drift.values())))
    assert {*ask("unassigned", text), *regex.findall(r"\p{Cn}", text)} == set(text)
