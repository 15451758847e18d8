"""GPT-2's files: their names, its order of the bytes, and the letters that stand for bytes."""

from codecs import charmap_encode
from typing import Final

GPT2_FILES: Final = ("vocab.json", "merges.txt")

_PRINTABLE: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS: Final = tuple(value for value in range(256) if value not in _PRINTABLE)

GPT2_BYTE_ORDER: Final = bytes([*_PRINTABLE, *_OTHERS])
"""At position i, the byte of GPT-2's id i, for the ids 0 to 255.

GPT-2 numbers the printable bytes of Latin-1 first.
"""

BYTE_LETTERS: Final = {value: chr(value) for value in _PRINTABLE} | {
    value: chr(256 + place) for place, value in enumerate(_OTHERS)
}
"""The printable character that represents each byte in `vocab.json` and `merges.txt`."""

_BYTES: Final = {ord(letter): value for value, letter in BYTE_LETTERS.items()}


def to_letters(token: bytes) -> str:
    """Return a token as in `vocab.json` and `merges.txt`, where a space is Ġ."""
    return "".join(map(BYTE_LETTERS.__getitem__, token))


def of_letters(text: str) -> bytes | None:
    """Return the token with these letters, or None if one of them represents no byte."""
    try:
        return charmap_encode(text, "strict", _BYTES)[0]
    except UnicodeEncodeError:
        return None
