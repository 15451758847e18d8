"""Split patterns as others write them: equal to one of bpetite's, nearly equal, and different.

From tiktoken, minbpe, nanochat, gigatoken, files of models, and llama.cpp.
"""

from typing import Final

from compare_tools import SPLIT_PATTERNS

_GPT2, _GPT4 = SPLIT_PATTERNS["gpt2"], SPLIT_PATTERNS["gpt4"]
_GPT4O, _TEKKEN = SPLIT_PATTERNS["gpt4o"], SPLIT_PATTERNS["tekken"]
Splits = tuple[str, ...]
"""Patterns that split text, one after the other."""

_CHINESE_AND_KANA: Final = "一-龥\u3040-\u309f\u30a0-ヿ"
DEEPSEEK3: Final = (
    r"\p{N}{1,3}",
    f"[{_CHINESE_AND_KANA}]+",
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
    ),
)
_SPELLED_OUT: Final = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_GPT2_IN_LLAMA_CPP: Final = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
)


def _minbpe(digits: str) -> str:
    return (
        rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}+|\p{{N}}{digits}"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    )


def _tiktoken(digits: str, last: str = r"\s") -> str:
    return (
        rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}++|\p{{N}}{digits}"
        rf"| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|{last}"
    )


SPELLINGS: Final[dict[str, tuple[str, Splits]]] = {
    **{f"{name} in bpetite": (name, (text,)) for name, text in SPLIT_PATTERNS.items()},
    "gpt2 as published": (
        "gpt2",
        (r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
    ),
    "gpt2 in models": ("gpt2", (_GPT2_IN_LLAMA_CPP + r"|\s+",)),
    "gpt2 in minbpe and gigatoken": (
        "gpt2",
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
    ),
    "gpt2 in tiktoken": (
        "gpt2",
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",),
    ),
    "gpt4 in minbpe": ("gpt4", (_minbpe("{1,3}"),)),
    "gpt4 in gigatoken": ("gpt4", (_GPT4.replace(r"[\r\n]+", r"[\r\n]"),)),
    "qwen2 in Ling": ("qwen2", (_minbpe(""),)),
    "nanochat in nanochat": ("nanochat", (_minbpe("{1,2}"),)),
    "deepseek3 in models, llama.cpp and gigatoken": ("deepseek3", DEEPSEEK3),
}
"""Spellings that find the same chunks in each text, and the name of bpetite's pattern."""

ONLY_ISOLATED: Final = {"gpt2 in llama.cpp": ("gpt2", (_GPT2_IN_LLAMA_CPP,))}
"""The same if what has no match is a chunk, as in llama.cpp and with the behavior `Isolated`."""

EXCEPT_AT_THE_END: Final[dict[str, tuple[str, Splits]]] = {
    "gpt4 in models": ("gpt4", (_tiktoken("{1,3}"),)),
    "gpt4 in gigatoken, without +": ("gpt4", (_tiktoken("{1,3}", r"\s+"),)),
    "qwen2, like gpt4 in tiktoken": ("qwen2", (_tiktoken(""),)),
    "nanochat, like gpt4 in tiktoken": ("nanochat", (_tiktoken("{1,2}"),)),
}
"""The same, except where a text ends with a line end and other whitespace."""

ONLY_IN_TIKTOKEN: Final[dict[str, tuple[str, Splits]]] = {
    "gpt4 in tiktoken": ("gpt4", (_tiktoken("{1,3}+"),)),
    "gpt4 in gigatoken, with +": ("gpt4", (_tiktoken("{1,3}+", r"\s+"),)),
}
"""The same, except there; `{1,3}+` is possessive for tiktoken and `regex`, not for tokenizers."""

DIFFERENT: Final[dict[str, tuple[str, Splits, str]]] = {
    "gpt4 in llama.cpp": (
        "gpt4",
        (_GPT4.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", _SPELLED_OUT),),
        "'\u017fa",
    ),
    "tekken in llama.cpp": (
        "tekken",
        (
            _TEKKEN.replace(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^a-z]))").replace(
                r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^A-Z]))"
            ),
        ),
        "e\u0301",
    ),
    "MiniCPM 5": (
        "qwen2",
        (r"\p{N}{1,3}", _GPT4.replace("{1,3}", "+")),
        "  1",
    ),
    "Ufakzeka": ("qwen2", (SPLIT_PATTERNS["qwen2"].partition(")|")[2],), "'sa"),
    "StarCoder, SmolLM, Command R and others": ("gpt2", (r"\p{N}", _GPT2_IN_LLAMA_CPP), "12"),
    "Bloom, Poro": ("gpt2", (" ?[^(\\s|.,!?…。，、।۔،)]+",), "a's"),  # noqa: RUF001
    "Gemma 4, Sarvam": ("gpt2", (r"[^\n]+|[\n]+",), "a b"),
    "DeepSeek Coder": (
        "deepseek3",
        ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}"),
        "12",
    ),
    "Kimi K2": (
        "gpt4o",
        (
            "[\\p{Han}]+|"
            + _GPT4O.replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]").replace("[\\r\\n/]", "[\\r\\n]"),
        ),
        "!\n/",
    ),
}
"""A pattern of bpetite's with a similar text, other patterns, and a text that they cut apart."""

