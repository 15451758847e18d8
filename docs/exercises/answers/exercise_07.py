"""Exercise 7: the first trainer."""

from collections import Counter

from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from answers.exercise_06 import best_pair
from given import Pair, chunks_of


def train(text: str, vocab_size: int) -> list[Pair]:
    """Learn merges: count the pairs, merge the best pair everywhere, and repeat."""
    chunks = [list(chunk) for chunk in chunks_of(text)]
    merges: list[Pair] = []
    while 256 + len(merges) < vocab_size:
        counts = count_pairs(Counter(map(tuple, chunks)))
        if not counts:
            break
        pair = best_pair(counts)
        chunks = [merge_pair(ids, pair, 256 + len(merges)) for ids in chunks]
        merges.append(pair)
    return merges
