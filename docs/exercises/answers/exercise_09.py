"""Exercise 9: decode."""


def decode(ids: list[int], vocab: dict[int, bytes]) -> str:
    """Return the text of ids: join their bytes, then decode once, strictly."""
    return b"".join(vocab[token_id] for token_id in ids).decode("utf-8")
