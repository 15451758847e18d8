"""Exercise 7: the first trainer.

It is made of what you have written: import `count_pairs` from your file of exercise 4, and so
on, or the answers, with `from answers.exercise_04 import count_pairs`.
"""

from given import Pair, chunks_of


def train(text: str, vocab_size: int) -> list[Pair]:
    """Learn merges: count the pairs, merge the best one everywhere, and again.

    The bytes have the ids 0 to 255. The first merge makes the id 256, the next one 257.

    Args:
        text: the corpus; `chunks_of` cuts it into chunks. No pair spans two of them.
        vocab_size: the number of bytes and merges together, 256 or more.

    Returns:
        The merged pairs, in the order of merging. There are vocab_size - 256 of them, or
        fewer if the corpus has no pair left. A pair that stands once is a pair.

    >>> train("ab ab ab", 258)
    [(97, 98), (32, 256)]
    """
    raise NotImplementedError
