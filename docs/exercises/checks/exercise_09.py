"""The check of exercise 9: decode."""

from answers.exercise_09 import decode
from checks.judge import Question

_VOCAB = {72: b"H", 105: b"i", 195: b"\xc3", 169: b"\xa9"}
_VOCAB |= {256: b"i!", 257: b" H", 258: b"\xa9e\xcc"}
_IDS = [[72, 105], [72, 256, 257, 256], [], [195, 169], [72, 195, 258, 169, 105], [195], [72, 169]]
_IDS += [[195, 195, 169], [999], [72, 105, 259], [-1]]

CHECKS = (Question("decode", decode, [(ids, _VOCAB) for ids in _IDS]).check,)
