"""The check of exercise 5: merge a pair."""

from collections.abc import Iterator
from itertools import product

from answers.exercise_05 import merge_pair
from checks._judge import Misunderstanding, Question, check_function
from checks._learner import Learner
from given import Pair


def _first_only(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    for place in range(len(ids) - 1):
        if (ids[place], ids[place + 1]) == pair:
            return [*ids[:place], new_id, *ids[place + 2 :]]
    return list(ids)


def _from_the_right(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return merge_pair(ids[::-1], (pair[1], pair[0]), new_id)[::-1]


def _used_twice(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + 2]) == pair:
            merged.append(new_id)
            last = place + 2 >= len(ids)
            place += 2 if last or tuple(ids[place + 1 : place + 3]) != pair else 1
        else:
            merged.append(ids[place])
            place += 1
    return merged


def _second_left_over(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    for place, token_id in enumerate(ids):
        merged.append(new_id if tuple(ids[place : place + 2]) == pair else token_id)
    return merged


def _last_lost(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    place = 0
    while place < len(ids) - 1:
        joined = (ids[place], ids[place + 1]) == pair
        merged.append(new_id if joined else ids[place])
        place += 2 if joined else 1
    return merged


def _either_way(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    place = 0
    while place < len(ids):
        joined = tuple(ids[place : place + 2]) in {pair, (pair[1], pair[0])}
        merged.append(new_id if joined else ids[place])
        place += 2 if joined else 1
    return merged


def _run_collapsed(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    for token_id in merge_pair(ids, pair, new_id):
        last = merged[-1] if merged else None
        if not (last == new_id and token_id in {new_id, pair[1]} and pair[0] == pair[1]):
            merged.append(token_id)
    return merged


_QUESTION = Question(
    "merge_pair",
    merge_pair,
    [
        Misunderstanding(
            _last_lost,
            "The last id was lost. It begins no pair, but it is still there.",
        ),
        Misunderstanding(
            _second_left_over,
            "The new id took the place of the left id, and the right one stayed. It stands for "
            "both: go on two places further.",
        ),
        Misunderstanding(
            _first_only,
            "Only the first place was merged. The pair is replaced wherever it stands.",
        ),
        Misunderstanding(
            _either_way,
            "The pair was merged the other way round, too. (2, 1) is not (1, 2).",
        ),
        Misunderstanding(
            _used_twice,
            "An id was used for two merged pairs: of 97 97 97 the first two become the new id, "
            "and then the second is used up. The third stays.",
        ),
        Misunderstanding(
            _from_the_right,
            "This merges from the right. From the left, the first two of 97 97 97 are merged, and "
            "the third stays.",
        ),
        Misunderstanding(
            _run_collapsed,
            "A whole run became one new id. A merge takes two ids: 97 97 97 97 becomes two "
            "new ids.",
        ),
    ],
)


def check(learner: Learner) -> Iterator[str]:
    """Check the merges of every short sequence of two ids, the shortest first."""
    cases = [
        ([1, 2], (1, 2), 256),
        ([5, 1, 2, 6], (1, 2), 256),
        ([1, 2, 3, 1, 2], (1, 2), 300),
        ([97, 97, 97], (97, 97), 256),
        ([97, 97, 97, 97], (97, 97), 256),
        ([], (1, 2), 256),
    ]
    short = [list(ids) for length in range(1, 7) for ids in product((97, 98), repeat=length)]
    cases += [(ids, pair, 256) for ids in short for pair in ((97, 98), (97, 97))]
    yield check_function(learner, _QUESTION, list(cases))
