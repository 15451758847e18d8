"""The numbers and strings that all tokenizers and tokenizer files share."""

from typing import Final

__all__ = [
    "BASE_VOCAB_SIZE",
    "END_OF_TEXT_TOKEN",
    "MAX_FILE_BYTES",
    "MAX_VOCAB_SIZE",
    "PRETOKENIZER_PATTERN",
    "SCHEMA_VERSION",
]

BASE_VOCAB_SIZE: Final = 256
"""One token for each byte value; the ids of the bytes are the bytes."""

MAX_VOCAB_SIZE: Final = 0x110000
"""The most mergeable tokens there can be: 1,114,112.

Training and encoding hold a sequence of ids as a `str` with one character for each id,
and this is how many characters there are.
"""

MAX_FILE_BYTES: Final = 64 << 20
"""The largest tokenizer file that is written or read: a million merges fit."""

END_OF_TEXT_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token of text, no password
"""The one special token. Its id is the first after the mergeable vocabulary."""

PRETOKENIZER_PATTERN: Final = (
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
)
"""GPT-2's split pattern (Radford et al. 2019), as the `regex` package reads it."""

SCHEMA_VERSION: Final = 1
"""The version of the artifact that this code writes, and the only one that it reads."""
