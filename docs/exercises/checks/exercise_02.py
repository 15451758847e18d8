"""The check of exercise 2: text to bytes, and back."""

from answers.exercise_02 import to_ids, to_text
from checks.judge import Question

_TEXTS = ["Hi", "", "a b\n", "naïve", "£5", "€", "日本", "👍", "e\u0301", "\x00\x7f"]
_TEXTS += ["Ünder 👩\u200d👧!"]
_NOT_TEXT = [[0x80], [72, 0xC3], [0xE6, 0x97], [0xC3, 0x28], [0xF0, 0x9F, 0x91], [0xED, 0xA0, 0x80]]
_IDS = [*map(to_ids, _TEXTS), *_NOT_TEXT]

CHECKS = (
    Question("to_ids", to_ids, [(text,) for text in _TEXTS]).check,
    Question("to_text", to_text, [(ids,) for ids in _IDS]).check,
)