NEARLY: Final[dict[str, tuple[str, Splits, str]]] = {
    "gpt2 without 'd": ("gpt2", (_GPT2.replace("d", ""),), "'d"),
    "gpt2 without a space before numbers": (
        "gpt2",
        (_GPT2.replace(r" ?\p{N}", r"\p{N}"),),
        " 1",
    ),
    "gpt2 with possessive whitespace": (
        "gpt2",
        (_GPT2.replace(r"\s+(", r"\s++("),),
        "  a",
    ),
    "gpt2 with single digits": (
        "gpt2",
        (_GPT2.replace(r"\p{N}+", r"\p{N}"),),
        "11",
    ),
    "gpt4 with up to 4 digits": (
        "gpt4",
        (_GPT4.replace("{1,3}", "{1,4}"),),
        "1111",
    ),
    "gpt4 without capitals in 's": ("gpt4", (_minbpe("{1,3}").replace("?i:", "?:"),), "'Sa"),
    "gpt4 with one line end after punctuation": (
        "gpt4",
        (_GPT4.replace(r"[\r\n]*", r"[\r\n]?"),),
        "!\n\n",
    ),
    "gpt4 with possessive lines": (
        "gpt4",
        (_GPT4.replace(r"\s*[", r"\s*+["),),
        " \na",
    ),
    "gpt4 with the end of each line": (
        "gpt4",
        (_GPT4.replace(r"|\s*", r"|(?m:\s+$)|\s*"),),
        "\n\na",
    ),
    "nanochat with line ends first": (
        "nanochat",
        (_minbpe("{1,2}").replace(r"\s*[\r\n]", r"[\r\n]"),),
        " \na",
    ),
    "gpt4o with possessive capitals": (
        "gpt4o",
        (_GPT4O.replace("]*[", "]*+["),),
        "A字B",
    ),
    "qwen3.5 with marks in punctuation": (
        "qwen3.5",
        (SPLIT_PATTERNS["qwen3.5"].replace(r"[^\s\p{L}\p{M}", r"[^\s\p{L}"),),
        "!!\u0301",
    ),
    "deepseek3 without katakana": (
        "deepseek3",
        (DEEPSEEK3[0], "[一-龥\u3040-ゟ]+", DEEPSEEK3[2]),
        "アあ",
    ),
    "deepseek3 in another order": ("deepseek3", (*DEEPSEEK3[1:], DEEPSEEK3[0]), "  1"),
    "tekken without /": (
        "tekken",
        (_TEKKEN.replace(r"[\r\n/]", r"[\r\n]"),),
        "!\n/",
    ),
}
"""The same, where one quantifier, letter or alternative differs."""
