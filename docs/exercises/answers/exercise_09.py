"""Exercise 9: decode."""

from given import Pair


def vocabulary(merges: list[Pair]) -> dict[int, bytes]:
    """Return the bytes of every id: 256 single bytes, then the bytes that each merge joined."""
    vocab = {value: bytes([value]) for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[left] + vocab[right]
    return vocab


def decode(ids: list[int], vocab: dict[int, bytes]) -> str:
    """Return the text of ids: join their bytes, then decode once, strictly."""
    return b"".join(vocab[token_id] for token_id in ids).decode("utf-8")
