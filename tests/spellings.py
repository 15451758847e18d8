"""Split patterns as others write them: equal to one of bpetite's, nearly equal, and different.

From tiktoken, minbpe, nanochat, gigatoken, files of models, and llama.cpp's table, whose patterns
are made for its own engine: each that differs is here with a text that shows it.
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
_IN_LLAMA_CPP: Final = {
    name: text.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", _SPELLED_OUT)
    for name, text in SPLIT_PATTERNS.items()
}
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
    # llama.cpp's table, but for DeepSeek LLM, for which it lists all letters of some scripts.
    **{
        f"{name} in llama.cpp": (name, (_IN_LLAMA_CPP[name],), "'\u017fa")
        for name in ("gpt4", "qwen2", "qwen3.5")
    },
    "gpt4o in llama.cpp": (
        "gpt4o",
        (
            _IN_LLAMA_CPP["gpt4o"]
            .replace(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^a-z]))")
            .replace(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^A-Z]))"),
        ),
        "e\u0301",
    ),
    "gpt4o in llama.cpp, for Granite's embeddings": (
        "gpt4o",
        (
            _IN_LLAMA_CPP["gpt4o"]
            .replace(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}\p{M}])([^a-z]))")
            .replace(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}\p{M}])([^A-Z]))"),
        ),
        "éA",
    ),
    "gpt4o in llama.cpp, for Tiny Aya": (
        "gpt4o",
        (r"\d{1,3}(?=(?:\d{3})*\b)", _IN_LLAMA_CPP["gpt4o"]),
        "1234",
    ),
    "gpt4o in llama.cpp, for Youtu": (
        "gpt4o",
        (
            "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥\u3040-\u309f\u30a0-ヿ]+",  # noqa: RUF001
            _IN_LLAMA_CPP["gpt4o"].replace("{1,3}", ""),
        ),
        "12",
    ),
    "tekken in llama.cpp": (
        "tekken",
        (
            SPLIT_PATTERNS["tekken"]
            .replace(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^a-z]))")
            .replace(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"((?=[\p{L}])([^A-Z]))"),
        ),
        "e\u0301",
    ),
    "Jais 2": (
        "gpt4",
        (
            SPLIT_PATTERNS["gpt4"].removesuffix(r"\s+(?!\S)|\s+")
            + r"\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)"
            r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}",
        ),
        "   ",
    ),
    "MiniCPM 5": ("qwen2", (r"\p{N}{1,3}", SPLIT_PATTERNS["gpt4"].replace("{1,3}", "+")), "  1"),
    "Ling in llama.cpp": (
        "qwen2",
        (
            (
                r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
                r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        ),
        "'\u017fa",
    ),
    "Seed-Coder": (
        "gpt4",
        (
            (
                "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}"
                "| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
            ),
        ),
        "!\n",
    ),
    "Ufakzeka": ("qwen2", (SPLIT_PATTERNS["qwen2"].partition(")|")[2],), "'sa"),
    "Laguna": ("qwen2", (r"[^\n]+|[\n]+", _IN_LLAMA_CPP["qwen2"]), "!\n"),
    "K-EXAONE": (
        "qwen2",
        (
            (
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+"
                r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        ),
        "a a",
    ),
    "StarCoder, SmolLM, Command R and others": ("gpt2", (r"\p{N}", _GPT2_IN_LLAMA_CPP), "12"),
    "Falcon": (
        "gpt2",
        (r"[\p{P}\$\+<=>\^~\|`]+", _GPT2_IN_LLAMA_CPP, "[0-9][0-9][0-9]"),
        "'s",
    ),
    "llama.cpp's default": (
        "gpt2",
        (r"[\p{P}\$\+<=>\^~\|]+", _GPT2_IN_LLAMA_CPP, r"\p{N}+", "[0-9][0-9][0-9]"),
        "'s",
    ),
    "Chameleon": (
        "gpt2",
        (
            *("<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", r"([\t\n]|    |  )"),
            *(r"\p{N}", r"[\p{P}!-/:-@\[-`{-~]", _GPT2_IN_LLAMA_CPP),
        ),
        "12",
    ),
    "Bloom, Poro": ("gpt2", (" ?[^(\\s|.,!?…。，、।۔،)]+",), "a's"),  # noqa: RUF001
    "Viking": ("gpt2", (" ?[^(\\s|.,!?…。，、।۔،)]+", r"\p{N}"), "12"),  # noqa: RUF001
    "SuperBPE": ("gpt2", (r"\p{N}+", r"(?=(\d{3})+(?!\d))"), "a b"),
    "Gemma 4, Sarvam": ("gpt2", (r"[^\n]+|[\n]+",), "a b"),
    "Jina for Chinese": ("gpt2", (r"\S+",), " a"),
    "DeepSeek Coder": (
        "deepseek3",
        ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}"),
        "12",
    ),
    "Spark 2.5": (
        "deepseek3",
        (
            *DEEPSEEK3[:2],
            DEEPSEEK3[2].replace("[\r\n]*|\\s*[\r\n]+", "|[\r\n]"),
            r"\p{N}",
        ),
        "12",
    ),
    "AFMoE": (
        "deepseek3",
        (
            r"\p{N}{1,3}",
            "[一-鿿㐀-䶿豈-\ufaff\u3040-\u309f\u30a0-ヿ･-ﾟ⼀-\u2fdf\u0e40-\u0e7f\u0e80-\u0effក-\u17ff]+",
            DEEPSEEK3[2].replace("\r", r"\r").replace("\n", r"\n"),
        ),
        "ກa",
    ),
    "Kimi K2": (
        "gpt4o",
        (
            "[\\p{Han}]+|"
            + SPLIT_PATTERNS["gpt4o"]
            .replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]")
            .replace("[\\r\\n/]", "[\\r\\n]"),
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
