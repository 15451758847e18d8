"""The check of exercise 6: the tie rule."""

from collections.abc import Iterator
from itertools import permutations

from answers.exercise_06 import best_pair
from checks._judge import Case, Misunderstanding, Question, check_function
from checks._learner import Learner
from given import Pair


def _first_seen(counts: dict[Pair, int]) -> Pair:
    return max(counts, key=lambda pair: counts[pair])


def _last_seen(counts: dict[Pair, int]) -> Pair:
    return max(reversed(counts), key=lambda pair: counts[pair])


def _largest(counts: dict[Pair, int]) -> Pair:
    return max(counts, key=lambda pair: (counts[pair], pair))


def _left_alone(counts: dict[Pair, int]) -> Pair:
    return min(counts, key=lambda pair: (-counts[pair], pair[0]))


def _right_first(counts: dict[Pair, int]) -> Pair:
    return min(counts, key=lambda pair: (-counts[pair], pair[1], pair[0]))


def _by_sum(counts: dict[Pair, int]) -> Pair:
    return min(counts, key=lambda pair: (-counts[pair], sum(pair)))


def _by_digits(counts: dict[Pair, int]) -> Pair:
    return min(counts, key=lambda pair: (-counts[pair], str(pair)))


def _lowest_count(counts: dict[Pair, int]) -> Pair:
    return min(counts, key=lambda pair: (counts[pair], pair))


def _explain(arguments: Case, expected: object, came: object) -> str:
    (counts,) = arguments
    if not isinstance(counts, dict) or came not in counts:
        return ""
    right, wrong = counts[expected], counts[came]
    if right != wrong:
        return f"{expected} stands {right} times, {came} {wrong}."
    return f"Both stand {right} times, and {expected} < {came}."


_QUESTION = Question(
    "best_pair",
    best_pair,
    [
        Misunderstanding(
            lambda counts: (best_pair(counts), max(counts.values())),
            "This is the pair with its count; the pair alone is asked for.",
        ),
        Misunderstanding(_lowest_count, "This is the pair with the lowest count."),
        Misunderstanding(
            _first_seen,
            "Of several pairs with the highest count this takes the one that was put into the dict "
            "first, as `max` does. Then the same text in another order gives another tokenizer.",
        ),
        Misunderstanding(
            _last_seen,
            "Of several pairs with the highest count this takes the one that was put into the dict "
            "last. Then the same text in another order gives another tokenizer.",
        ),
        Misunderstanding(
            _largest,
            "Of several pairs with the highest count this takes the largest. Some trainers do; "
            "the rule here is the smallest. (`max` of (count, pair) wants both large: give it "
            "what makes a small pair win.)",
        ),
        Misunderstanding(
            _left_alone,
            "Two pairs with the same left id are still a tie: then the right id decides.",
        ),
        Misunderstanding(_right_first, "The left id decides first, then the right one."),
        Misunderstanding(_by_sum, "The sum of two ids says nothing: the left id decides first."),
        Misunderstanding(
            _by_digits,
            "Ids are numbers, and were compared as text: 9 is smaller than 10, but '9' is not "
            "smaller than '10'.",
        ),
    ],
    _explain,
)

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


def check(learner: Learner) -> Iterator[str]:
    """Check counts with ties, each in every order of the dict."""
    cases = [(dict(items),) for counts in _COUNTS for items in permutations(counts.items())]
    yield check_function(learner, _QUESTION, list(cases))
