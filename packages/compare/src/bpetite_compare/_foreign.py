"""A tokenizer trained elsewhere, as data: every format of `import` is read into this."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bpetite_compare._gpt2 import BYTE_LETTERS, to_letters
from bpetite_compare.reference import Pair, get_stats, merge


@dataclass(frozen=True, slots=True)
class Foreign:
    """A byte-level BPE tokenizer with GPT-2's pattern, and with its own ids.

    vocab: the id of each token by its letters (`_gpt2.to_letters`), maybe special tokens too.
    merges: the letters of the two tokens that each merge joins, in the order of ranks.
    special_tokens: the ids of the special tokens that the file names, by their text.
    encode_chunk: computes the ids of a chunk, slowly, from the file's own data only.
    takes_whole_chunks: whether a chunk that is a token gets its id without any merge.
    notes: other remarks about the file, for a person.
    """

    vocab: Mapping[str, int]
    merges: Sequence[tuple[str, str]]
    special_tokens: Mapping[str, int]
    encode_chunk: Callable[[bytes], list[int]]
    takes_whole_chunks: bool = False
    notes: Sequence[str] = ()


def rank_by_rank(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], *, whole: bool = False
) -> Callable[[bytes], list[int]]:
    """Return a function that encodes a chunk with one pass per rank, in order.

    It skips ranks whose pair does not occur. The ids are the vocabulary's. If `whole`, a chunk
    in the vocabulary is not merged.
    """
    ranks: dict[Pair, int] = {}
    made: list[int] = []
    for rank, (left, right) in enumerate(merges):
        ranks[vocab[left], vocab[right]] = rank
        made.append(vocab[left + right])

    def encode_chunk(chunk: bytes) -> list[int]:
        if whole and (letters := to_letters(chunk)) in vocab:
            return [vocab[letters]]
        ids = [vocab[BYTE_LETTERS[value]] for value in chunk]
        rank = -1
        while later := {ranks[pair]: pair for pair in get_stats(ids) if ranks.get(pair, -1) > rank}:
            rank = min(later)
            ids = merge(ids, later[rank], made[rank])
        return ids

    return encode_chunk


def missing_byte_message(vocab: Mapping[str, int]) -> str | None:
    """Return a message if a byte has no token."""
    for value, letter in sorted(BYTE_LETTERS.items()):
        if letter not in vocab:
            return f"it has no token for the byte 0x{value:02x}, so it cannot encode every text"
    return None
