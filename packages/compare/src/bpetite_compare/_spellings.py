"""The ways in which other libraries and published files write the split patterns."""

from typing import Final

from bpetite._patterns import ALL_PATTERNS, GPT2, Pattern

INSTEAD: Final = "use its own library"
"""For a tokenizer that a tokenizer file cannot represent."""

_OTHER_SPELLINGS: Final = {
    # As it was published with GPT-2.
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    # As tiktoken has it for gpt2, r50k_base and p50k_base, and GPT-4's for cl100k_base.
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s": "gpt4",
}
# DeepSeek V3 and V4 split at these, one after the other.
_DEEPSEEK3: Final = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
    ),
)
_SPELLINGS: Final[dict[tuple[str, ...], Pattern]] = {
    **{(pattern.text,): pattern for pattern in ALL_PATTERNS.values()},
    **{(text,): ALL_PATTERNS[name] for text, name in _OTHER_SPELLINGS.items()},
    _DEEPSEEK3: ALL_PATTERNS["deepseek3"],
}


def pattern_of_splits(splits: tuple[str, ...]) -> Pattern:
    """Return the pattern that finds the same chunks as these, one after the other.

    Raises:
        ValueError: it is unknown.
    """
    if splits not in _SPELLINGS:
        known = ", ".join(ALL_PATTERNS)
        raise ValueError(f"its split pattern is none that bpetite has: {known}; {INSTEAD}")
    return _SPELLINGS[splits]


def is_gpt2_pattern(pattern: str) -> bool:
    """Return whether a pattern is one of the known spellings of GPT-2's."""
    return _SPELLINGS.get((pattern,)) is GPT2


def llama_cpp_differs(pattern: Pattern) -> str | None:
    """Return the text for which llama.cpp's own spelling of a pattern finds other chunks.

    It spells out `(?i:'s)` as `'[sS]`. Where a pattern has marks, it knows neither these nor
    the case of letters outside ASCII.
    """
    if r"\p{M}" in pattern.text:
        return "marks, cased letters outside ASCII, or U+017F after an apostrophe"
    return "U+017F after an apostrophe" if "(?i:" in pattern.text else None
