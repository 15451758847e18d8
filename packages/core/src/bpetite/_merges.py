"""Apply a list of merges to the bytes of a chunk.

The specification: for each merge, in the order of learning, one pass over the chunk replaces
every occurrence of its pair, from left to right.

The fact behind both ways below: a merge makes an index larger than both of its parts, so every
pair that its pass creates belongs to a later merge. So repeatedly applying the lowest merge
that is present makes the same passes, without those that find nothing. Applying it only to
the leftmost occurrence each time gives the same result.

Not here: the cache of chunks (`_encoder`).
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from typing import Final, TypeAlias

from bpetite._constants import BASE_VOCAB_SIZE, MAX_VOCAB_SIZE

_SHORT_BYTES: Final = 64
"""The length up to which scanning all pairs for each merge is faster."""

Pair: TypeAlias = tuple[int, int]
"""Two indexes that a merge joins."""

_NO_MERGE: Final = MAX_VOCAB_SIZE
_GONE: Final = -1


class Merges:
    """The merges of a tokenizer: the pair at rank r makes the index 256 + r."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        # One object for each index: in an array or a range, each access makes a new one.
        self._indexes = [*range(BASE_VOCAB_SIZE + len(pairs))]
        # Reversed, so that the first of two equal pairs applies.
        last_to_first = reversed(self._indexes[BASE_VOCAB_SIZE:])
        self._index_of_pair = dict(zip(reversed(pairs), last_to_first, strict=True))

    def apply(self, chunk: bytes) -> list[int]:
        """Return the indexes of a chunk after all merges."""
        if len(chunk) > _SHORT_BYTES:
            return self._apply_long(chunk)
        # Merge the leftmost occurrence of the lowest pair until there is none, in O(n^2).
        index_of_pair = self._index_of_pair.get
        indexes = list(chunk)
        merged = list(map(index_of_pair, pairwise(chunk), repeat(_NO_MERGE)))
        while merged and (new := min(merged)) != _NO_MERGE:
            place = merged.index(new)
            indexes[place : place + 2] = (new,)
            del merged[place]
            if place:
                merged[place - 1] = index_of_pair((indexes[place - 1], new), _NO_MERGE)
            if place < len(merged):
                merged[place] = index_of_pair((new, indexes[place + 1]), _NO_MERGE)
        return indexes

    def steps(self, chunk: bytes) -> Iterator[tuple[int, list[int]]]:
        """Yield each pass that changes a chunk: the new index, and the indexes after it.

        This is the specification without a shortcut, for people to look at.

        >>> list(Merges([(97, 98), (32, 256)]).steps(b" ab"))
        [(256, [32, 256]), (257, [257])]
        """
        index_of_pair = self._index_of_pair
        indexes = list(chunk)
        while found := [index_of_pair[p] for p in pairwise(indexes) if p in index_of_pair]:
            new = min(found)
            pair = self._pairs[new - BASE_VOCAB_SIZE]
            merged: list[int] = []
            place = 0
            while place < len(indexes):
                is_pair = (*indexes[place : place + 2],) == pair
                merged.append(new if is_pair else indexes[place])
                place += 2 if is_pair else 1
            indexes = merged
            yield new, indexes

    def _apply_long(self, chunk: bytes) -> list[int]:
        """Merge every occurrence of the lowest pair until there is none, in O(n log n).

        The symbols are a linked list. The positions of a pair are noted when it is
        created, and skipped if the pair is gone when its pass comes. They are in order:
        the pass that makes the newer of its two indexes notes all of them.
        """
        index_of_pair = self._index_of_pair.get
        size = len(chunk)
        symbols = array("i", iter(chunk))
        symbols.append(_GONE)  # ends the list, on both sides
        following = array("q", range(1, size + 1))
        preceding = array("q", range(-1, size))  # -1 is the last place, which ends the list
        places: dict[int, array[int]] = {}
        for place, new in enumerate(map(index_of_pair, pairwise(chunk))):
            if new is not None:
                if new not in places:
                    places[new] = array("q")
                places[new].append(place)
        passes = list(places)
        heapify(passes)
        while passes:
            new = heappop(passes)
            left, right = self._pairs[new - BASE_VOCAB_SIZE]
            for place in places.pop(new):
                partner = following[place]
                if symbols[place] != left or symbols[partner] != right:
                    continue
                symbols[place], symbols[partner] = new, _GONE
                before, after = preceding[place], following[partner]
                following[place], preceding[after] = after, place
                for start, later in (
                    (before, index_of_pair((symbols[before], new))),
                    (place, index_of_pair((new, symbols[after]))),
                ):
                    if later is None:
                        continue
                    if later not in places:
                        places[later] = array("q")
                        heappush(passes, later)
                    places[later].append(start)
        return [self._indexes[symbol] for symbol in symbols if symbol != _GONE]


def unreachable(merges: Sequence[Pair]) -> list[int]:
    """Return the indexes that the bytes of their tokens do not encode to, in order.

    The bytes of a merge encode to it if both parts encode to themselves, no earlier merge has its
    pair, and none crosses its middle (`Reachable.reachable_iff` in docs/proof).
    """
    indexes: dict[Pair, int] = {}
    found: dict[int, None] = {}
    for new, pair in enumerate(merges, BASE_VOCAB_SIZE):
        again = indexes.setdefault(pair, new) != new
        if again or not found.keys().isdisjoint(pair) or _is_torn(pair, merges, indexes):
            found[new] = None
    return [*found]


def _is_torn(pair: Pair, merges: Sequence[Pair], indexes: Mapping[Pair, int]) -> bool:
    """Return whether a merge crosses the middle before both parts are complete.

    At any time, one token ends at the middle and one starts there. Going back in time, the
    later of the two is replaced by its own part at the middle. Each existed until it became
    part of the next; if a merge of the two has a lower rank than that, it happened first. In
    the single pass that makes both, the leftmost pair is merged first.
    """
    left, right = pair
    left_until = right_until = _NO_MERGE + BASE_VOCAB_SIZE  # no index is so high
    while left >= 256 or right >= 256:
        if left >= right:
            left_until, left = left, merges[left - 256][1]
        else:
            right_until, right = right, merges[right - 256][0]
        merged = indexes.get((left, right))
        if merged is not None and merged < left_until and merged <= right_until:
            return True
    return False
