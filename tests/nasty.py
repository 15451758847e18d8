"""Nine special tokens and nasty texts, on which tokenizers with the same data might differ."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import regex

from artifacts import content_of
from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import _engines
from compare_tools import FOR_TRAINING, SPLIT_PATTERNS, write_tokenizer

if TYPE_CHECKING:
    from bpetite_compare.reference import Pair

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

OWN: Final = "ids of its own"
KINDS: Final[dict[str, Sequence[str]]] = {"nine special tokens": NINE, "none": ()}

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


def saved(kind: str, name: str, to: str, path: Path) -> Tokenizer:
    """Write the file of a trained tokenizer of a kind.

    Of its own are other ids, with gaps, and tokens for whole chunks. The special tokens have the
    lowest id, the highest one, and some between. The other ids are in any order, or for tiktoken in
    that of the merges but for a few that are too low.
    """
    trained_with = name if name in FOR_TRAINING else "gpt4o"
    tokenizer = trained(trained_with, *KINDS.get(kind, NINE))
    if kind != OWN:
        tokenizer.save(path)
        return tokenizer
    merges: list[Pair] = [(left, right) for left, right in content_of(tokenizer)["merges"]]
    alone = Tokenizer.load(write_tokenizer(path, merges, special={}, pattern=name))
    texts = "".join(alike(trained_with, 5200))
    chunks = sorted({*regex.findall(SPLIT_PATTERNS[name], texts)})
    odd = [] if to == "gpt2" else [one for one in chunks if len(alone.encode(one)) > 2][::3]
    source, count = Random(35), 256 + len(merges) + len(odd)
    ids = sorted(source.sample(range(count + 59), count + 9))
    places = (-1, 1000, 700, 500, 300, 100, 10, 1, 0)
    special = {token: ids.pop(place) for token, place in zip(NINE, places, strict=True)}
    if to != "tiktoken":
        source.shuffle(ids)
    whole_ids = sorted(ids.pop(source.randrange(1000, len(ids))) for _ in odd)
    for rank in range(1, 600 if to == "tiktoken" else 0):
        new, onto = 256 + rank, merges[rank + 1]
        if new in onto and {*merges[rank]}.isdisjoint(onto) and ids[new - 1] < ids[new]:
            ids[new], ids[new + 1] = ids[new + 1], ids[new]
    whole = map(str.encode, odd)
    return Tokenizer.load(write_tokenizer(path, merges, whole, special, [*ids, *whole_ids], name))
