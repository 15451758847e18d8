"""JSON fields that several commands share: each has one name and one type.

`docs/reference/output.md` lists the fields of all commands.
"""

from bpetite._constants import END_OF_TEXT_TOKEN


def ratio(part: int, whole: int) -> float | None:
    """Return a quotient with four decimals, or None if there is nothing to divide by.

    >>> ratio(10, 3), ratio(0, 0)
    (3.3333, None)
    """
    return round(part / whole, 4) if whole else None


def text_fields(size: int, tokens: int) -> dict[str, object]:
    """Return the numbers of bytes and tokens of a text, and their ratio."""
    return {"bytes": size, "tokens": tokens, "bytes_per_token": ratio(size, tokens)}


def text_of(token: bytes) -> str | None:
    """Return the text of a token, or None if it is not complete characters."""
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def token_fields(token_id: int, token: bytes) -> dict[str, object]:
    """Return a token: its id, its bytes in hex, and its text."""
    return {"id": token_id, "hex": token.hex(), "text": text_of(token)}


def tokenizer_fields(vocab_size: int, sha256: str) -> dict[str, object]:
    """Return the sizes, special tokens and digest of a tokenizer file."""
    return {
        "vocab_size": vocab_size,
        "merges": vocab_size - 256,
        "special_tokens": {END_OF_TEXT_TOKEN: vocab_size},
        "sha256": sha256,
    }
