"""A tokenizer that was trained elsewhere, as data: what every format of `import` is read into."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bpetite_compare._gpt2 import BYTE_LETTERS
from bpetite_compare.reference import Pair, get_stats, merge

__all__ = ["Foreign", "missing_byte_message", "rank_by_rank"]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A byte-level BPE tokenizer with GPT-2's pattern, and with its own ids.

    vocab: the id of each token by its letters (`_gpt2.to_letters`); it may have special ones.
    merges: the letters of the two tokens that each merge joins, in the order of the ranks.
    special_tokens: the ids of the special tokens that the file names, by their texts.
    encode_chunk: the ids of a chunk, computed slowly, from the file's own data alone.
    takes_whole_chunks: whether a chunk that is a token gets its id without any merge.
    notes: what else a person should know about the file.
    """

    vocab: Mapping[str, int]
    merges: Sequence[tuple[str, str]]
    special_tokens: Mapping[str, int]
    encode_chunk: Callable[[bytes], list[int]]
    takes_whole_chunks: bool = False
    notes: Sequence[str] = ()


def rank_by_rank(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]]
) -> Callable[[bytes], list[int]]:
    """Return a function for the ids of a chunk: one pass for each rank, from the first on.

    Ranks whose pair does not occur are skipped. The ids are those of the vocabulary.
    """
    ranks: dict[Pair, int] = {}
    made: list[int] = []
    for rank, (left, right) in enumerate(merges):
        ranks[vocab[left], vocab[right]] = rank
        made.append(vocab[left + right])

    def encode_chunk(chunk: bytes) -> list[int]:
        ids = [vocab[BYTE_LETTERS[value]] for value in chunk]
        rank = -1
        while later := {ranks[pair]: pair for pair in get_stats(ids) if ranks.get(pair, -1) > rank}:
            rank = min(later)
            ids = merge(ids, later[rank], made[rank])
        return ids

    return encode_chunk


def missing_byte_message(vocab: Mapping[str, int]) -> str | None:
    """Return what is wrong if a byte has no token."""
    for value, letter in sorted(BYTE_LETTERS.items()):
        if letter not in vocab:
            return f"it has no token for the byte 0x{value:02x}, so it cannot encode every text"
    return None
