"""The code points that two regex engines put into different classes.

`regex`, which bpetite uses, and the engine inside tiktoken have the tables of different
versions of Unicode. A character that was added between them is a letter to one and
unassigned to the other, so the same pattern splits text differently there. That is not a
difference between the tokenizers, so it has to be recognized.

There is no list: both engines run over all code points.
"""

from functools import cache
from typing import Final

import regex
import tiktoken

__all__ = ["drift"]

_CLASSES: Final = (r"\p{L}", r"\p{N}", r"\s")
"""The classes of characters in GPT-2's pattern."""


@cache
def drift() -> frozenset[str]:
    """Return the characters that stand in different classes. It takes about 0.3 s, once."""
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    return frozenset().union(
        *(_found_by_regex(name, text) ^ _found_by_tiktoken(name, text) for name in _CLASSES)
    )


def _found_by_regex(pattern: str, text: str) -> frozenset[str]:
    return frozenset(regex.findall(pattern, text))


def _found_by_tiktoken(pattern: str, text: str) -> frozenset[str]:
    """Return what the engine of tiktoken finds.

    An encoding whose tokens are the 256 bytes gives the bytes of all that its pattern
    finds, and leaves out the rest.
    """
    ranks = {bytes([value]): value for value in range(256)}
    finder = tiktoken.Encoding("finder", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return frozenset(bytes(finder.encode_ordinary(text)).decode("utf-8"))
