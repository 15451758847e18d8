"""The check of exercise 4: count pairs."""

from answers.exercise_04 import count_pairs
from checks.judge import Question

_CASES: list[list[list[int]]] = [
    [[1, 2]],
    [[1, 2, 3]],
    [[1, 2], [1, 2]],
    [[1, 2, 1, 2]],
    [[1, 2], [3, 4]],
    [[1, 2], [1, 2], [3, 1, 2]],
    [[1, 2], [2, 1]],
    [[97, 97, 97]],
    [[97, 97, 97, 97], [97], [97, 97, 97, 97]],
    [[7]],
    [],
    [[97, 97, 98, 97, 97], [98, 97, 97, 97], [97, 97, 98, 97, 97]],
    [[32, 108, 111, 119], [108, 111, 119], [32, 108, 111, 119, 101, 114]],
    [[256, 256, 256, 257], [257, 256], [256, 256, 256, 257]],
]

CHECKS = (Question("count_pairs", count_pairs, [(case,) for case in _CASES]).check,)
