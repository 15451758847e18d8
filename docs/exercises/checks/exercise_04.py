"""The check of exercise 4: count pairs."""

from answers.exercise_04 import count_pairs
from checks.judge import Question

_CASES: list[dict[tuple[int, ...], int]] = [
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

CHECKS = (Question("count_pairs", count_pairs, [(case,) for case in _CASES]).check,)
