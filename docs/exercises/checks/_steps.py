"""Training followed merge by merge, to say why one merge is right and another is not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from checks._words import paragraph, token_text
from given import Pair, chunks_of

__all__ = ["Step"]

_ROWS: Final = 8


@dataclass(frozen=True)
class Step:
    """A corpus after some merges.

    chunks: the ids of each chunk, in the order of the text.
    tokens: the bytes of each id.
    counts: each pair, with its count.
    before: the step before, if there is one.
    """

    chunks: Sequence[tuple[int, ...]]
    tokens: Sequence[bytes]
    counts: Mapping[Pair, int]
    before: "Step | None" = None

    @classmethod
    def after(cls, text: str, merges: Sequence[Pair]) -> Self:
        """Return a corpus after some merges."""
        chunks = [tuple(chunk) for chunk in chunks_of(text)]
        tokens = [bytes([value]) for value in range(256)]
        step = cls(chunks, tokens, count_pairs(Counter(chunks)))
        for pair in merges:
            step = step.merged(pair)
        return step

    def merged(self, pair: Pair) -> Self:
        """Return the corpus after one merge more."""
        chunks = [tuple(merge_pair(list(ids), pair, len(self.tokens))) for ids in self.chunks]
        tokens = [*self.tokens, self.tokens[pair[0]] + self.tokens[pair[1]]]
        return type(self)(chunks, tokens, count_pairs(Counter(chunks)), self)

    def pair_text(self, pair: Pair) -> str:
        """Return a pair as its tokens and its ids."""
        left, right = (token_text(self.tokens[token_id]) for token_id in pair)
        return f"{left} + {right}"

    def why_not(self, expected: Pair, came: Pair) -> str:
        """Say why one pair is merged next, and not the other."""
        right, wrong = self.counts[expected], self.counts.get(came, 0)
        if came[0] >= len(self.tokens) or came[1] >= len(self.tokens) or min(came) < 0:
            words = f"There is no id {max(came)} yet: the last one is {len(self.tokens) - 1}."
        elif not wrong:
            words = self._why_gone(came)
        elif wrong < right:
            words = (
                f"{self.pair_text(came)} stands {_times(wrong)} at this point, "
                f"{self.pair_text(expected)} {_times(right)}. {self._why_stale(came, right)}"
            )
        else:
            words = (
                f"Both stand {_times(right)}: a tie. The smaller pair of ids is taken, "
                f"and {expected} is smaller than {came}."
            )
        return f"{paragraph(words)}\n\n{self.table()}"

    def _why_gone(self, came: Pair) -> str:
        text = self.pair_text(came)
        if self.before and self.before.counts.get(came):
            made = token_text(self.tokens[-1])
            return f"{text} stands nowhere any more: the merge that made {made} took it all."
        if any((left[-1], right[0]) == came for left, right in pairwise(self.chunks)):
            return f"{text} stands in no chunk: the two meet where one ends and the next begins."
        if (came[1], came[0]) in self.counts:
            return f"{text} stands nowhere. It is there the other way round: the left one first."
        return f"{text} stands nowhere at this point."

    def _why_stale(self, came: Pair, right: int) -> str:
        before = self.before.counts.get(came, 0) if self.before else 0
        if before < right:
            return ""
        made = token_text(self.tokens[-1])
        return (
            f"It stood {_times(before)} before {made} was made: count again after every merge, "
            f"as a merge takes ids away from other pairs."
        )

    def table(self) -> str:
        """Return the most frequent pairs, the one to be merged first."""
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        rows = [
            f"  {count:>5}  {self.pair_text(pair):<16}  {pair}" for pair, count in ranked[:_ROWS]
        ]
        return "\n".join(["  count  pair", *rows])


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
