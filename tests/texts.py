"""Texts, corpora and merges for Hypothesis, rich in difficult cases."""

import random
import unicodedata
from collections import defaultdict
from functools import cache

from hypothesis import strategies as st

WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
WHITESPACE += "\u200a\u2028\u2029\u202f\u205f\u3000"
SEPARATORS = "\x1c\x1d\x1e\x1f"
KANA = "aé1.字\u3040\u3099\u30fb\x00\n \u3000"
"""Characters on both sides of DeepSeek's splits, one of them unassigned."""


@cache
def every_character() -> str:
    """Return the 1,112,064 characters of Unicode, without surrogates, in order."""
    return "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


PIECES = (
    *("'s", "'ll", "'re", "'S", "'", "\u2019s", " a", "  ", "\r\n", "abc", "12", "e\u0301", "²"),
    *("Ⅷ", "日本語", "العربية", "👩‍👩‍👧", "<|endoftext|>", "<|endoftext", "endoftext|>"),
    *("<|endo<|endoftext|>", "|>", "\x00", "\ufeff"),
)


def texts_in_every_script() -> list[str]:
    """Return some 4,000 texts: 20 in each script that this Python knows.

    The first word of a character's name stands for its script.
    """
    source = random.Random(13)
    scripts = defaultdict(list)
    for character in every_character():
        if unicodedata.category(character)[0] in "LMN":
            scripts[unicodedata.name(character, "NONE").split()[0]].append(character)
    between = [" "] * 30 + [*PIECES, *WHITESPACE, *SEPARATORS]
    texts = []
    for _, characters in sorted(scripts.items()):
        for _ in range(20):
            text = ""
            for _ in range(source.randrange(1, 9)):
                text += "".join(source.choices(characters, k=source.randrange(1, 7)))
                text += "".join(source.choices(between, k=source.randrange(1, 4)))
            texts.append(text)
    return texts


_CHARACTERS_OF_EACH_PLANE = st.one_of(
    [
        st.characters(min_codepoint=first, max_codepoint=first + 0xFFFF, codec="utf-8")
        for first in range(0, 0x110000, 0x10000)
    ]
)

TEXTS = st.one_of(
    st.text(),
    st.lists(
        st.one_of(
            st.sampled_from(PIECES),
            st.sampled_from(WHITESPACE),
            st.sampled_from(SEPARATORS),
            _CHARACTERS_OF_EACH_PLANE,
        ),
        max_size=24,
    ).map("".join),
)
"""Any text: every plane of Unicode, every whitespace, special tokens whole and partial."""

ASCII_TEXTS = st.one_of(
    st.text(st.characters(max_codepoint=127)), st.text("'sdmtlverSLa1_ \n\t\x1c\x1f", max_size=40)
)

RUNS = st.lists(
    st.tuples(st.sampled_from("aabcd "), st.integers(1, 9)).map(lambda run: run[0] * run[1]),
    max_size=12,
).map("".join)
"""Runs such as "aaaabbaaa", where overlapping pairs matter."""

TIES = st.sampled_from(["a", "ab", "abc", "abcd", "ab ", "éè", "a1 "]).flatmap(
    lambda alphabet: st.text(alphabet, max_size=40)
)
"""Few letters, so that most pairs are equally frequent."""

CORPORA = st.lists(st.one_of(TIES, RUNS, TEXTS), max_size=4)


@st.composite
def merge_lists(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Return merges that a file may contain, though no training learns all of them.

    Among them are pairs listed twice, and tokens with the same bytes.
    """
    merges: list[tuple[int, int]] = []
    for new_id in range(256, 256 + draw(st.integers(0, 12))):
        earlier = st.sampled_from([*b"abc", *range(256, new_id)])
        merges.append((draw(earlier), draw(earlier)))
    return merges


TWICE = [(97, 97), (97, 98), (97, 97), (256, 256), (97, 98), (97, 97)]
TWINS = [(97, 98), (98, 99), (256, 99), (97, 257), (258, 259), (259, 258), (259, 259)]
NESTED = [(97, 97), (256, 97), (257, 97), (256, 256), (257, 257), (98, 258)]
"""Merges that no training learns: pairs listed twice, tokens with the same bytes, deep ones."""

CHUNKS = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"b", b"c", b"ab", b"ba", b"aab", b"abc"]), st.integers(1, 40)
    ),
    max_size=8,
).map(lambda runs: b"".join(piece * times for piece, times in runs))
"""Chunks of the letters of `merge_lists`, up to some hundreds of bytes long."""
