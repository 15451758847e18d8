"""The check of exercise 11: make it fast.

The check counts the chunks that a merge reads; it does not measure time.
"""

import copy
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, Final

from answers.exercise_06 import best_pair
from answers.exercise_11 import index_pairs, merge_step
from checks.judge import Case, Question
from checks.learner import Call, Learner, Returned
from checks.words import WrongError, paragraph
from given import chunks_of

_CORPORA = ["ab ab ab", "abc bcd", "xabx abab", "aaaa aa", "aaaaa baaab aaa aaa", "abababab babab"]
_CORPORA += ["low low low low lower lower newest newest newest newest newest newest widest wider"]
_MERGES: Final = 12


def _merges(text: str) -> Iterator[Case]:
    """Yield the arguments of the first merges of a corpus."""
    times_of = Counter(chunks_of(text))
    chunks, times = [list(chunk) for chunk in times_of], list(times_of.values())
    for new_id in range(256, 256 + _MERGES):
        counts, places = index_pairs(chunks, times)
        if not counts:
            return
        pair = best_pair(counts)
        yield copy.deepcopy((chunks, times, counts, places, pair, new_id))
        merge_step(chunks, times, counts, places, pair, new_id)


def _merged(*case: Any) -> object:  # noqa: ANN401 - the arguments of `merge_step`
    merge_step(*case)
    return _effect(case)


def _effect(after: Case) -> dict[str, dict[Any, Any]]:
    """Return the state after a merge, without pairs whose count is 0."""
    chunks, times, counts, places = after[:4]
    return {
        "times": dict(enumerate(times)),
        "chunks": dict(enumerate(chunks)),
        "counts": {pair: count for pair, count in counts.items() if count},
        "places": {pair: numbers for pair, numbers in places.items() if numbers},
    }


def _why(case: Case, expected: dict[str, Any], got: dict[str, Any]) -> str:
    """Explain the first difference after a merge."""
    _, _, before, _, pair, new_id = case
    for name, wanted in expected.items():
        nothing = 0 if name == "counts" else "empty"
        for key in [pair, *before, *wanted, *got[name]]:
            right, found = wanted.get(key, nothing), got[name].get(key, nothing)
            if right == found:
                continue
            why = {
                "times": "The number of times that a chunk occurs stays the same.",
                "chunks": f"Assign it: chunks[{key}] = ...",
                "places": "These are the numbers of the chunks that contain the pair now.",
            }.get(name) or (
                "The merged pair is gone: the merge used up all its occurrences."
                if key == pair
                else _why_new(expected["places"].get(key, ()), found, right)
                if new_id in key
                else _why_old(before.get(key, 0), found, right)
            )
            now = f"The chunks are now {list(expected['chunks'].values())}."
            words = f"{name}[{key}] is {found} after the merge and must be {right}. {why}"
            return f"{paragraph(words)}\n\n{paragraph(now)}"
    return ""


def _why_new(holders: Collection[int], count: int, right: int) -> str:
    """Explain the wrong count of a pair with the new id."""
    if not count:
        return "The new id has neighbors and forms new pairs with them."
    if count == len(holders):
        return "Did you add times[n] for each occurrence, or 1?"
    if count > right:
        return "Was it counted twice, from the left and from the right?"
    return "Where two merged pairs are adjacent, the new id is its own neighbor."


def _why_old(before: int, count: int, right: int) -> str:
    """Explain the wrong count of a pair without the new id."""
    if count == before:
        return (
            "The count is stale: it is the count before the merge, which took an id of this pair "
            "away. The pairs next to a merged pair lose a neighbor."
        )
    if right == before:
        return "The merge used up no occurrence of this pair: an id that is left over stays."
    if count < right:
        return (
            "Too much was subtracted. Where two merged pairs are adjacent, it is easy to subtract "
            "the pair between them twice. The simplest way: subtract all pairs of a chunk before "
            "it is merged, and add all its pairs after."
        )
    return "Too little was subtracted. Subtract times[n] for each occurrence."


_CASES = [case for text in _CORPORA for case in _merges(text)]
_STARTS = [case[:2] for text in _CORPORA for case in islice(_merges(text), 1)]
_MERGE_STEP = Question("merge_step", _merged, _CASES, _why, effect=_effect)


def _check_reading(learner: Learner) -> Iterator[str]:
    """Check that each merge reads only the chunks that contain the pair."""
    whole, total = 0, 0
    outcomes = learner.outcomes([Call("merge_step", case, watched=0) for case in _CASES])
    for case, outcome in zip(_CASES, outcomes, strict=False):
        read = outcome.seen if isinstance(outcome, Returned) else set()
        holders = case[3][case[4]]
        if not read <= holders:
            words = (
                f"The result is right, but it read {len(read)} chunks of {len(case[0])}, and the "
                f"pair occurs in {len(holders)}: {sorted(holders)}. Read only the chunks in "
                f"places[pair]; in a whole book the others are nearly all of the work."
            )
            raise WrongError(_MERGE_STEP.shown(case), paragraph(words))
        whole, total = whole + len(case[0]), total + len(read)
    yield "\n" + paragraph(
        f"These merges read {total} chunks. Counting all pairs again after each merge would read "
        f"{whole}, and the larger the corpus, the larger the difference."
    )


CHECKS = (
    Question("index_pairs", index_pairs, _STARTS).check,
    _MERGE_STEP.check,
    _check_reading,
)
