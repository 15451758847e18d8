"""The numbers and strings that all tokenizers and tokenizer files share."""

from typing import Final

BASE_VOCAB_SIZE: Final = 256
"""One token for each byte value; the ids of the bytes are the bytes."""

MAX_VOCAB_SIZE: Final = 0x110000
"""The maximum number of mergeable tokens: 1,114,112.

Training stores ids as a `str` with one character for each id, and Unicode has this many.
"""

ID_LIMIT: Final = 1 << 21
"""The number of ids that a tokenizer with ids of its own can have: 0 to 2,097,151."""

MAX_FILE_BYTES: Final = 64 << 20
"""The maximum size of a tokenizer file, enough for a million merges."""

END_OF_TEXT_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - not a password
"""The special token, unless a list replaces it."""

PRETOKENIZER_PATTERN: Final = (
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
)
"""GPT-2's split pattern (Radford et al. 2019), as the `regex` package reads it."""

SCHEMA_VERSION: Final = 1
"""The schema version of the specification, with its pattern and this special token."""
