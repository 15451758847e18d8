"""Exercise 7: the first trainer."""

from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from answers.exercise_06 import best_pair
from given import Pair, chunks_of


def train(documents: list[str], vocab_size: int) -> list[Pair]:
    """Learn merges: count the pairs, merge the best pair everywhere, and repeat."""
    chunks = [list(chunk) for document in documents for chunk in chunks_of(document)]
    merges: list[Pair] = []
    while 256 + len(merges) < vocab_size:
        counts = count_pairs(chunks)
        if not counts:
            break
        pair = best_pair(counts)
        chunks = [merge_pair(ids, pair, 256 + len(merges)) for ids in chunks]
        merges.append(pair)
    return merges


def vocabulary(merges: list[Pair]) -> dict[int, bytes]:
    """Return the bytes of every id: 256 single bytes, then the bytes that each merge joined."""
    vocab = {value: bytes([value]) for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[left] + vocab[right]
    return vocab
