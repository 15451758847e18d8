"""Exercise 7: the first trainer.

Use what you have written: import `count_pairs` from your file of exercise 4, and so on. Or import
the answers: `from answers.exercise_04 import count_pairs`.
"""

from given import Pair, chunks_of


def train(documents: list[str], vocab_size: int) -> list[Pair]:
    """Learn merges: count the pairs, merge the best pair everywhere, and repeat.

    The bytes have the ids 0 to 255. The first merge makes the id 256, the next one 257.

    Args:
        documents: the corpus; `chunks_of` cuts a document into chunks. A pair never spans two
            chunks.
        vocab_size: the number of bytes and merges together, at least 256.

    Returns:
        The merged pairs, in order: vocab_size - 256 of them, or fewer if the corpus runs out of
        pairs. A pair that occurs once counts as a pair.

    >>> train(["ab ab", " ab"], 258)
    [(97, 98), (32, 256)]
    """
    raise NotImplementedError


def vocabulary(merges: list[Pair]) -> dict[int, bytes]:
    """Return the bytes of every id: 256 single bytes, then the bytes that each merge joined.

    >>> vocabulary([(97, 98), (256, 99)])[257]
    b'abc'
    """
    raise NotImplementedError
