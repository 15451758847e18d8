"""Other ways to do what the core does: plainer ones, and some that did not pay.

Each takes the place of a part of the core in `tricks`, and has the same result.
"""

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import chain
from operator import itemgetter

from bpetite import _encoder
from bpetite._decoder import Decoder
from bpetite._encoder import Encoder
from bpetite._pairs import Pairs
from bpetite._pretokenizer import blocks, cut, split


class OneHeap(Pairs):
    """All pairs in one heap, by count and ids, and put back when their count has fallen."""

    _heap: list[tuple[int, str]]

    def take_most_frequent(self) -> tuple[str, int]:
        """Return the pair to merge next and its count."""
        while self._heap:
            negative, pair = heappop(self._heap)
            count = self._counts[pair]
            if count == -negative:
                return pair, count
            if count:
                heappush(self._heap, (-count, pair))
        return "", 0

    def _wait(self, pair: str, count: int) -> None:
        if not hasattr(self, "_heap"):
            self._heap = []
        heappush(self._heap, (-count, pair))


def apply_always(encoder: Encoder, chunk: str) -> tuple[int, ...]:
    """Apply the merges to the bytes of every new chunk."""
    return tuple(encoder._merges.apply(chunk.encode("utf-8")))


def longest_tokens(encoder: Encoder, chunk: str) -> tuple[int, ...]:
    """Take the longest token in front, again and again, while it stays beside the last."""
    tokens = encoder._ids_of_chunk._known
    ids: tuple[int, ...] = ()
    start = 0
    while start < len(chunk):
        for end in range(len(chunk), start, -1):
            token = tokens.get(chunk[start:end])
            if token and (not ids or encoder._merges.stay(ids[-1], token[0])):
                ids += token
                start = end
                break
        else:
            return apply_always(encoder, chunk)
    return ids


def all_new_pieces_at_once(encoder: Encoder, text: str) -> list[int]:
    """Run the pattern once for all the new pieces of a block."""
    ids: list[int] = []
    known = encoder._ids_of_piece
    for block in blocks(text, _encoder._BLOCK_CHARACTERS):
        pieces = cut(block)
        new = [piece for piece in dict.fromkeys(pieces) if piece not in known]
        chunks = iter(split("".join(new)))
        for piece in new:
            ids_of_piece: tuple[int, ...] = ()
            length = 0
            while length < len(piece):
                chunk = next(chunks)
                length += len(chunk)
                ids_of_piece += encoder._ids_of_chunk[chunk]
            known[piece] = ids_of_piece
        ids += chain.from_iterable(map(known.__getitem__, pieces))
    return ids


def look_up_by_itemgetter(decoder: Decoder, ids: Sequence[int]) -> bytes:
    """Look up some thousand tokens by one call; the first is there so that it is a tuple."""
    parts = (ids[start : start + 4096] for start in range(0, len(ids), 4096))
    return b"".join([b"".join(itemgetter(0, *part)(decoder._tokens)[1:]) for part in parts])


def count_chunks_alone(text: str, chunks: Counter[str]) -> None:
    """Run the pattern over the whole text."""
    chunks.update(split(text))


def split_all_pieces_at_once(pieces: Counter[str]) -> dict[str, int]:
    """Run the pattern once over all distinct pieces, side by side."""
    chunks: dict[str, int] = {}
    found = iter(split("".join(pieces)))
    for piece, count in pieces.items():
        length = 0
        while length < len(piece):
            chunk = next(found)
            length += len(chunk)
            chunks[chunk] = chunks.get(chunk, 0) + count
    return chunks
