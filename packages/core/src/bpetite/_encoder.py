"""Turn text into ids: replay the merges on each chunk of it.

Words
    symbols  a chunk as it stands in encoding: a `str` with one character for each id
    pair     two neighbouring ids in it, as the `str` of their two characters

The specification: for each merge in the order in which it was learned, one pass over the
chunk, which replaces every occurrence of its pair, from left to right.

Rank order is minimum rank: a merge makes an id larger than both of its parts, so every
pair that its pass creates belongs to a later merge. To take the lowest merge that is
present, again and again, is thus to make the same passes, less those that find nothing.
`Merges` rests on this, and the tests hold it to the plain passes.

The special token is extracted before anything else, wherever its exact text stands. Text
from strangers may hold it too: whoever must not allow that takes it out first.

Not here: where a chunk ends (`_pretokenizer`), ids back into text (`_decoder`).
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from operator import add
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN
from bpetite._pretokenizer import blocks, cut, split

__all__ = ["Encoder", "Merges"]

_BLOCK_CHARACTERS: Final = 1 << 20

_CACHED_TEXTS: Final = 1 << 18
_CACHED_CHARACTERS: Final = 32
"""How many pieces, and how many chunks, keep their ids, and their greatest length."""


class Encoder:
    """Text to ids, by one list of merges."""

    def __init__(
        self, merges: Sequence[tuple[int, int]], special_tokens: Mapping[str, int]
    ) -> None:
        self._special_id = special_tokens[END_OF_TEXT_TOKEN]
        apply = Merges(merges).apply
        ids_of_chunk = _Cache(lambda chunk: tuple(map(ord, apply(chunk.encode("utf-8")))))
        self._ids_of_piece = _Cache(
            lambda piece: tuple(chain.from_iterable(map(ids_of_chunk.__getitem__, split(piece))))
        )

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; `Tokenizer.encode` says more."""
        if not isinstance(text, str):
            message = f"text must be str, got {type(text).__name__}"
            raise TypeError(message)
        first, *others = text.split(END_OF_TEXT_TOKEN)
        try:
            ids = self._encode_ordinary(first)
            for segment in others:
                ids.append(self._special_id)
                ids += self._encode_ordinary(segment)
        except UnicodeEncodeError:
            text.encode("utf-8")  # the same error, with the index in the whole text
            raise
        return ids

    def _encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = []
        for block in blocks(text, _BLOCK_CHARACTERS):  # else every piece would be held at once
            ids += chain.from_iterable(map(self._ids_of_piece.__getitem__, cut(block)))
        return ids


class _Cache(dict[str, tuple[int, ...]]):
    """What has been worked out for texts that are likely to come again, within bounds.

    Threads may share it: what it holds for a text never changes, so a second thread that
    works out the same, or empties the whole, changes no result.
    """

    def __init__(self, work_out: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> tuple[int, ...]:
        ids = self._work_out(text)
        if len(text) <= _CACHED_CHARACTERS:
            if len(self) >= _CACHED_TEXTS:
                self.clear()
            self[text] = ids
        return ids


class Merges:
    """The merges, ready to be applied to the bytes of a chunk."""

    def __init__(self, merges: Sequence[tuple[int, int]]) -> None:
        self._pairs = [chr(left) + chr(right) for left, right in merges]
        self._new_id: dict[str, int] = {}
        for new_id, pair in enumerate(self._pairs, BASE_VOCAB_SIZE):
            self._new_id.setdefault(pair, new_id)  # of a pair listed twice, the first counts

    def apply(self, chunk: bytes) -> str:
        """Return the symbols of a chunk after all merges, one character for each id: O(n log n).

        The symbols stand in a linked list. The places of a pair are noted when it comes
        about; those at which it no longer stands when its pass comes are passed over.
        """
        symbols = chunk.decode("latin-1")  # the character n for the byte n
        size = len(symbols)
        symbol_at = [*symbols, ""]  # the empty symbol ends the list, on both sides
        following = list(range(1, size + 1))
        preceding = list(range(-1, size))
        places: dict[int, list[int]] = {}
        for place, pair in enumerate(map(add, symbols, symbols[1:])):
            if (new_id := self._new_id.get(pair)) is not None:
                places.setdefault(new_id, []).append(place)
        passes = list(places)
        heapify(passes)
        while passes:
            new_id = heappop(passes)
            pair = self._pairs[new_id - BASE_VOCAB_SIZE]
            left, right, new = pair[0], pair[1], chr(new_id)
            for place in sorted(places.pop(new_id)):
                partner = following[place]
                if symbol_at[place] != left or symbol_at[partner] != right:
                    continue
                symbol_at[place], symbol_at[partner] = new, ""
                after, before = following[partner], preceding[place]
                following[place], preceding[after] = after, place
                for start, pair in (
                    (before, symbol_at[before] + new),
                    (place, new + symbol_at[after]),
                ):
                    if (later_id := self._new_id.get(pair)) is None:
                        continue
                    if later_id not in places:
                        places[later_id] = []
                        heappush(passes, later_id)
                    places[later_id].append(start)
        return "".join(symbol_at)
