"""Chunks: the patterns, safe boundaries, and the facts that save most of the work."""

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate, chain, pairwise, product

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite._boundaries import blocks, cut_safely
from bpetite._patterns import ALL_PATTERNS, GPT2, PATTERNS
from texts import ASCII_TEXTS, KANA, SEPARATORS, TEXTS, WHITESPACE, every_character

ASCII = [chr(code) for code in range(128)]
EACH = pytest.mark.parametrize("name", ALL_PATTERNS)
NASTY = "aAǅʰ1½'s\u017f\u0301/;。字\n\r \u3000\x1c"
"""Characters of every class that a pattern names, and some that only tools confuse."""
SPECIAL = re.compile(r"[A-Za-z0-9][!-&(-/:-@\[-`{-~]")
"""What each special token has, and no chunk."""
NASTIEST = "aA字1's\u017f\u0301/\x1c\n "


@pytest.mark.parametrize(
    "cut",
    [
        "You|'ll| see",
        "YOU|'|LL",
        "a|\n|\n|b",
        "a| \n| b",
        "a|  ",
        "a|\u3000|b",
        " \x1c!",
        "e|\u0301|t",
    ],
)
def test_text_is_cut_as_by_hand(cut: str) -> None:
    """FR-4: each text is cut where a person following the pattern cuts it."""
    assert GPT2.split(cut.replace("|", "")) == cut.split("|")


def test_whitespace_of_regex_is_25_characters() -> None:
    """`regex` counts 25 characters as whitespace; `re` and `str.isspace` count 4 more."""
    everything = every_character()
    assert "".join(regex.findall(r"\s", everything)) == WHITESPACE
    others = sorted(WHITESPACE + SEPARATORS)
    assert re.findall(r"\s", everything) == others
    assert [character for character in everything if character.isspace()] == others


@EACH
def test_short_ascii_text_is_cut_as_by_regex(name: str) -> None:
    """FR-4: after any two ASCII characters, alone and in words, `re` finds the chunks of `regex`.

    No chunk has what each special token has.
    """
    for first in ASCII:
        text = "".join(f"{first}{b} '{first}{b}\n{first}{b}{first} {b}s{first}" for b in ASCII)
        expected = regex.findall(ALL_PATTERNS[name].text, text)
        assert ALL_PATTERNS[name].split(text) == expected
        assert not any(map(SPECIAL.search, {*expected}))


def test_texts_of_patterns_never_change() -> None:
    """FR-4: the text of a pattern is in tokenizer files, so it stays as it is, byte for byte."""
    assert {name: each.text for name, each in PATTERNS.items()} == oracle.PATTERNS
    texts = {name: each.text for name, each in ALL_PATTERNS.items()}
    assert texts == oracle.PATTERNS | oracle.ONLY_VERSION_3


@lru_cache(1 << 16)
def split(name: str, part: str) -> list[str]:
    """Return the chunks of a part of a text; many texts have the same parts."""
    return ALL_PATTERNS[name].split(part)


def check_text(name: str, text: str) -> None:
    """Check the facts behind every shortcut, for one text."""
    pattern = ALL_PATTERNS[name]
    chunks = regex.findall(pattern.text, text)
    assert "".join(chunks) == text
    assert all(chunks)
    assert not any(SPECIAL.search(chunk) for chunk in chunks)
    assert pattern.split(text) == chunks
    pieces = pattern.pieces(text)
    assert "".join(pieces) == text
    assert [chunk for piece in pieces for chunk in split(name, piece)] == chunks
    assert [chunk for block in blocks(text, 1) for chunk in split(name, block)] == chunks
    assert [split(name, chunk) for chunk in chunks] == [[chunk] for chunk in chunks]


@EACH
@given(TEXTS | st.text(st.sampled_from(NASTY)) | ASCII_TEXTS)
@example("ǅ\n \n")
@example("ǅ\n/\x1c")
def test_every_pattern_keeps_the_facts(name: str, text: str) -> None:
    """FR-4, FR-5, FR-6: chunks join to the text; pieces and blocks have those of `regex`."""
    check_text(name, text)


@EACH
@pytest.mark.parametrize(
    ("characters", "length"),
    [
        pytest.param(NASTY, 3, id="nasty"),
        pytest.param(KANA, 3, id="kana"),
    ],
)
def test_every_short_text_keeps_the_facts(name: str, characters: str, length: int) -> None:
    """The same for all texts of up to three nasty characters."""
    for size in range(length + 1):
        for text in map("".join, product(characters, repeat=size)):
            check_text(name, text)


