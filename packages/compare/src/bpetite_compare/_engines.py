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

_CLASSES: Final = (r"\p{L}", r"\p{N}", r"\s")
"""The classes of characters in GPT-2's pattern."""


@cache
def drift() -> frozenset[str]:
    """Return the characters that the engines classify differently. Takes about 0.3 s, once."""
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    return frozenset().union(
        *(_found_by_regex(name, text) ^ _found_by_tiktoken(name, text) for name in _CLASSES)
    )


def _found_by_regex(pattern: str, text: str) -> frozenset[str]:
    return frozenset(regex.findall(pattern, text))


def _found_by_tiktoken(pattern: str, text: str) -> frozenset[str]:
    """Return what tiktoken's engine finds.

    An encoding whose only tokens are the 256 bytes returns the bytes of everything its
    pattern matches, and drops the rest.
    """
    ranks = {bytes([value]): value for value in range(256)}
    finder = tiktoken.Encoding("finder", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return frozenset(bytes(finder.encode_ordinary(text)).decode("utf-8"))
