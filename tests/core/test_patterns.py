"""Chunks: the pattern, and the facts that save most of its work."""

import copy
import pickle
import re
from collections import Counter
from itertools import product

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import oracle
from bpetite._constants import PRETOKENIZER_PATTERN
from bpetite._corpus import count_chunks
from bpetite._patterns import GPT2
from bpetite._pretokenizer import pretokenize
from texts import ASCII_TEXTS, SEPARATORS, TEXTS, WHITESPACE, every_character

ASCII = [chr(code) for code in range(128)]


def test_pattern_matches_the_specification() -> None:
    """FR-4: the pattern is GPT-2's, character for character."""
    expected = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
    assert expected == PRETOKENIZER_PATTERN


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        *(("", []), ("Hello world", ["Hello", " world"]), ("You'll see", ["You", "'ll", " see"])),
        *(("YOU'LL", ["YOU", "'", "LL"]), ("it's've", ["it", "'s", "'ve"])),
        *(("a  b", ["a", " ", " b"]), ("a\n\nb", ["a", "\n", "\n", "b"])),
        *(("a \n b", ["a", " \n", " b"]), ("  ", ["  "]), ("a  ", ["a", "  "])),
        *(("x1y", ["x", "1", "y"]), (" 12 ٣٤", [" 12", " ٣٤"]), ("a\tb", ["a", "\t", "b"])),
        *(("a\u3000b", ["a", "\u3000", "b"]), ("a\x1cb", ["a", "\x1c", "b"])),
        *((" \x1c!", [" \x1c!"]), ("<|endoftext|>", ["<|", "endoftext", "|>"])),
        *(("e\u0301t", ["e", "\u0301", "t"]), ("日本 語", ["日本", " 語"]), ("ab👍", ["ab", "👍"])),
    ],
)
def test_text_is_cut_as_by_hand(text: str, chunks: list[str]) -> None:
    """FR-4: each text is cut where a person following the pattern cuts it."""
    assert pretokenize(text) == [chunk.encode("utf-8") for chunk in chunks]


@given(st.one_of(TEXTS, ASCII_TEXTS))
def test_chunks_are_the_matches_of_the_pattern(text: str) -> None:
    """FR-4: the chunks of any text are the matches of the pattern in `regex`."""
    assert pretokenize(text) == oracle.chunks_of(text)


@given(TEXTS)
def test_chunks_join_to_the_text(text: str) -> None:
    """FR-5, FR-6: no chunk is empty, and joined in order they are the unchanged text."""
    chunks = pretokenize(text)
    assert b"".join(chunks) == text.encode("utf-8")
    assert all(chunks)


def test_lone_surrogates_raise() -> None:
    """A lone surrogate has no UTF-8, so it raises `UnicodeEncodeError`."""
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        pretokenize("ab \ud800")


def test_whitespace_of_regex_is_25_characters() -> None:
    """`regex` counts 25 characters as whitespace; `re` and `str.isspace` count 4 more."""
    everything = every_character()
    assert "".join(regex.findall(r"\s", everything)) == WHITESPACE
    others = sorted(WHITESPACE + SEPARATORS)
    assert re.findall(r"\s", everything) == others
    assert [character for character in everything if character.isspace()] == others


@pytest.mark.parametrize(
    ("name", "members"), [(r"\p{L}", r"[A-Za-z]"), (r"\p{N}", r"[0-9]"), (r"\s", r"[\t\n\v\f\r ]")]
)
def test_ascii_classes_match_regex(name: str, members: str) -> None:
    """On all 128 ASCII characters, each class of `regex` equals its replacement."""
    assert [c for c in ASCII if regex.match(name, c)] == [c for c in ASCII if re.match(members, c)]


@pytest.mark.parametrize("shape", ["{0}", "{0}{1}", "{0} {1}", "'{0}{1}", "{0}{1} ", "\n{0}{1}{0}"])
def test_short_ascii_text_is_cut_as_by_regex(shape: str) -> None:
    """FR-4: for any two ASCII characters, in each shape, `re` finds the chunks of `regex`."""
    texts = [shape.format(first, second) for first, second in product(ASCII, repeat=2)]
    assert [GPT2.split(text) for text in texts] == [regex.findall(oracle.PATTERN, t) for t in texts]


@given(TEXTS)
def test_chunks_of_a_text_are_the_chunks_of_its_pieces(text: str) -> None:
    """Pieces join to the text, with its chunks; and a chunk alone is one chunk."""
    pieces = GPT2.pieces(text)
    assert "".join(pieces) == text
    assert all(pieces)
    chunks = GPT2.split(text)
    assert [chunk for piece in pieces for chunk in GPT2.split(piece)] == chunks
    assert [GPT2.split(chunk) for chunk in chunks] == [[chunk] for chunk in chunks]


@pytest.mark.thorough
def test_chunks_with_every_character_are_counted() -> None:
    """For each of the 1,112,064 characters, counting by pieces equals counting chunks."""
    text = "".join(f"{character}\x1c {character}" for character in every_character())
    counted = count_chunks(Counter(GPT2.pieces(text)), GPT2)
    assert counted == Counter(regex.findall(oracle.PATTERN, text))


def test_a_pattern_is_copied_by_name() -> None:
    """A pattern is the same object in a copy, and in another process."""
    assert copy.deepcopy(GPT2) is GPT2
    assert pickle.loads(pickle.dumps(GPT2)) is GPT2  # noqa: S301 - our own bytes
