"""The pairs of a corpus in training: find the most frequent one, and merge it.

Glossary
    symbols  a chunk in training: a `str` with one character for each index
    line     several chunks with the same count, sorted, with a gap between them
    pair     two adjacent indexes in a chunk, as the `str` of their two characters
    count    the number of occurrences of a chunk or a pair in the corpus
    created  a pair is created by the merge that makes the newer of its two indexes

Idea: equal chunks merge alike, so each distinct chunk is stored once, with its count. A
merge changes only the counts of the pairs around it, so pairs are counted once, and then
their counts are updated.

One `str.split` finds a pair in all the chunks of a line. Sorting puts chunks that begin
alike into one line. The gap is the character of the byte 0xFF, which never occurs in UTF-8, so
no counted pair contains it and no merge crosses it.

Each count has a list of pairs. The pairs with the highest count are in a heap, which
returns the smallest first: characters compare like their indexes.

Why this is exact: every pair that a merge creates contains the new index, so no later merge
adds to the count of a pair. Counts only fall, so a pair is in the list of its count or of a
higher one, and moves down when that list is used. The highest count only falls, because a
new pair is at most as frequent as the merged one. And all lines that may contain a pair
are known when it is created.

Not here: when to stop, and the bytes of the new tokens (`_trainer`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from operator import add
from typing import Final

_GAP: Final = "\xff"
_LINE_SYMBOLS: Final = 128


class Pairs:
    """Every pair of the corpus, with its count and the lines in which it was created.

    Args:
        chunks: the symbols of each chunk, and its count.
    """

    def __init__(self, chunks: Iterable[tuple[str, int]]) -> None:
        self._lines: list[str] = []
        counts: list[int] = []
        for count, equally_frequent in _by_count(chunks):
            self._lines += _lines_of(equally_frequent)
            counts += [count] * (len(self._lines) - len(counts))
        self._count_of_line = counts.__getitem__
        self._counts: dict[str, int] = {}
        self._holders: dict[str, list[int]] = {}
        self._waiting: dict[int, list[str]] = {}
        self._waiting_counts: list[int] = []
        self._highest = 0
        self._pairs_of_highest: list[str] = []
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for place, line in enumerate(self._lines):
            for pair in map(add, line, line[1:]):
                holders[pair].append(place)
        for pair, lines_with_it in holders.items():
            if _GAP not in pair:
                self._add(pair, lines_with_it)

    def take_most_frequent(self) -> tuple[str, int]:
        """Return the pair to merge next and its count, or ("", 0) if there is no pair."""
        while True:
            while self._pairs_of_highest:
                pair = heappop(self._pairs_of_highest)
                count = self._counts[pair]
                if count == self._highest:
                    return pair, count
                if count:
                    self._wait(pair, count)  # its count has fallen since
                else:
                    del self._counts[pair], self._holders[pair]
            if not self._waiting_counts:
                return "", 0
            self._highest = -heappop(self._waiting_counts)
            self._pairs_of_highest = self._waiting.pop(self._highest)
            heapify(self._pairs_of_highest)

    def merge(self, pair: str, new: str) -> None:
        """Replace the pair with the symbol `new` everywhere, and update the counts.

        `str.split` finds the occurrences that the specification merges: from left to
        right, without overlaps. Their neighbors are the ends of the parts.
        """
        left, right = pair[0], pair[1]
        lines = self._lines
        # For each neighbor, the lines in which it occurs, once for each occurrence.
        before: defaultdict[str, list[int]] = defaultdict(list)
        after: defaultdict[str, list[int]] = defaultdict(list)
        side_by_side: list[int] = []
        for place in dict.fromkeys(self._holders.pop(pair)):
            parts = lines[place].split(pair)
            if len(parts) == 1:
                continue  # an earlier merge took one of the two symbols
            lines[place] = new.join(parts)
            if first := parts[0]:
                before[first[-1]].append(place)
            if last := parts[-1]:
                after[last[0]].append(place)
            for part in parts[1:-1]:
                if part:
                    after[part[0]].append(place)
                    before[part[-1]].append(place)
                else:
                    side_by_side.append(place)
        before.pop(_GAP, None)
        after.pop(_GAP, None)
        for neighbor, holders in before.items():
            self._replace(neighbor + left, neighbor + new, holders)
        for neighbor, holders in after.items():
            self._replace(right + neighbor, new + neighbor, holders)
        if side_by_side:
            self._replace(right + left, new + new, side_by_side)
        del self._counts[pair]  # last: a pair that was broken may be this one, as in aaa

    def apply(self, pair: str, new: str) -> None:
        """Replace a pair out of turn, if it occurs, however frequent it is."""
        if self._counts.get(pair):
            self.merge(pair, new)
            # The list of its former count still has the pair.
            self._counts[pair] = 0
            self._holders[pair] = []

    def _replace(self, old: str, created: str, holders: list[int]) -> None:
        """Move occurrences from a pair that a merge broke to the pair that it created."""
        self._counts[old] -= self._add(created, holders)

    def _add(self, pair: str, holders: list[int]) -> int:
        """Add a new pair, and return its count."""
        count = sum(map(self._count_of_line, holders))
        self._counts[pair] = count
        self._holders[pair] = holders
        self._wait(pair, count)
        return count

    def _wait(self, pair: str, count: int) -> None:
        """Put a pair into the heap if its count is the highest, or into the list of its count."""
        if count == self._highest:
            heappush(self._pairs_of_highest, pair)
        elif count in self._waiting:
            self._waiting[count].append(pair)
        else:
            self._waiting[count] = [pair]
            heappush(self._waiting_counts, -count)


def _by_count(chunks: Iterable[tuple[str, int]]) -> Iterable[tuple[int, list[str]]]:
    """Return the symbols of the chunks with each count, sorted."""
    by_count: defaultdict[int, list[str]] = defaultdict(list)
    for symbols, count in chunks:
        by_count[count].append(symbols)
    for equally_frequent in by_count.values():
        equally_frequent.sort()
    return by_count.items()


def _lines_of(chunks: Iterable[str]) -> Iterator[str]:
    """Yield the lines; each except the last has at least `_LINE_SYMBOLS` symbols."""
    line: list[str] = []
    length = 0
    for symbols in chunks:
        line.append(symbols)
        length += len(symbols)
        if length >= _LINE_SYMBOLS:
            yield _GAP.join(line)
            line, length = [], 0
    if line:
        yield _GAP.join(line)
