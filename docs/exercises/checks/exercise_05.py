"""The check of exercise 5: merge a pair."""

from itertools import product

from answers.exercise_05 import merge_pair
from checks.judge import Question

_CASES = [
    ([1, 2], (1, 2), 256),
    ([5, 1, 2, 6], (1, 2), 256),
    ([1, 2, 3, 1, 2], (1, 2), 300),
    ([97, 97, 97], (97, 97), 256),
    ([97, 97, 97, 97], (97, 97), 256),
    ([], (1, 2), 256),
    *(
        (list(ids), pair, 256)
        for length in range(1, 7)
        for ids in product((97, 98), repeat=length)
        for pair in ((97, 98), (97, 97))
    ),
]

CHECKS = (Question("merge_pair", merge_pair, _CASES).check,)
