"""The check of exercise 4: count pairs."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from answers.exercise_04 import count_pairs
from checks._judge import Misunderstanding, Question, check_function
from checks._learner import Learner
from given import Pair

_Chunks: TypeAlias = dict[tuple[int, ...], int]

_CASES: list[_Chunks] = [
    {(1, 2): 1},
    {(1, 2, 3): 1},
    {(1, 2): 10},
    {(1, 2, 1, 2): 1},
    {(1, 2): 1, (3, 4): 1},
    {(1, 2): 2, (3, 1, 2): 5},
    {(1, 2): 1, (2, 1): 1},
    {(97, 97, 97): 1},
    {(97, 97, 97, 97): 3, (97,): 9},
    {(7,): 4},
    {},
    {(97, 97, 98, 97, 97): 2, (98, 97, 97, 97): 1},
    {(32, 108, 111, 119): 3, (108, 111, 119): 1, (32, 108, 111, 119, 101, 114): 2},
    {(256, 256, 256, 257): 4, (257, 256): 1},
]


def _without_times(chunks: _Chunks) -> dict[Pair, int]:
    return count_pairs(dict.fromkeys(chunks, 1))


def _once_for_each_chunk(chunks: _Chunks) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids, times in chunks.items():
        for pair in dict.fromkeys(pairwise(ids)):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def _without_overlap(chunks: _Chunks) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids, times in chunks.items():
        last_counted: dict[Pair, int] = {}
        for place, pair in enumerate(pairwise(ids)):
            if last_counted.get(pair, -2) != place - 1:
                last_counted[pair] = place
                counts[pair] = counts.get(pair, 0) + times
    return counts


def _every_other(chunks: _Chunks) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids, times in chunks.items():
        for pair in list(pairwise(ids))[::2]:
            counts[pair] = counts.get(pair, 0) + times
    return counts


def _across_chunks(chunks: _Chunks) -> dict[Pair, int]:
    return count_pairs({tuple(token for ids, n in chunks.items() for token in ids * n): 1})


def _unordered(chunks: _Chunks) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for (left, right), count in count_pairs(chunks).items():
        pair = (min(left, right), max(left, right))
        counts[pair] = counts.get(pair, 0) + count
    return counts


def _overwritten(chunks: _Chunks) -> dict[Pair, int]:
    return {
        pair: count for ids, n in chunks.items() for pair, count in count_pairs({ids: n}).items()
    }


_QUESTION = Question(
    "count_pairs",
    count_pairs,
    [
        Misunderstanding(
            _without_times,
            "Each chunk was counted once, however often it stands in the corpus. A pair in a chunk "
            "that stands 10 times counts 10.",
        ),
        Misunderstanding(
            _every_other,
            "Every other pair was passed over. Each id but the last begins a pair: in (1, 2, 3) "
            "there are (1, 2) and (2, 3).",
        ),
        Misunderstanding(
            _once_for_each_chunk,
            "A pair that stands twice in a chunk was counted once. Each place counts.",
        ),
        Misunderstanding(
            _without_overlap,
            "Pairs that overlap were counted once: in 97 97 97 the pair (97, 97) stands at two "
            "places, and counts 2. Merging uses ids up, counting does not.",
        ),
        Misunderstanding(
            _across_chunks,
            "Pairs were counted where one chunk ends and the next begins. The two ids of a pair "
            "stand in the same chunk.",
        ),
        Misunderstanding(
            _unordered,
            "(1, 2) and (2, 1) were counted as one. They are different pairs: merged, they would "
            "be different bytes.",
        ),
        Misunderstanding(
            _overwritten,
            "The count of the last chunk took the place of what was counted before. Add to it.",
        ),
    ],
)


def check(learner: Learner) -> Iterator[str]:
    """Check the counts of small corpora, the smallest first."""
    yield check_function(learner, _QUESTION, [(chunks,) for chunks in _CASES])
