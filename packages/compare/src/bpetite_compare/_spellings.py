"""The ways in which other libraries and published files write the split patterns."""

from typing import Final

from bpetite._patterns import GPT2, Pattern

_SAME_PATTERNS: Final = frozenset(
    {
        GPT2.text,
        # As it was published with GPT-2.
        r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""",
        r"""'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""",
        # As tiktoken has it for gpt2, r50k_base and p50k_base.
        r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    }
)


def is_gpt2_pattern(pattern: str) -> bool:
    """Return whether a pattern is one of the known spellings of GPT-2's."""
    return pattern in _SAME_PATTERNS


def llama_cpp_differs(pattern: Pattern) -> str | None:
    """Return the text for which llama.cpp's own spelling of a pattern finds other chunks.

    It spells out `(?i:'s)` as `'[sS]`. Where a pattern has marks, it knows neither these nor
    the case of letters outside ASCII.
    """
    if r"\p{M}" in pattern.text:
        return "marks, cased letters outside ASCII, or U+017F after an apostrophe"
    return "U+017F after an apostrophe" if "(?i:" in pattern.text else None
