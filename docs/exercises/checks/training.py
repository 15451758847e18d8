"""Follow training merge by merge, to show why a merge is right or wrong."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from checks.words import paragraph, token_text
from given import Pair, chunks_of

_ROWS: Final = 8


@dataclass(frozen=True)
class Step:
    """A corpus after some merges: the ids of its chunks in order, and the bytes of each id."""

    chunks: list[tuple[int, ...]]
    tokens: list[bytes]
    before: "Step | None" = None

    @classmethod
    def after(cls, text: str, merges: list[Pair]) -> Self:
        """Return a corpus after some merges."""
        step = cls([tuple(chunk) for chunk in chunks_of(text)], [bytes([n]) for n in range(256)])
        for pair in merges:
            step = step.merged(pair)
        return step

    def merged(self, pair: Pair) -> Self:
        """Return the corpus after one more merge."""
        chunks = [tuple(merge_pair(list(ids), pair, len(self.tokens))) for ids in self.chunks]
        return type(self)(chunks, [*self.tokens, self.bytes_of(pair)], self)

    @property
    def counts(self) -> dict[Pair, int]:
        """Return the count of each pair."""
        return count_pairs(Counter(self.chunks))

    def bytes_of(self, pair: Pair) -> bytes:
        """Return the bytes that a merge of the pair would join."""
        return self.tokens[pair[0]] + self.tokens[pair[1]]

    def pair_text(self, pair: Pair) -> str:
        """Return the tokens of a pair as text."""
        return " + ".join(token_text(self.tokens[token_id]) for token_id in pair)

    def table(self) -> str:
        """Return the most frequent pairs, in the order of merging."""
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))[:_ROWS]
        rows = [f"  {count:>5}  {self.pair_text(pair):<16}  {pair}" for pair, count in ranked]
        return "\n".join(["  count  pair", *rows])

    def why_not(self, right: Pair, wrong: Pair) -> str:
        """Say why one pair is merged before another, and show the counts."""
        return f"{paragraph(self._reason(right, wrong))}\n\n{self.table()}"

    def _reason(self, right: Pair, wrong: Pair) -> str:
        if not 0 <= min(wrong) <= max(wrong) < len(self.tokens):
            return f"There is no id {max(wrong)} yet: the last one is {len(self.tokens) - 1}."
        count, most, text = self.counts.get(wrong, 0), self.counts[right], self.pair_text(wrong)
        before = self.before.counts.get(wrong, 0) if self.before else 0
        made = token_text(self.tokens[-1])
        if count == most:
            return (
                f"Both occur {_times(most)}: a tie. The smaller pair of ids is merged, and {right} "
                f"is smaller than {wrong}."
            )
        if count:
            stale = (
                f" It occurred {_times(before)} before {made} was made: count again after every "
                f"merge, because a merge takes ids away from other pairs."
            )
            return (
                f"{text} occurs {_times(count)} at this point, {self.pair_text(right)} "
                f"{_times(most)}.{stale if before >= most else ''}"
            )
        why = " at this point."
        if before:
            why = f" any more: the merge that made {made} used it up."
        elif any((left[-1], right[0]) == wrong for left, right in pairwise(self.chunks)):
            why = " in a chunk: between the two, one chunk ends and the next begins."
        elif wrong[::-1] in self.counts:
            why = ", only the reverse. The left token comes first."
        return f"{text} does not occur{why}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
