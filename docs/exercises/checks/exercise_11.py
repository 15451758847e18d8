"""The check of exercise 11: make it fast.

Nothing is timed. What is counted is how many chunks a merge reads.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from answers.exercise_06 import best_pair
from answers.exercise_11 import index_pairs, merge_step
from checks._judge import Misunderstanding, Question, check_function, refuse_failure
from checks._learner import Call, Learner, Outcome, Returned
from checks._words import OffError, call_text, paragraph
from given import Pair, chunks_of

_STORY = "low low low low lower lower newest newest newest newest newest newest widest wider"
_CORPORA = [
    "ab ab ab",
    "abc bcd",
    "xabx abab",
    "aaaa aa",
    "aaaaa baaab aaa aaa",
    "abababab babab",
    _STORY,
]
_MERGES = 12


@dataclass
class _State:
    """A corpus in training, as `merge_step` is given it; all but times changes."""

    chunks: list[list[int]]
    times: list[int]
    counts: dict[Pair, int]
    places: dict[Pair, set[int]]

    @classmethod
    def of(cls, text: str) -> "_State":
        numbers = Counter(chunks_of(text))
        chunks, times = [list(chunk) for chunk in numbers], list(numbers.values())
        return cls(chunks, times, *index_pairs(chunks, times))

    def copy(self) -> "_State":
        """Return the same, which changes apart."""
        return _State(*self.arguments())

    def arguments(self) -> tuple[list[list[int]], list[int], dict[Pair, int], dict[Pair, set[int]]]:
        """Return the first four arguments of `merge_step`, without what is gone."""
        return (
            [list(ids) for ids in self.chunks],
            list(self.times),
            {pair: count for pair, count in self.counts.items() if count},
            {pair: set(numbers) for pair, numbers in self.places.items() if numbers},
        )


def _without_times(
    chunks: list[list[int]], _times: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    return index_pairs(chunks, [1] * len(chunks))


_INDEX = Question(
    "index_pairs",
    index_pairs,
    [
        Misunderstanding(
            _without_times,
            "Each chunk was counted once. A pair in chunks[n] stands times[n] times in the corpus.",
        ),
    ],
)


@dataclass(frozen=True)
class _Merge:
    """One merge that is asked for: the corpus before and after it."""

    before: _State
    pair: Pair
    new_id: int
    after: _State

    @property
    def arguments(self) -> tuple[object, ...]:
        """Return what `merge_step` is given."""
        return (*self.before.arguments(), self.pair, self.new_id)

    @property
    def shown(self) -> str:
        """Return the call as it would be written."""
        return call_text("merge_step", self.arguments)


def check(learner: Learner) -> Iterator[str]:
    """Check the index, then each merge of some corpora: what it changes, and what it reads."""
    states = [_State.of(text) for text in _CORPORA]
    yield check_function(learner, _INDEX, [(state.chunks, state.times) for state in states])
    merges = [merge for state in states for merge in _merges_of(state)]
    calls = [Call("merge_step", merge.arguments, watched=0) for merge in merges]
    seen = [
        _seen_by_a_right_merge(merge, outcome)
        for merge, outcome in zip(merges, learner.outcomes(calls), strict=False)
    ]
    yield f"merge_step: all {len(merges)} merges are right"
    for merge, places in zip(merges, seen, strict=True):
        _refuse_needless_reading(merge, places)
    whole = sum(len(merge.before.chunks) for merge in merges)
    yield ""
    yield paragraph(
        f"They read {sum(map(len, seen))} chunks. To count all pairs again after each would have "
        f"read {whole}, and the larger the corpus is, the more that is."
    )


def _merges_of(state: _State) -> Iterator[_Merge]:
    """Yield the first merges of a corpus."""
    for new_id in range(256, 256 + _MERGES):
        before = state.copy()
        if not before.counts:
            return
        pair = best_pair(before.counts)
        merge_step(state.chunks, state.times, state.counts, state.places, pair, new_id)
        yield _Merge(before, pair, new_id, state.copy())


def _seen_by_a_right_merge(merge: _Merge, outcome: Outcome) -> frozenset[int]:
    """Return which chunks a merge has read, if what it changed is right."""
    if not isinstance(outcome, Returned):
        refuse_failure(outcome, merge.shown)
    chunks, times, counts, places = outcome.after[:4]
    if times != merge.after.times:
        off = "times was changed. How often a chunk stands in the corpus stays what it is."
        raise OffError(merge.shown, off)
    if off := _off_chunks(merge.after, chunks):
        raise OffError(merge.shown, paragraph(off))
    if off := _off_counts(merge, counts) or _off_places(merge.after, places):
        now = f"The chunks are now {merge.after.chunks}."
        raise OffError(merge.shown, paragraph(off), paragraph(now))
    return outcome.seen


def _refuse_needless_reading(merge: _Merge, seen: frozenset[int]) -> None:
    holders = merge.before.places[merge.pair]
    if not seen <= holders:
        words = (
            f"The result is right, but it read {len(seen)} chunks of {len(merge.before.chunks)}, "
            f"and the pair stands in {len(holders)}: {sorted(holders)}. Go through places[pair] "
            f"alone; for a whole book that is nearly all of the work."
        )
        raise OffError(merge.shown, paragraph(words))


def _off_chunks(after: _State, chunks: object) -> str:
    if chunks == after.chunks:
        return ""
    if not isinstance(chunks, list) or len(chunks) != len(after.chunks):
        return "chunks must keep its length: put each new chunk where the old one was."
    number = next(n for n, ids in enumerate(after.chunks) if chunks[n] != ids)
    return (
        f"chunks[{number}] is {chunks[number]} after the merge, and must be "
        f"{after.chunks[number]}. Assign it: chunks[{number}] = ..."
    )


def _off_counts(merge: _Merge, counts: object) -> str:
    if not isinstance(counts, dict):
        return "counts must stay a dict."
    for pair in [merge.pair, *sorted({*merge.after.counts, *counts})]:
        right, came = merge.after.counts.get(pair, 0), counts.get(pair, 0)
        if right != came:
            said = f"counts[{pair}] is {came} after the merge, and must be {right}."
            if pair == merge.pair:
                return f"{said} The merged pair is gone: all its places were taken."
            if merge.new_id in pair:
                return f"{said} {_about_new(merge.after, pair, came, right)}"
            return f"{said} {_about_old(merge.before.counts.get(pair, 0), came, right)}"
    return ""


def _about_new(after: _State, pair: Pair, came: int, right: int) -> str:
    if not came:
        return "The new id has neighbours, and is in new pairs with them."
    if came == len(after.places[pair]):
        return "Was times[n] added for each place, or 1?"
    if came > right:
        return "Was it counted twice, from the left side and from the right?"
    return "Where two merged pairs stand side by side, the new id is its own neighbour."


def _about_old(before: int, came: int, right: int) -> str:
    if came == before:
        return (
            "The count is stale: it is what it was before the merge, which took an id of this "
            "pair away. Pairs beside a merged one lose it as their neighbour."
        )
    if right == before:
        return "The merge took no place of this pair: an id of it that is left over stays."
    if came < right:
        return (
            "Too much was taken away. Where two merged pairs stand side by side, the place between "
            "them is easily taken away twice: simplest is to take out all pairs of a chunk before "
            "it is merged, and to put in all pairs after."
        )
    return "Too little was taken away. Does it count times[n] for each place, and each place?"


def _off_places(after: _State, places: object) -> str:
    if not isinstance(places, dict):
        return "places must stay a dict."
    for one in sorted({*after.places, *places}):
        right, came = after.places.get(one, set()), places.get(one, set())
        if right != came:
            return (
                f"places[{one}] is {came or 'empty'} after the merge, and must be "
                f"{right or 'empty'}: the numbers of the chunks that hold the pair now."
            )
    return ""
