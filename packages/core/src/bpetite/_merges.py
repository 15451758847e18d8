"""What a list of merges does to the bytes of a chunk, and where it changes nothing.

The specification: for each merge in the order in which it was learned, one pass over the
chunk replaces every occurrence of its pair, from left to right.

Rank order is minimum rank: a merge makes an id larger than both of its parts, so every
pair that its pass creates belongs to a later merge. Applying the lowest merge that is
present, again and again, thus makes the same passes, except those that find nothing.
`Merges.apply` relies on this.

Adjacent tokens: if the bytes of two tokens are adjacent, each token is made as it would
be alone, unless a merge takes a symbol from both. At any time the two symbols at the
boundary are on the right edge of the left token's tree of merges and on the left edge of
the right one's. So a walk down the two edges finds such a merge, if there is one.
`Merges.keep_apart` relies on this.

Source of the second: Hendrik van Antwerpen and Alexander Neubeck, "So many tokens, so
little time" (2024).

Not here: when a chunk is taken apart and when the merges are applied (`_encoder`).
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from bpetite._constants import BASE_VOCAB_SIZE, MAX_VOCAB_SIZE

__all__ = ["Merges"]

_GONE = -1


class Merges:
    """The merges of a tokenizer: at rank r the pair that makes the id 256 + r."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._pairs = pairs
        first_to_last = range(BASE_VOCAB_SIZE, BASE_VOCAB_SIZE + len(pairs))
        # From the back: of a pair that is listed twice, the first counts.
        self._id_of_pair = dict(zip(reversed(pairs), reversed(first_to_last), strict=True))
        self._left = [*range(BASE_VOCAB_SIZE), *(left for left, _ in pairs)]
        self._right = [*range(BASE_VOCAB_SIZE), *(right for _, right in pairs)]

    def apply(self, chunk: bytes) -> list[int]:
        """Return the ids of a chunk of n bytes, after all merges, in O(n log n).

        The symbols stand in a linked list. The places of a pair are noted when it comes
        about; those at which it no longer stands when its pass comes are passed over.
        """
        id_of_pair = self._id_of_pair.get
        size = len(chunk)
        symbols = [*chunk, _GONE]  # the last ends the list, on both sides
        following = list(range(1, size + 1))
        preceding = list(range(-1, size))
        places: dict[int, list[int]] = {}
        for place, new in enumerate(map(id_of_pair, pairwise(chunk))):
            if new is not None:
                places.setdefault(new, []).append(place)
        passes = list(places)
        heapify(passes)
        while passes:
            new = heappop(passes)
            left, right = self._pairs[new - BASE_VOCAB_SIZE]
            for place in sorted(places.pop(new)):
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
                        places[later] = []
                        heappush(passes, later)
                    places[later].append(start)
        return [symbol for symbol in symbols if symbol != _GONE]

    def keep_apart(self, left: int, right: int, token: int = _GONE) -> bool:
        """Return whether no merge crosses from one token into the next, except into `token`.

        This goes from the end back to the bytes: the younger of the two symbols at the
        boundary is taken apart. Their pair merges if its turn comes before that of the
        merges that use them up. Of two merges at the same time, the left one goes first.
        """
        id_of_pair = self._id_of_pair.get
        left_used_up = right_used_up = MAX_VOCAB_SIZE
        while True:
            merged = id_of_pair((left, right), MAX_VOCAB_SIZE)
            if merged < left_used_up and merged <= right_used_up and merged != token:
                return False
            if left < BASE_VOCAB_SIZE and right < BASE_VOCAB_SIZE:
                return True
            if left >= right:
                left_used_up, left = left, self._right[left]
            else:
                right_used_up, right = right, self._left[right]

    def self_encoding_tokens(self) -> list[int]:
        """Return the ids of the tokens whose bytes encode to the token itself.

        In a trained vocabulary these are all tokens; in one made by hand, some may be missing.
        """
        stays = [True] * BASE_VOCAB_SIZE
        for token, (left, right) in enumerate(self._pairs, BASE_VOCAB_SIZE):
            stays.append(stays[left] and stays[right] and self.keep_apart(left, right, token))
        return [token for token, stayed in enumerate(stays) if stayed]
