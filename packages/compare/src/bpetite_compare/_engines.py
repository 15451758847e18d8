"""The code points that two regex engines classify differently.

bpetite uses `regex`; tiktoken has an engine of its own. Their tables come from different
versions of Unicode. A character added in between is a letter in one and unassigned in the
other, so the same pattern splits text differently there. The tokenizers themselves do not
differ.

Both engines run over all code points, so there is no list to maintain.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

import regex
import tiktoken

from bpetite._inner import PATTERNS, Pattern

_CLASS: Final = regex.compile(r"\\p\{\w+\}|\\s")


@cache
def drift(pattern: Pattern = PATTERNS["gpt2"]) -> frozenset[str]:
    """Return the characters that the engines put into different classes of a pattern.

    Each class takes about 0.1 s, once.
    """
    return frozenset().union(*map(_drift_of, _CLASS.findall(pattern.text)))


def differing(pattern: Pattern, characters: Iterable[str]) -> frozenset[str]:
    """Return which of some characters they put into different classes; no surrogate is one."""
    text = "".join(characters)
    return frozenset().union(*(_differing(name, text) for name in {*_CLASS.findall(pattern.text)}))


@cache
def _drift_of(name: str) -> frozenset[str]:
    return _differing(name, "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)])))


def _differing(name: str, text: str) -> frozenset[str]:
    return frozenset(regex.findall(name, text)) ^ frozenset(_found_by_tiktoken(name, text))


def _found_by_tiktoken(pattern: str, text: str) -> str:
    """Return what tiktoken's engine finds.

    An encoding whose only tokens are the 256 bytes returns the bytes of everything its
    pattern matches, and drops the rest.
    """
    return bytes(_finder(pattern).encode_ordinary(text)).decode("utf-8")


@cache
def _finder(pattern: str) -> tiktoken.Encoding:
    ranks = {bytes([value]): value for value in range(256)}
    return tiktoken.Encoding("finder", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
