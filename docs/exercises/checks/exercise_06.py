"""The check of exercise 6: the tie rule."""

from itertools import permutations

from answers.exercise_06 import best_pair
from checks.judge import Question
from given import Pair

_COUNTS: list[dict[Pair, int]] = [
    {(1, 2): 1},
    {(1, 2): 3, (3, 4): 5, (5, 6): 4},
    {(1, 2): 5, (3, 4): 5},
    {(3, 1): 7, (1, 9): 7, (1, 2): 5},
    {(1, 9): 7, (1, 2): 7, (4, 1): 7},
    {(9, 10): 2, (10, 9): 2, (10, 10): 1},
    {(256, 97): 4, (98, 300): 4, (98, 299): 3},
    {(2, 8): 6, (3, 1): 6, (2, 9): 6},
]


def _why(case: tuple[dict[Pair, int]], expected: Pair, got: Pair) -> str:
    (counts,) = case
    if got not in counts:
        return f"{got} is not one of the pairs."
    if counts[expected] == counts[got]:
        return f"Both occur {counts[got]} times, and {expected} < {got}."
    return f"{expected} occurs {counts[expected]} times, {got} {counts[got]} times."


_CASES = [(dict(items),) for counts in _COUNTS for items in permutations(counts.items())]
CHECKS = (Question("best_pair", best_pair, _CASES, _why).check,)
