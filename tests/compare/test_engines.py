"""The two engines' Unicode tables, and the spellings of GPT-2's pattern."""

import pytest
import regex
from hypothesis import given

import oracle
from artifacts import GOOD
from bpetite._patterns import GPT2
from bpetite_compare._engines import _found_by_regex, _found_by_tiktoken, drift
from bpetite_compare._spellings import _SPELLINGS
from texts import TEXTS, every_character


def test_the_pattern_equals_the_artifacts() -> None:
    """GPT-2's pattern here is the artifact's, letter for letter."""
    assert GOOD["pretokenizer_pattern"] == oracle.PATTERN == GPT2.text


@given(TEXTS)
def test_pattern_variants_give_equal_chunks(text: str) -> None:
    """Every known spelling of a pattern gives the same chunks, also several splits in turn."""
    for splits, pattern in _SPELLINGS.items():
        chunks = [text]
        for split in splits:
            parts = (regex.split(f"({split})", chunk) for chunk in chunks)
            chunks = [part for several in parts for part in several if part]
        assert chunks == pattern.split(text)


def test_the_engines_disagree_on_some_characters() -> None:
    """The engines classify thousands of characters differently, but no ASCII and no whitespace."""
    assert 0 < len(drift()) < 0x110000 // 10
    assert not any(character.isascii() for character in drift())
    assert _found_by_regex(r"\s", every_character()) == _found_by_tiktoken(r"\s", every_character())
    assert len(_found_by_regex(r"\s", every_character())) == 25


@pytest.mark.thorough
def test_differences_are_new_in_unicode() -> None:
    """`regex` knows every character on which they differ, and tiktoken does not."""
    for name in (r"\p{L}", r"\p{N}"):
        theirs = _found_by_tiktoken(name, every_character())
        assert theirs < _found_by_regex(name, every_character())
