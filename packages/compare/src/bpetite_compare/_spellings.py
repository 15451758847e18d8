"""The ways in which other libraries and published files write the split patterns.

A pattern is a list of alternatives. Others write some of these alternatives differently, so each
is replaced by the one of bpetite's that matches the same, wherever it is tried. The result is one
of bpetite's patterns, or the pattern is unknown. An unknown pattern never runs.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import chain, islice
from typing import Final

from bpetite._inner import ALL_PATTERNS, Pattern

_LONGEST_SHOWN: Final = 70
_LONGEST_COMPARED: Final = 199  # difflib skips frequent characters in more than that

_ALTERNATIVES: Final = {
    # GPT-2's, as it was published and as tiktoken has it.
    r"'(?:[sdmt]|ll|ve|re)": [r"'s|'t|'re|'ve|'m|'ll|'d"],
    r" ?\p{L}+": [r" ?[\p{L}]+", r" ?\p{L}++"],
    r" ?\p{N}+": [r" ?[\p{N}]+", r" ?\p{N}++"],
    r" ?[^\s\p{L}\p{N}]+": [r" ?[^\s\p{L}\p{N}]++"],
    # GPT-4's, in versions of tiktoken, and with fewer digits in minbpe and nanochat.
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)": [r"'(?i:[sdmt]|ll|ve|re)"],
    r"[^\r\n\p{L}\p{N}]?\p{L}+": [r"[^\r\n\p{L}\p{N}]?+\p{L}+", r"[^\r\n\p{L}\p{N}]?+\p{L}++"],
    r"\p{N}{1,3}": [r"\p{N}{1,3}+"],
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": [r" ?[^\s\p{L}\p{N}]++[\r\n]*", r" ?[^\s\p{L}\p{N}]++[\r\n]*+"],
    # The tokens decide whether the last of these changes ids; see `changed_ends`.
    r"\s*[\r\n]+": [r"\s*[\r\n]", r"\s++$|\s*[\r\n]+"],
    r"\s+(?!\S)|\s+": [r"\s+(?!\S)|\s", r"\s++$|\s+(?!\S)|\s+"],
}
"""Alternatives as bpetite writes them, and as others do, in the order of replacing."""

# A token that ends with a line end and other whitespace, even with a part of its first character.
_CROSSES: Final = re.compile(rb"[\r\n][\t\v\f \xc2\xe1-\xe3][^\r\n]*\Z")

# DeepSeek V3 and V4 split at these, one after the other.
_DEEPSEEK3: Final = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
    ),
)
# Kimi's, as published: an engine without `&&` reads it as other classes.
_KIMI: Final = r"[\p{Han}]+|" + (
    ALL_PATTERNS["gpt4o"].text.replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]").replace("/", "")
)
_PUBLISHED: Final = {
    "gpt2": (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
    "deepseek3": _DEEPSEEK3,
}
_KNOWN: Final[dict[tuple[str, ...], Pattern]] = {
    **{(pattern.text,): pattern for pattern in ALL_PATTERNS.values()},
    _DEEPSEEK3: ALL_PATTERNS["deepseek3"],
    (r"\p{N}", ALL_PATTERNS["gpt2"].text): ALL_PATTERNS["starcoder"],
    (_KIMI,): ALL_PATTERNS["kimi"],
}

_IN_LLAMA_CPP: Final = {
    ("gpt2", False): "gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code "
    "roberta-bpe modern-bert gigachat a.x-4.0 mellum exaone4 mpt olmo jais trillion "
    "granite-docling",
    ("gpt4", False): "dbrx smaug-bpe chatglm-bpe",
    ("gpt4", True): "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 "
    "jina-v5-nano glm4 glm5",
    ("gpt4o", False): "gpt-4o llama4 kanana2 talkie minimax-m2",
    ("gpt4o", True): "granite-embed-multi-97m",
    ("qwen2", False): "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open "
    "grok-2 bailingmoe bailingmoe2 llada-moe",
    ("tekken", True): "tekken",
    ("deepseek3", False): "deepseek-v3 hunyuan-dense hy_v4 joyai-llm",
    ("qwen3.5", False): "qwen35",
    ("starcoder", False): "smollm starcoder refact command-r codeshell exaone minerva-7b mellum2",
    ("kimi", False): "kimi-k2",
}
"""llama.cpp's names of each pattern, and whether it looks up a whole chunk before any merge.

