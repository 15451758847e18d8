"""The check of exercise 10: the special token, and all of encoding."""

from answers.exercise_10 import encode, segments
from checks.judge import Question
from given import Pair

_TEXTS = [
    "a<|endoftext|>b c",
    "no special token here",
    "",
    "<|endoftext|>",
    "a<|endoftext|>",
    "<|endoftext|><|endoftext|>",
    " a <|endoftext|> b ",
    "<|endoftext",
    "endoftext|>",
    "either|or <x>",
    "a<|ENDOFTEXT|>b",
    "<|endo<|endoftext|>text|>",
    "ab\n<|endoftext|>\n\n<|endoftext|>ab ab",
]
_MORE = ["ab<|endoftext|>ab", "ab ab", "", "ab ab abab", *_TEXTS]
_MERGES: list[list[Pair]] = [[(97, 98), (32, 256)], [], [(98, 32), (97, 256), (257, 97)]]

CHECKS = (
    Question("segments", segments, [(text,) for text in _TEXTS]).check,
    Question("encode", encode, [(text, merges) for merges in _MERGES for text in _MORE]).check,
)
