"""Nine special tokens and nasty texts, on which tokenizers with the same data might differ."""

from functools import cache
from random import Random
from typing import Final

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import _engines

NINE: Final = (
    "<|user|>",
    "[INST]",
    "<|endoftext|>",
    "</s>",
    "<s>",
    "<x<s>y1>",
    "s>x1>",
    "1|\u00e9\u65e5",
    "\x1ca1!",
)
"""Special tokens inside others, and overlapping others; one that is not ASCII, one with U+001C."""

_BEGINNINGS: Final = sorted({name[:size] for name in NINE for size in (1, 2, len(name) - 1)})
_CHARACTERS: Final = (
    "aA1/!_' \t\n\r\xa0\u3000\x85\u2028\x1c\x1f\x00\ufeff\u017f\u0301\u0903\u20e3\u01c5\u02b0\u0295"
    "\u2167\xbd\u0663\u096a\xe9\xc9\xdf\u0130\u65e5\u3002\ud55c\u0416\u0436\U0010ffff"
)
_WORDS: Final = ["the", " The", "Z\u0301", "22", "333", ";\n", "  ", "\r\n", "\U0001f44d\u200d"]
_CONTRACTIONS: Final = ["'s", "'S", "'\u017f", "'LL", "'Ve", "\u2019s", "'re", "s'"]


def drift(pattern: str = "gpt2") -> frozenset[str]:
    """Return the characters that two engines put into different classes of a pattern."""
    return _engines.drift(ALL_PATTERNS[pattern])


@cache
def nasty_texts(number: int) -> list[str]:
    """Return random texts of characters of all classes and special tokens, whole and in part."""
    source = Random(33)
    newest = min(drift())
    parts = [*[*_CHARACTERS, *_WORDS, *_CONTRACTIONS] * 2, newest, newest, *NINE * 2, *_BEGINNINGS]
    return ["".join(source.choices(parts, k=source.randrange(1, 14))) for _ in range(number)]


@cache
def trained(name: str, *special_tokens: str) -> Tokenizer:
    """Return a tokenizer that has merged most chunks of nasty texts, so any other cut shows."""
    return Tokenizer.train(nasty_texts(1500), 6000, pattern=name, special_tokens=special_tokens)


def alike(name: str, number: int) -> list[str]:
    """Return texts without characters that two engines put into different classes."""
    texts = [text for text in nasty_texts(number) if drift(name).isdisjoint(text)]
    assert number * 0.8 < len(texts) < number
    return texts