With some of them, it splits a few texts in another way than the models.
"""


def known_pattern(*splits: str) -> Pattern | None:
    r"""Return the pattern that finds the same chunks as these, one after the other, if it is known.

    With tiktoken's `\s++$` before `\s*[\r\n]`, they differ where a text ends with whitespace.
    """
    return _KNOWN.get((*map(_as_bpetite, splits),))


def as_published(pattern: Pattern) -> tuple[str, ...]:
    """Return patterns with the same chunks, one after the other, as the models' files have them.

    tokenizers 1.0.0rc3 has no engine for patterns, and knows these only in this spelling.
    """
    return _PUBLISHED.get(pattern.name, (pattern.text,))


def _as_bpetite(split: str) -> str:
    """Return a pattern with the alternatives written as bpetite does."""
    text = f"|{split}|"
    for ours, others in _ALTERNATIVES.items():
        for theirs in others:
            text = text.replace(f"|{theirs}|", f"|{ours}|")
    return text[1:-1]


def with_rest(split: str) -> str:
    r"""Return a pattern for all of a text from one that lacks the last alternative, `\s+`.

    Without it, a known pattern leaves single characters of whitespace. llama.cpp and the
    behavior `Isolated` make chunks of them, as `\s+` would.
    """
    whole = rf"{split}|\s+"
    return whole if known_pattern(whole) else split


def named(*splits: str) -> str:
    """Return the name of a pattern; if it is unknown, its text and the name of a similar one."""
    if pattern := known_pattern(*splits):
        return pattern.name
    text = " then ".join(map(_as_bpetite, splits))[:_LONGEST_COMPARED]
    known = {" then ".join(one): pattern.name for one, pattern in _KNOWN.items()}
    [nearest], shown = get_close_matches(text, known, 1, 0), " then ".join(splits)
    shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in shown)
    shown = shown[:_LONGEST_SHOWN] + "..." * (len(shown) > _LONGEST_SHOWN)
    return f"{shown} (spelled most like {known[nearest]})"


def changed_ends(
    splits: tuple[str, ...], tokens: Iterable[bytes], whole: Iterable[bytes]
) -> Iterator[str]:
    r"""Yield an obstacle if a token has other ids at the end of a text because of `\s++$`.

    In tiktoken, it keeps the whitespace there together, where bpetite cuts after the last line
    end. That changes ids if a token crosses the cut, or if only a whole chunk becomes a token.

    Args:
        splits: the patterns of the tokenizer, which are known.
        tokens: all tokens.
        whole: those that no merge makes.
    """
    if r"\s++$|\s*[\r\n]" in splits[0]:
        spaces = (one for one in whole if one.decode(errors="replace").isspace())
        for token in islice(chain(filter(_CROSSES.search, tokens), spaces), 1):
            yield (
                "at the end of a text, its split pattern does not cut after the last line end, "
                f"which changes the ids of its token {token!r:.40}"
            )


def in_llama_cpp(name: object) -> tuple[str | None, bool]:
    """Return the pattern with this name in llama.cpp, and whether chunks are looked up first."""
    found = (known for known, names in _IN_LLAMA_CPP.items() if name in names.split())
    return next(found, (None, False))


def llama_cpp_differs(pattern: Pattern) -> str | None:
    """Return the text for which llama.cpp's own spelling of a pattern finds other chunks.

    It spells out `(?i:'s)` as `'[sS]`. Where a pattern has marks, it knows neither these nor
    the case of letters outside ASCII.
    """
    if r"\p{M}" in pattern.text:
        return "marks, cased letters outside ASCII, or U+017F after an apostrophe"
    return "U+017F after an apostrophe" if "(?i:" in pattern.text else None