@pytest.mark.thorough
@EACH
@pytest.mark.parametrize(
    ("characters", "length"),
    [
        pytest.param(NASTY, 4, id="nasty"),
        pytest.param(KANA, 4, id="kana"),
        pytest.param(NASTIEST, 6, id="nastiest"),
    ],
)
def test_every_longer_text_keeps_the_facts(name: str, characters: str, length: int) -> None:
    """The same for longer texts; the parts of a text are shorter, so their chunks are known."""
    pattern = ALL_PATTERNS[name]
    find, pieces = regex.compile(pattern.text).findall, pattern.pieces
    known: dict[str, list[str]] = {}
    whole = set()  # texts that are one chunk
    for size in range(1, length + 1):
        for text in map("".join, product(characters, repeat=size)):
            chunks = find(text)
            assert "".join(chunks) == text
            if len(chunks) == 1:
                assert not SPECIAL.search(text)
                whole.add(text)
            assert whole.issuperset(chunks), text
            assert not text.isascii() or pattern.split(text) == chunks
            for parts in (pieces(text), [*blocks(text, 1)]):
                if parts != [text]:
                    assert [*chain.from_iterable(map(known.__getitem__, parts))] == chunks, text
            if size < length:
                known[text] = chunks


@pytest.mark.thorough
def test_chunks_with_every_character_are_counted() -> None:
    """For each of the 1,112,064 characters, counting by pieces equals counting chunks."""
    text = "".join(f"{character}\x1c {character}" for character in every_character())
    chunks = Counter(chunk for piece in GPT2.pieces(text) for chunk in GPT2.split(piece))
    assert chunks == Counter(regex.findall(oracle.PATTERN, text))


BLANK = WHITESPACE + SEPARATORS
LINES = st.text(st.sampled_from("\r\n ab1;/。字'\x1c\u2003")) | TEXTS


def safe_boundaries(text: str) -> list[int]:
    """Return the positions that the three rules allow."""
    return [place for place in range(1, len(text)) if is_safe(text, place)]


def is_safe(text: str, place: int) -> bool:
    earlier, before, after = text[: place - 1][-1:], text[place - 1], text[place]
    if after in "\r\n":
        return before.isascii() and before.isalnum()
    if after in WHITESPACE:
        return before not in BLANK
    return before in "\r\n" and earlier not in [*BLANK, ""] and after not in [*BLANK, "/"]


@given(st.lists(LINES), st.integers(1, 12))
@example(["a\n b"], 1)
@example(["。\n字"], 1)
@example(["/\n/x"], 1)
@example(["ab \x1c \x1c  c"], 1)
@example(["a\u2003\x1f\u2003b"], 1)
def test_text_is_cut_at_safe_boundaries(texts: list[str], size: int) -> None:
    """Cut at a safe boundary, a text keeps its chunks; a block ends at the first one it can.

    All parts but the last end at safe boundaries, join to the text, and are not empty.
    """
    text = "".join(texts)
    expected = oracle.chunks_of(text)
    ends = [0]
    for place in safe_boundaries(text):
        assert oracle.chunks_of(text[:place]) + oracle.chunks_of(text[place:]) == expected
        if place >= ends[-1] + size:
            ends.append(place)
    found = [text[start:end] for start, end in pairwise([*ends, len(text)]) if start < end]
    assert list(blocks(text, size)) == found
    parts = list(cut_safely(filter(None, texts)))
    assert "".join(parts) == text
    assert all(parts)
    assert {*accumulate(map(len, parts[:-1]))} <= {*safe_boundaries(text)}


@pytest.mark.parametrize("text", ["a", " ", "\x1c ", "日", ";\n/"])
def test_text_without_a_safe_boundary_is_one_block(text: str) -> None:
    """Without a safe boundary, a block continues to the end of the text."""
    text *= 2000
    assert list(blocks(text, 10)) == [text]
    assert list(cut_safely([text, text])) == [text + text]


@pytest.mark.parametrize("line", ["a b", "a\t", "字。\n", "x\r", "a\u3000"])
def test_a_long_text_is_never_whole_in_memory(line: str) -> None:
    """With boundaries in it, the parts of a text are about as long as the parts that are read."""
    assert max(map(len, cut_safely([line * 100] * 9))) < len(line) * 102
