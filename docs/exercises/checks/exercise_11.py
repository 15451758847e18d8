"""The check of exercise 11: make it fast.

Nothing is timed. What is counted is how many chunks a merge reads.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from answers.exercise_06 import best_pair
from answers.exercise_11 import index_pairs, merge_step
from checks._judge import Misunderstanding, Question, check_function, refuse_failure
from checks._learner import Call, Learner, Returned
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


def check(learner: Learner) -> Iterator[str]:
    """Check the index, then each merge of some corpora: what it changes, and what it reads."""
    states = [_State.of(text) for text in _CORPORA]
    yield check_function(learner, _INDEX, [(state.chunks, state.times) for state in states])
    before, calls = _steps(states)
    outcomes = learner.outcomes([Call("merge_step", call, watched=0) for call in calls])
    read = whole = 0
    for state, call, outcome in zip(before, calls, outcomes, strict=False):
        shown = call_text("merge_step", call)
        if not isinstance(outcome, Returned):
            refuse_failure(outcome, shown)
        if off := _off(state, call, outcome):
            raise OffError(shown, paragraph(off))
        read, whole = read + len(outcome.seen), whole + len(state.chunks)
    yield f"merge_step: all {len(calls)} merges are right"
    yield ""
    yield paragraph(
        f"They read {read} chunks. To count all pairs again after each would have read {whole}, "
        f"and the larger the corpus is, the more that is."
    )


def _steps(states: list[_State]) -> tuple[list[_State], list[tuple[object, ...]]]:
    """Return what each merge of each corpus begins with, and its arguments."""
    before: list[_State] = []
    calls: list[tuple[object, ...]] = []
    for state in states:
        for new_id in range(256, 256 + _MERGES):
            counts = {pair: count for pair, count in state.counts.items() if count}
            if not counts:
                break
            pair = best_pair(counts)
            before.append(state.copy())
            calls.append((*state.arguments(), pair, new_id))
            merge_step(state.chunks, state.times, state.counts, state.places, pair, new_id)
    return before, calls


def _off(state: _State, call: tuple[object, ...], outcome: Returned) -> str:
    """Return what is off after a merge, or nothing."""
    pair, new_id = call[4], call[5]
    if not isinstance(pair, tuple) or not isinstance(new_id, int):
        return ""
    left, right = pair
    after = state.copy()
    merge_step(after.chunks, after.times, after.counts, after.places, (left, right), new_id)
    chunks, times, counts, places = outcome.after[:4]
    if times != after.times:
        return "times was changed. How often a chunk stands in the corpus stays what it is."
    if off := _off_chunks(after, chunks):
        return off
    if off := (
        _off_counts(state, after, counts, (left, right), new_id) or _off_places(after, places)
    ):
        return f"{off} The chunks are now {after.chunks}."
    return _off_reading(state.places[left, right], outcome.seen, len(state.chunks))


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


def _off_counts(before: _State, after: _State, counts: object, pair: Pair, new_id: int) -> str:
    if not isinstance(counts, dict):
        return "counts must stay a dict."
    for one in [pair, *sorted({*after.counts, *counts})]:
        right, came = after.counts.get(one, 0), counts.get(one, 0)
        if right == came:
            continue
        said = f"counts[{one}] is {came} after the merge, and must be {right}. "
        if one == pair:
            return f"{said}The merged pair is gone: all its places were taken."
        if new_id in one:
            return f"{said}{_about_new(after, one, came, right)}"
        if came == before.counts.get(one, 0):
            return (
                f"{said}The count is stale: it is what it was before the merge, which took an id "
                f"of this pair away. Pairs beside a merged one lose it as their neighbour."
            )
        return f"{said}{_about_old(came, right)}"
    return ""


def _about_new(after: _State, pair: Pair, came: int, right: int) -> str:
    if not came:
        return "The new id has neighbours, and is in new pairs with them."
    if came == len(after.places[pair]):
        return "Was times[n] added for each place, or 1?"
    if came > right:
        return "Was it counted twice, from the left side and from the right?"
    return "Where two merged pairs stand side by side, the new id is its own neighbour."


def _about_old(came: int, right: int) -> str:
    if came < right:
        return (
            "Too much was taken away. In a run such as 97 97 97 97 the same place is easily "
            "taken away twice: simplest is to take out all pairs of a chunk before it is merged, "
            "and to put in all pairs after."
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


def _off_reading(holders: set[int], seen: frozenset[int], chunks: int) -> str:
    if seen <= holders:
        return ""
    return (
        f"The result is right, but it read {len(seen)} chunks of {chunks}, and the pair stands in "
        f"{len(holders)}: {sorted(holders)}. Go through places[pair] alone; for a whole book "
        f"that is nearly all of the work."
    )
