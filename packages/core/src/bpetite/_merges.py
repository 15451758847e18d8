"""Apply a list of merges to the bytes of a chunk.

The specification: for each merge, in the order of learning, one pass over the chunk replaces
every occurrence of its pair, from left to right.

The fact behind both ways below: a merge makes an id larger than both of its parts, so every
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
"""Two ids that a merge joins."""

_NO_MERGE: Final = MAX_VOCAB_SIZE
_GONE: Final = -1


class Merges:
    """The merges of a tokenizer: the pair at rank r makes the id 256 + r."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        # One object for each id: in an array or a range, each access makes a new one.
        self._ids = [*range(BASE_VOCAB_SIZE + len(pairs))]
        # Reversed, so that the first of two equal pairs applies.
        last_to_first = reversed(self._ids[BASE_VOCAB_SIZE:])
        self._id_of_pair = dict(zip(reversed(pairs), last_to_first, strict=True))

    def apply(self, chunk: bytes) -> list[int]:
        """Return the ids of a chunk after all merges."""
        return self._apply_short(chunk) if len(chunk) <= _SHORT_BYTES else self._apply_long(chunk)

    def steps(self, chunk: bytes) -> Iterator[tuple[int, list[int]]]:
        """Yield each pass that changes a chunk: the new id, and the ids after it.

        This is the specification without a shortcut, for people to look at.

        >>> list(Merges([(97, 98), (32, 256)]).steps(b" ab"))
        [(256, [32, 256]), (257, [257])]
        """
        ids = list(chunk)
        while found := [self._id_of_pair[p] for p in pairwise(ids) if p in self._id_of_pair]:
            new = min(found)
            pair = self._pairs[new - BASE_VOCAB_SIZE]
            merged: list[int] = []
            place = 0
            while place < len(ids):
                is_pair = (*ids[place : place + 2],) == pair
                merged.append(new if is_pair else ids[place])
                place += 2 if is_pair else 1
            ids = merged
            yield new, ids

    def _apply_short(self, chunk: bytes) -> list[int]:
        """Merge the leftmost occurrence of the lowest pair until there is none, in O(n^2)."""
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
        """Merge every occurrence of the lowest pair until there is none, in O(n log n).

        The symbols are a linked list. The positions of a pair are noted when it is
        created, and skipped if the pair is gone when its pass comes. They are in order:
        the pass that makes the newer of its two ids notes all of them.
        """
        id_of_pair = self._id_of_pair.get
        size = len(chunk)
        symbols = array("i", iter(chunk))
        symbols.append(_GONE)  # ends the list, on both sides
        following = array("q", range(1, size + 1))
        preceding = array("q", range(-1, size))
        places: dict[int, array[int]] = {}
        for place, new in enumerate(map(id_of_pair, pairwise(chunk))):
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
                    (before, id_of_pair((symbols[before], new))),
                    (place, id_of_pair((new, symbols[after]))),
                ):
                    if later is None:
                        continue
                    if later not in places:
                        places[later] = array("q")
                        heappush(passes, later)
                    places[later].append(start)
        return [self._ids[symbol] for symbol in symbols if symbol != _GONE]


def unreachable(merges: Sequence[Pair]) -> list[int]:
    """Return the ids that the bytes of their tokens do not encode to, in order.

    The bytes of a merge encode to it if both parts encode to themselves, no earlier merge has its
    pair, and none crosses its middle (`Reachable.reachable_iff` in docs/proof).
    """
    ids: dict[Pair, int] = {}
    found: dict[int, None] = {}
    for new, pair in enumerate(merges, BASE_VOCAB_SIZE):
        again = ids.setdefault(pair, new) != new
        if again or not found.keys().isdisjoint(pair) or _is_torn(pair, merges, ids):
            found[new] = None
    return [*found]


def _is_torn(pair: Pair, merges: Sequence[Pair], ids: Mapping[Pair, int]) -> bool:
    """Return whether a merge crosses the middle before both parts are complete.

    At any time, one token ends at the middle and one starts there. Going back in time, the
    later of the two is replaced by its own part at the middle. Each existed until it became
    part of the next; if a merge of the two has a lower rank than that, it happened first. In
    the single pass that makes both, the leftmost pair is merged first.
    """
    left, right = pair
    left_until = right_until = _NO_MERGE + BASE_VOCAB_SIZE  # no id is so high
    while left >= 256 or right >= 256:
        if left >= right:
            left_until, left = left, merges[left - 256][1]
        else:
            right_until, right = right, merges[right - 256][0]
        merged = ids.get((left, right))
        if merged is not None and merged < left_until and merged <= right_until:
            return True
    return False
