r"""The split patterns, which cut text into chunks; no merge crosses a chunk.

Glossary
    chunk  one match of a pattern, also called a pre-token: " the", "'ll", "\n\n"
    piece  a part of a text that ends where a chunk ends, one chunk or a few

Every character is part of a match, so the chunks of a text join to the text. Matching is
slow, so there are two shortcuts. Each relies on a fact that `tests/core/test_patterns.py`
checks against the pattern itself, as `regex` reads it:

    ASCII   On ASCII text each class of `regex` is a set of characters, such as `[A-Za-z]`
            for `\p{L}`. So the standard library's `re`, twice as fast, finds the same chunks.
    Pieces  The chunks of a text are the chunks of its pieces. Pieces repeat nearly as often
            as chunks do, and finding them takes a fraction of the time. So counting splits
            each distinct piece once.

Not here: blocks, which end where every pattern cuts (`_boundaries`); the ids of chunks and
special tokens (`_encoder`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import regex

from bpetite._constants import PRETOKENIZER_PATTERN

# In `re`, `\s` includes U+001C to U+001F; in `regex`, these match like punctuation.
_BLANK: Final = r"[^\S\x1c-\x1f]"
_OTHER: Final = r"[\S\x1c-\x1f]"

# Whitespace and what follows it, up to a safe boundary. CR or LF may belong to the punctuation
# before it, so the piece goes on if whitespace or `/` follows, and otherwise ends after it.
_COMMON_PIECE: Final = (
    rf"{_BLANK}*+{_OTHER}++(?:(?<![A-Za-z0-9])[\r\n](?=[\s/]){_BLANK}*+{_OTHER}*+)*+"
    rf"(?:(?<![A-Za-z0-9])[\r\n](?![\s/]))?+|{_BLANK}++"
)
_IN_ASCII: Final = {
    "L": "A-Za-z",
    "Lu": "A-Z",
    "Ll": "a-z",
    "N": "0-9",
    "P": r"!-#%-*,-/:;?@\[-\]_{}",
    "S": "$+<=>^`|~",
    "Z": " ",
    "C": r"\x00-\x1f\x7f",
    "Han": r"\u4E00",  # not in ASCII text, but `re` needs something in a class
    **dict.fromkeys(("Lt", "Lm", "Lo", "M"), ""),
}
_SET_OR_CLASS: Final = re.compile(r"\[[^]]*\]|\\p\{\w+\}")


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """A split pattern; nothing is compiled before it is used.

    name: its name in options and messages.
    note: what it does to text, in a few words.
    text: the pattern in the syntax of `regex`, as tokenizer files have it.
    llama_cpp: its name in llama.cpp, if it has one.
    piece: a pattern for `re` whose matches are the pieces of a text.
    """

    name: str
    note: str
    text: str
    llama_cpp: str | None = None
    piece: str = _COMMON_PIECE

    def split(self, text: str) -> list[str]:
        """Return the chunks of a text, in order."""
        return self._find_in_ascii(text) if text.isascii() else self._find(text)

    @cached_property
    def _find(self) -> Callable[[str], list[str]]:
        return regex.compile(self.text).findall

    @cached_property
    def _find_in_ascii(self) -> Callable[[str], list[str]]:
        return re.compile(_in_ascii(self.text), re.ASCII).findall

    @cached_property
    def pieces(self) -> Callable[[str], list[str]]:
        """A function that returns the pieces of a text, in order."""
        return re.compile(self.piece).findall

    def __reduce__(self) -> tuple[Callable[[str], "Pattern"], tuple[str]]:
        return _unpickled, (self.name,)

    def __repr__(self) -> str:
        return f"<Pattern {self.name}>"


def pattern_named(name: str) -> Pattern:
    """Return the pattern for training with this name.

    Raises:
        TypeError: the name is not a `str`.
        ValueError: no pattern for training has this name.
    """
    if not isinstance(name, str):
        raise TypeError(f"pattern must be str, got {type(name).__name__}")
    if name not in PATTERNS:
        raise ValueError(f"pattern must be one of {', '.join(PATTERNS)}, got {name[:40]!r}")
    return PATTERNS[name]


def _unpickled(name: str) -> Pattern:
    return ALL_PATTERNS[name]


def _in_ascii(text: str) -> str:
    """Return a pattern for `re` that finds the same chunks in ASCII text."""
    text = _SET_OR_CLASS.sub(
        lambda found: found[0] if found[0].startswith("[") else f"[{found[0]}]", text
    )
    for name, members in _IN_ASCII.items():
        text = text.replace(rf"\p{{{name}}}", members)
    return text


def _gpt4(digits: str) -> str:
    """Return GPT-4's pattern, with this many digits to a number."""
    return (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        rf"{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )


_GPT4O: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_TEKKEN: Final = _GPT4O.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace("{1,3}", "")
_QWEN35: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Models split at each digit first, then as GPT-2. So whitespace before a digit is one chunk, as at
# the end of a text.
_STARCODER: Final = r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
# Kimi has `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]`, an intersection, which few engines know.
# This is the class of all characters that are in none of the others.
_KIMI: Final = r"\p{Han}+|" + (
    _GPT4O.replace(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[^\p{Ll}NOT_HAN]")
    .replace(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"[^\p{Lu}\p{Lt}NOT_HAN]")
    .replace("NOT_HAN", r"\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Han}")
    .replace("/", "")
)
# DeepSeek splits three times: at numbers, at runs of KANA (with Chinese characters), and the rest.
# This pattern has the same chunks. It looks ahead to stay on one side of a split. U+3040, U+3097
# and U+3098 are unassigned.
_DEEPSEEK3: Final = (
    (
        r"\p{N}{1,3}|GAP?(?:(?=[KANA])[\p{L}\p{M}])+|(?:(?=[KANA])[\p{P}\p{S}])+"
        r"|GAP+(?=GAP(?:(?=[KANA])[\p{L}\p{M}]))|GAP+|[!-/:-@\[-`{-~][A-Za-z]+"
        r"|[^\r\n\p{L}\p{P}\p{S}\p{N}KANA]?(?:(?![KANA])[\p{L}\p{M}])+"
        r"| ?(?:(?![KANA])[\p{P}\p{S}])+[\r\n]*|\s*[\r\n]+|\s+(?![^\s\p{N}KANA])|\s+"
        r"|REST+(?=REST(?:(?![KANA])[\p{L}\p{M}]))|REST+"
    )
    .replace("REST", r"[^\s\p{L}\p{M}\p{N}\p{P}\p{S}KANA]")
    .replace("GAP", r"[\u3040\u3097\u3098]")
    .replace("KANA", r"\u4E00-\u9FA5\u3040-\u30FF")
)

# In the order of help and pages; the first is the default.
_FOR_TRAINING: Final = (
    Pattern(
        "gpt2",
        "GPT-2: numbers in one chunk; newlines never join punctuation",
        PRETOKENIZER_PATTERN,
        llama_cpp="gpt-2",
        # A chunk with other characters has whitespace only as one space at its start.
        piece=rf"{_BLANK}*{_OTHER}+|{_BLANK}+",
    ),
    Pattern(
        "gpt4",
        "GPT-4, Llama 3: up to 3 digits; newlines join punctuation",
        _gpt4("{1,3}"),
        llama_cpp="llama-bpe",
    ),
    Pattern(
        "gpt4o",
        "GPT-4o, gpt-oss, Llama 4: like gpt4; cuts camelCase, keeps marks",
        _GPT4O,
        llama_cpp="gpt-4o",
    ),
    Pattern("qwen2", "Qwen 1 to 3: like gpt4, but single digits", _gpt4(""), llama_cpp="qwen2"),
    Pattern("nanochat", "nanochat: like gpt4, but up to 2 digits", _gpt4("{1,2}")),
)
# For imports only: files of schema versions 1 and 2 cannot have them.
_FOR_IMPORTS: Final = (
    Pattern("tekken", "imports only; Mistral NeMo: like gpt4o; single digits, 's apart", _TEKKEN),
    Pattern("deepseek3", "imports only; DeepSeek V3, V4: cuts around Chinese and kana", _DEEPSEEK3),
    Pattern("qwen3.5", "imports only; Qwen 3.5: like qwen2, but keeps marks", _QWEN35),
    Pattern(
        "starcoder",
        "imports only; StarCoder, SmolLM, Granite: like gpt2, but single digits",
        _STARCODER,
        llama_cpp="smollm",
    ),
    Pattern("kimi", "imports only; Kimi K2, K3: like gpt4o, but Chinese characters apart", _KIMI),
)
PATTERNS: Final = {pattern.name: pattern for pattern in _FOR_TRAINING}
ALL_PATTERNS: Final = PATTERNS | {pattern.name: pattern for pattern in _FOR_IMPORTS}
GPT2: Final = PATTERNS["gpt2"]
