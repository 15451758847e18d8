"""The code points that two regex engines classify differently.

bpetite uses `regex`; tiktoken has an engine of its own. Their tables come from different
versions of Unicode. A character added in between is a letter in one and unassigned in the
other, so the same pattern splits text differently there. The tokenizers themselves do not
differ.

Both engines run over all code points, so there is no list to maintain.
"""

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
    return frozenset().union(*map(_differing, _CLASS.findall(pattern.text)))


@cache
def _differing(name: str) -> frozenset[str]:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    return frozenset(regex.findall(name, text)) ^ _found_by_tiktoken(name, text)


def _found_by_tiktoken(pattern: str, text: str) -> frozenset[str]:
    """Return what tiktoken's engine finds.

    An encoding whose only tokens are the 256 bytes returns the bytes of everything its
    pattern matches, and drops the rest.
    """
    ranks = {bytes([value]): value for value in range(256)}
    finder = tiktoken.Encoding("finder", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return frozenset(bytes(finder.encode_ordinary(text)).decode("utf-8"))
