"""Count tokens with a tiktoken encoding, for `bpetite count --encoding`.

`<|endoftext|>` is one token, as in bpetite; other special tokens are ordinary text.
"""

from collections.abc import Mapping

import tiktoken

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite_compare._encodings import (
    cuts_safely,
    encode,
    get_encoding,
    make_encoding,
    pattern_of,
    ranks_of,
    specials_of,
)


def make_counter(name: str, ordinary: bool = False) -> "_EncodingCounter":
    """Return a counter for a tiktoken encoding; if `ordinary`, no token of a text is special.

    Raises:
        ValueError: tiktoken has no encoding with this name.
        OSError: the download failed.
    """
    return _EncodingCounter(get_encoding(name), () if ordinary else (END_OF_TEXT_TOKEN,))


class _EncodingCounter:
    """Counts the tokens of text with an encoding."""

    def __init__(self, encoding: tiktoken.Encoding, special: tuple[str, ...]) -> None:
        self._encoding = encoding
        self._special = special

    @property
    def in_blocks(self) -> bool:
        """Whether the pattern splits where blocks end."""
        return cuts_safely(self._encoding)

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text.

        Raises:
            ValueError: tiktoken's regex engine fails.
        """
        return len(encode(self._encoding, text, self._special))

    def __reduce__(self) -> tuple[object, ...]:
        """Send the encoding itself to another process, which otherwise would look for a file."""
        encoding = self._encoding
        parts = encoding.name, pattern_of(encoding), ranks_of(encoding), specials_of(encoding)
        return _counter_of, (self._special, *parts)


def _counter_of(
    special: tuple[str, ...],
    name: str,
    pattern: str,
    ranks: Mapping[bytes, int],
    special_tokens: Mapping[str, int],
) -> _EncodingCounter:
    return _EncodingCounter(make_encoding(name, pattern, ranks, special_tokens), special)
