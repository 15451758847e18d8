r"""The split patterns, which cut text into chunks; no merge crosses a chunk.

Glossary
    chunk  one match of a pattern, also called a pre-token: " the", "'ll", "\n\n"
    piece  a part of a text that ends where a chunk ends, one chunk or a few

Every character is part of a match, so the chunks of a text join to the text. Matching is
slow, so there are two shortcuts. Each relies on a fact that `tests/core/test_patterns.py`
checks against the pattern itself, as `regex` reads it:

    ASCII   On ASCII text `\p{L}` is `[A-Za-z]` and `\p{N}` is `[0-9]`, so the standard
            library's `re`, twice as fast, finds the same chunks.
    Pieces  The chunks of a text are the chunks of its pieces. Pieces repeat nearly as often
            as chunks do, and finding them takes a fraction of the time. So counting splits
            each distinct piece once.

Not here: blocks, which end where every pattern cuts (`_boundaries`); the ids of chunks and
special tokens (`_encoder`).
"""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

import regex

from bpetite._constants import PRETOKENIZER_PATTERN


class Pattern:
    """A split pattern.

    name: its name in options and messages.
    text: the pattern in the syntax of `regex`, as tokenizer files have it.
    """

    def __init__(self, name: str, text: str, ascii_text: str, piece: str) -> None:
        """Define a pattern; nothing is compiled before it is used.

        Args:
            name: its name.
            text: the pattern.
            ascii_text: the pattern for `re`, which finds the same chunks in ASCII.
            piece: a pattern for `re` whose matches are the pieces of a text.
        """
        self.name = name
        self.text = text
        self._ascii_text = ascii_text
        self._piece = piece

    def split(self, text: str) -> list[str]:
        """Return the chunks of a text, in order."""
        return self._find_in_ascii(text) if text.isascii() else self._find(text)

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text, in order."""
        return self._find_pieces(text)

    @cached_property
    def _find(self) -> Callable[[str], list[str]]:
        return regex.compile(self.text).findall

    @cached_property
    def _find_in_ascii(self) -> Callable[[str], list[str]]:
        return re.compile(self._ascii_text, re.ASCII).findall

    @cached_property
    def _find_pieces(self) -> Callable[[str], list[str]]:
        return re.compile(self._piece).findall

    def __reduce__(self) -> str:
        return self.name.upper()  # pickled and copied by the name of the constant below

    def __repr__(self) -> str:
        return f"<Pattern {self.name}>"


# In `re`, `\s` includes U+001C to U+001F; in `regex`, these match like punctuation.
_WHITESPACE: Final = r"[^\S\x1c-\x1f]"
_OTHERS: Final = r"[\S\x1c-\x1f]"

GPT2: Final = Pattern(
    "gpt2",
    PRETOKENIZER_PATTERN,
    r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    # A chunk with other characters has whitespace only as one space at its start.
    rf"{_WHITESPACE}*{_OTHERS}+|{_WHITESPACE}+",
)
