"""Exercise 10: the special token, and the whole of encoding.

`encode` is made of `chunks_of` and of what you wrote in exercise 8: import `encode_chunk` from
your file, or from `answers.exercise_08`.
"""

from given import Pair


def segments(text: str) -> list[str]:
    """Cut a text at every exact "<|endoftext|>", and keep the special tokens.

    Returns:
        Special tokens and what stands between them, in order; joined, they are the text.
        None is empty.

    >>> segments("a<|endoftext|>b c")
    ['a', '<|endoftext|>', 'b c']
    """
    raise NotImplementedError


def encode(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text.

    The special token has the first id behind the merges, 256 + len(merges). All other text
    is cut into chunks, and each chunk is encoded.

    >>> encode("ab<|endoftext|>ab", [(97, 98), (32, 256)])
    [256, 258, 256]
    """
    raise NotImplementedError
