"""Apply a list of merges to the bytes of a chunk.

The specification: for each merge in the order in which it was learned, one pass over the
chunk, which replaces every occurrence of its pair, from left to right.

Rank order is minimum rank: a merge makes an id larger than both of its parts, so every
pair that its pass creates belongs to a later merge. Taking the lowest merge that is
present, again and again, thus makes the same passes, without those that find nothing. So
does taking only the leftmost occurrence of the lowest merge. Both ways rest on this.

Not here: which chunks are worked out at all (`_encoder`).
"""

from array import array
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise, repeat
from operator import lt
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, MAX_VOCAB_SIZE

__all__ = ["Merges"]

_SHORT_BYTES: Final = 64
"""The longest chunk for which looking through all pairs, again and again, is the fastest."""

_NO_MERGE: Final = MAX_VOCAB_SIZE
_GONE: Final = -1


class Merges:
    """The merges of a tokenizer: at rank r the pair that makes the id 256 + r."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._pairs = pairs
        first_to_last = range(BASE_VOCAB_SIZE, BASE_VOCAB_SIZE + len(pairs))
        # Reversed, so that the first of two equal pairs counts.
        self._id_of_pair = dict(zip(reversed(pairs), reversed(first_to_last), strict=True))

    def apply(self, chunk: bytes) -> list[int]:
        """Return the ids of a chunk after all merges."""
        return self._apply_short(chunk) if len(chunk) <= _SHORT_BYTES else self._apply_long(chunk)

    def _apply_short(self, chunk: bytes) -> list[int]:
        """Merge the leftmost of the lowest pairs, again and again, in O(n^2)."""
        id_of_pair = self._id_of_pair.get
        ids = list(chunk)
        merged = list(map(id_of_pair, pairwise(chunk), repeat(_NO_MERGE)))
        while merged and (new := min(merged)) != _NO_MERGE:
            place = merged.index(new)
            ids[place : place + 2] = (new,)
            del merged[place]
            if place:
                merged[place - 1] = id_of_pair((ids[place - 1], new), _NO_MERGE)
            if place < len(merged):
                merged[place] = id_of_pair((new, ids[place + 1]), _NO_MERGE)
        return ids

    def _apply_long(self, chunk: bytes) -> list[int]:
        """Merge the lowest pair wherever it occurs, again and again, in O(n log n).

        The symbols are a linked list. The positions of a pair are noted when it is
        created; those where it no longer occurs when its pass comes are skipped.
        """
        id_of_pair = self._id_of_pair.get
        size = len(chunk)
        number = "i" if size < 1 << 31 else "q"
        symbols = array("i", iter(chunk))
        symbols.append(_GONE)  # ends the list, on both sides
        following = array(number, range(1, size + 1))
        preceding = array(number, range(-1, size))
        places: dict[int, array[int]] = {}
        for place, new in enumerate(map(id_of_pair, pairwise(chunk))):
            if new is not None:
                if new not in places:
                    places[new] = array(number)
                places[new].append(place)
        passes = list(places)
        heapify(passes)
        while passes:
            new = heappop(passes)
            left, right = self._pairs[new - BASE_VOCAB_SIZE]
            for place in _in_order(places.pop(new)):
                partner = following[place]
                if symbols[place] != left or symbols[partner] != right:
                    continue
                symbols[place], symbols[partner] = new, _GONE
                before, after = preceding[place], following[partner]
                following[place], preceding[after] = after, place
                for start, later in (
                    (before, id_of_pair((symbols[before], new))),
                    (place, id_of_pair((new, symbols[after]))),
                ):
                    if later is None:
                        continue
                    if later not in places:
                        places[later] = array(number)
                        heappush(passes, later)
                    places[later].append(start)
        return [symbol for symbol in symbols if symbol != _GONE]


def _in_order(places: "array[int]") -> "array[int] | list[int]":
    return places if all(map(lt, places, islice(places, 1, None))) else sorted(places)
