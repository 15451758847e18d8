"""Exercise 10: the special token, and all of encoding.

`encode` uses your function of exercise 8: import `encode_ordinary` from your file, or from
`answers.exercise_08`.
"""

from given import Pair


def segments(text: str) -> list[str]:
    """Cut a text at every exact "<|endoftext|>" and keep the special tokens.

    Returns:
        The special tokens and the text between them, in order. Joined, they are the text. No
        segment is empty.

    >>> segments("a<|endoftext|>b c")
    ['a', '<|endoftext|>', 'b c']
    """
    raise NotImplementedError


def encode(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text.

    The special token has the first id after the merges, 256 + len(merges). All other text is
    encoded as in exercise 8.

    >>> encode("ab<|endoftext|>ab", [(97, 98), (32, 256)])
    [256, 258, 256]
    """
    raise NotImplementedError
