"""Exercise 8: encode a chunk, and a text."""

from given import Pair, chunks_of


def encode_chunk(chunk: bytes, merges: list[Pair]) -> list[int]:
    """Return the ids of a chunk: repeat what training did, in the same order.

    Args:
        chunk: at least one byte.
        merges: the merges that training learned, in order. The merge at rank 0 made the id 256,
            the merge at rank 1 made 257.

    >>> encode_chunk(b"abab", [(97, 98)])
    [256, 256]
    """
    raise NotImplementedError


def encode_ordinary(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text without special tokens: those of its chunks, one after the other.

    >>> encode_ordinary("ab ab", [(97, 98)])
    [256, 32, 256]
    """
    raise NotImplementedError
