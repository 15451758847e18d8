"""The check of exercise 11: make it fast.

The check does not measure time. It makes each merge once more, without the chunks that lack the
pair: a merge that reads only its own chunks gives the same result.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from answers.exercise_06 import best_pair
from answers.exercise_11 import index_pairs, merge_step
from checks.judge import Case, Question
from checks.learner import Learner, Returned
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
    pair, before = case[4], case[2]
    for name, wanted in expected.items():
        nothing = 0 if name == "counts" else "empty"
        for key in [pair, *before, *wanted, *got[name]]:
            right, found = wanted.get(key, nothing), got[name].get(key, nothing)
            if right != found:
                why = _RULES["pair"] if (name, key) == ("counts", pair) else _RULES[name]
                now = f"The chunks are now {list(expected['chunks'].values())}."
                words = f"{name}[{key}] is {found} after the merge and must be {right}. {why}"
                return f"{paragraph(words)}\n\n{paragraph(now)}"
    return ""


_RULES = {
    "times": "The number of times that a chunk occurs stays the same.",
    "chunks": "Assign the merged ids: chunks[n] = ...",
    "pair": "The merged pair is gone: the merge used up all its occurrences.",
    "counts": "The pairs next to a merged pair lose a neighbor, and the new id gets neighbors. The "
    "simplest way: subtract all pairs of a chunk before it is merged, and add all its pairs after, "
    "times[n] for each occurrence.",
    "places": "These are the numbers of the chunks that contain the pair now.",
}
_CASES = [case for text in _CORPORA for case in _merges(text)]
_STARTS = [case[:2] for text in _CORPORA for case in islice(_merges(text), 1)]
_MERGE_STEP = Question("merge_step", _merged, _CASES, _why, effect=_effect)


def _check_reading(learner: Learner) -> Iterator[str]:
    """Check that each merge needs only the chunks that contain the pair."""
    calls = []
    for chunks, times, counts, places, pair, new_id in _CASES:
        some = [ids if number in places[pair] else None for number, ids in enumerate(chunks)]
        calls.append(("merge_step", (some, times, counts, places, pair, new_id)))
    for case, outcome in zip(_CASES, learner.outcomes(calls), strict=False):
        if not isinstance(outcome, Returned):
            words = (
                f"The result is right, but it read other chunks than those that contain the pair: "
                f"{sorted(case[3][case[4]])}. Read only the chunks in places[pair]; in a whole "
                f"book the others are nearly all of the work."
            )
            raise WrongError(_MERGE_STEP.shown(case), paragraph(words))
    read = sum(len(case[3][case[4]]) for case in _CASES)
    yield "\n" + paragraph(
        f"These merges read {read} chunks. Counting all pairs again after each merge would read "
        f"{sum(len(case[0]) for case in _CASES)}, and the larger the corpus, the larger the "
        f"difference."
    )


CHECKS = (
    Question("index_pairs", index_pairs, _STARTS).check,
    _MERGE_STEP.check,
    _check_reading,
)
