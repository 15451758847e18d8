"""The pairs of a corpus under training: which is the most frequent, and what merging it changes.

Words
    symbols  a chunk as it stands in training: a `str` with one character for each id
    pair     two neighbouring ids in a chunk, as the `str` of their two characters
    count    how often a chunk or a pair stands in the corpus
    born     a pair is born in the merge that makes the newer of its two ids

Idea: equal chunks merge alike, so each distinct chunk is held once, with its count. A
merge changes the counts of the pairs around it and no others, so pairs are counted once,
and then their counts are kept up to date.

Pairs wait in a list for each count. Those of the highest count stand in a heap, which
gives the smallest first: characters compare as their ids do.

What makes this exact: a merge makes a new id, so every pair that it adds holds that id,
and nothing later adds to the count of a pair. Counts only fall, so a pair is found where
its count once was, never below, and is moved down when its turn comes. The highest count
only falls, too: a new pair stands no more often than the one that was merged. And the
chunks that may hold a pair are all known when it is born.

Not here: when to stop, and what the merges make (`_trainer`).
"""

from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from operator import add

__all__ = ["Pairs"]


class Pairs:
    """Every pair in the corpus, with its count and with the chunks in which it was born."""

    def __init__(self, chunks: Mapping[str, int]) -> None:
        # Latin-1 has the character n for the byte n.
        self._symbols = [chunk.encode("utf-8").decode("latin-1") for chunk in chunks]
        self._count_of_chunk = list(chunks.values()).__getitem__
        self._counts: dict[str, int] = {}
        self._holders: dict[str, list[int]] = {}
        self._waiting: dict[int, list[str]] = {}
        self._waiting_counts: list[int] = []
        self._highest = 0
        self._pairs_of_highest: list[str] = []
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for chunk, symbols in enumerate(self._symbols):
            for pair in map(add, symbols, symbols[1:]):
                holders[pair].append(chunk)
        for pair, chunks_with_it in holders.items():
            self._add(pair, chunks_with_it)

    def take_most_frequent(self) -> tuple[str, int]:
        """Return the pair to merge next and its count, or ("", 0) if there is no pair."""
        while True:
            while self._pairs_of_highest:
                pair = heappop(self._pairs_of_highest)
                count = self._counts[pair]
                if count == self._highest:
                    return pair, count
                if count:
                    self._wait(pair, count)  # it has fallen since it was put here
                else:
                    del self._counts[pair], self._holders[pair]
            if not self._waiting_counts:
                return "", 0
            self._highest = -heappop(self._waiting_counts)
            self._pairs_of_highest = self._waiting.pop(self._highest)
            heapify(self._pairs_of_highest)

    def merge(self, pair: str, new: str) -> None:
        """Put the symbol `new` for the pair everywhere, and bring the counts up to date.

        `str.split` finds the occurrences that the specification merges: from left to
        right, none overlapping another. The ends of the parts are the neighbours.
        """
        left, right = pair[0], pair[1]
        symbols = self._symbols
        # For each neighbour of an occurrence: the chunks, one entry for each occurrence.
        before: defaultdict[str, list[int]] = defaultdict(list)
        after: defaultdict[str, list[int]] = defaultdict(list)
        side_by_side: list[int] = []
        for chunk in dict.fromkeys(self._holders.pop(pair)):
            parts = symbols[chunk].split(pair)
            if len(parts) == 1:
                continue  # an earlier merge took one of the two symbols
            symbols[chunk] = new.join(parts)
            if first := parts[0]:
                before[first[-1]].append(chunk)
            if last := parts[-1]:
                after[last[0]].append(chunk)
            for part in parts[1:-1]:
                if part:
                    after[part[0]].append(chunk)
                    before[part[-1]].append(chunk)
                else:
                    side_by_side.append(chunk)
        for neighbour, holders in before.items():
            self._replace(neighbour + left, neighbour + new, holders)
        for neighbour, holders in after.items():
            self._replace(right + neighbour, new + neighbour, holders)
        if side_by_side:
            self._replace(right + left, new + new, side_by_side)
        del self._counts[pair]

    def _replace(self, old: str, born: str, holders: list[int]) -> None:
        """Move occurrences from a pair that a merge broke up to the pair that it made."""
        self._counts[old] -= self._add(born, holders)

    def _add(self, pair: str, holders: list[int]) -> int:
        """Take in a pair that has just been born, and return its count."""
        count = sum(map(self._count_of_chunk, holders))
        self._counts[pair] = count
        self._holders[pair] = holders
        self._wait(pair, count)
        return count

    def _wait(self, pair: str, count: int) -> None:
        """Put a pair where it is found when its count is the highest."""
        if count == self._highest:
            heappush(self._pairs_of_highest, pair)
        elif count in self._waiting:
            self._waiting[count].append(pair)
        else:
            self._waiting[count] = [pair]
            heappush(self._waiting_counts, -count)
