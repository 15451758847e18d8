"""Follow training merge by merge, to show why a merge is right or wrong."""

from dataclasses import dataclass
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

    @classmethod
    def after(cls, documents: list[str], merges: list[Pair]) -> Self:
        """Return a corpus after some merges."""
        chunks = [tuple(chunk) for document in documents for chunk in chunks_of(document)]
        step = cls(chunks, [bytes([n]) for n in range(256)])
        for pair in merges:
            step = step.merged(pair)
        return step

    def merged(self, pair: Pair) -> Self:
        """Return the corpus after one more merge."""
        chunks = [tuple(merge_pair(list(ids), pair, len(self.tokens))) for ids in self.chunks]
        return type(self)(chunks, [*self.tokens, self.tokens[pair[0]] + self.tokens[pair[1]]])

    @property
    def counts(self) -> dict[Pair, int]:
        """Return the count of each pair."""
        return count_pairs([*map(list, self.chunks)])

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

    def hint(self, right: Pair, wrong: Pair) -> str:
        """Say what is wrong with a pair, by the rules, and do not name the right one."""
        count, most = self.counts.get(wrong, 0), self.counts[right]
        if count == most:
            tied = [*self.counts.values()].count(most)
            return (
                f"{tied} pairs occur {_times(most)} at this point: a tie. The pair with the "
                f"smallest left id is merged, and among those the one with the smallest right id. "
                f"Yours has the ids {wrong}."
            )
        if count:
            return (
                f"{self.pair_text(wrong)} occurs {_times(count)} at this point, and another pair "
                f"{_times(most)}. Count every pair in every chunk, and again after each merge."
            )
        return self._reason(right, wrong)

    def _reason(self, right: Pair, wrong: Pair) -> str:
        if not 0 <= min(wrong) <= max(wrong) < len(self.tokens):
            return f"There is no id {max(wrong)} yet: the last one is {len(self.tokens) - 1}."
        count, most, text = self.counts.get(wrong, 0), self.counts[right], self.pair_text(wrong)
        if count == most:
            return (
                f"Both occur {_times(most)}: a tie. The smaller pair of ids is merged, and {right} "
                f"is smaller than {wrong}."
            )
        if count:
            again = "Count again after every merge: it takes ids away from other pairs."
            return (
                f"{text} occurs {_times(count)} at this point, {self.pair_text(right)} "
                f"{_times(most)}. {again if len(self.tokens) > 256 else ''}"
            )
        return (
            f"{text} does not occur in a chunk at this point: an earlier merge used it up, the "
            f"tokens are in the other order, or one chunk ends between them."
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
