"""GPT-2's pattern, byte order and letters for bytes, which others adopted."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final

GPT2_PATTERN: Final = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""GPT-2's split pattern as written in a tokenizer file."""

_SAME_PATTERNS: Final = frozenset(
    {
        GPT2_PATTERN,
        # As it was published with GPT-2.
        r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""",
        r"""'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""",
        # As tiktoken has it for gpt2, r50k_base and p50k_base.
        r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    }
)

_PRINTABLE: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS: Final = tuple(value for value in range(256) if value not in _PRINTABLE)

GPT2_BYTE_ORDER: Final = bytes([*_PRINTABLE, *_OTHERS])
"""At position i, the byte of GPT-2's id i, for the ids 0 to 255.

GPT-2 numbers the printable bytes of Latin-1 first. In bpetite, the id of a byte is the byte.
The ids from 256 on are the same.
"""

_MERGES_SHA256: Final = "2fcfd37601610f6537324e6179cc2df7ec5ad6c7c58b218a80a9838ac77b8ea7"
"""The digest of GPT-2's merges as compact JSON, with each byte as its own id."""

BYTE_LETTERS: Final = {value: chr(value) for value in _PRINTABLE} | {
    value: chr(256 + place) for place, value in enumerate(_OTHERS)
}
"""The printable character that represents each byte in `vocab.json` and `merges.txt`."""


def is_gpt2_pattern(pattern: str) -> bool:
    """Return whether a pattern is one of the known spellings of GPT-2's."""
    return pattern in _SAME_PATTERNS


def has_gpt2_merges(merges: Sequence[tuple[int, int]]) -> bool:
    """Return whether these are GPT-2's merges, as `import_tokenizer` writes them."""
    data = json.dumps(merges, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(data).hexdigest() == _MERGES_SHA256


def to_letters(token: bytes) -> str:
    """Return a token as in `vocab.json` and `merges.txt`, where a space is Ġ."""
    return "".join(map(BYTE_LETTERS.__getitem__, token))
