"""The check of exercise 14: GPT-4's splitter."""

import re
from itertools import product
from pathlib import Path
from typing import Final

from answers.exercise_14 import gpt4_split
from checks.judge import Question
from checks.words import paragraph, token_text
from given import CODE, PROSE

_ALTERNATIVES: Final = {
    r"(?i:'(?:[stmd]|re|ve|ll))": "alternative 1, a contraction",
    r"[^\r\nA-Za-z0-9]?[A-Za-z]+": "alternative 2, letters and one character before them",
    r"[0-9]{1,3}": "alternative 3, up to three digits",
    r" ?[^\sA-Za-z0-9]+[\r\n]*": "alternative 4, other characters and the line breaks after them",
    r"\s*[\r\n]+": "alternative 5, whitespace up to its last line break",
    r"\s+(?!\S)": "alternative 6, whitespace without the last character, which is left to the text",
    r"\s": "alternative 7, the one whitespace character that alternative 6 leaves",
}
_SMALL: Final = [
    *("a", "low lower", "12", "a1", "1234", "1234567", "in 12", "it's", "IT'S", "'tis", "we'Re"),
    *("f(x)", "\tx", "a\nb", "a (b", "wait...", "end.\nA", "end.\n\n\nA", "a.  b", "a  b"),
    *("a \n b", "a\n\n  b", "  ", "a ", " \n \n  x", "x;\r\n\ty", "\r\n \r\n 7"),
]
_LONG: Final = [Path(path).read_text(encoding="utf-8") for path in (*PROSE, *CODE)]
_TEXTS: Final = [
    *_SMALL,
    *("".join(some) for length in (2, 3) for some in product("sT1 .'\n", repeat=length)),
    *(f"{part}\n" for text in _LONG for part in text.split("\n\n") if part.isascii()),
]


def _why(case: tuple[str], expected: list[str], got: list[str]) -> str:
    """Name the first wrong chunk, and the alternative that makes the right one."""
    (text,) = case
    joined = "" if "".join(got) == text else "Joined, the chunks must be the text."
    pairs = enumerate(zip(expected, [*got, *expected], strict=False))
    index, right = next(((n, right) for n, (right, wrong) in pairs if right != wrong), (0, ""))
    start = len("".join(expected[:index]))
    by = next(words for one, words in _ALTERNATIVES.items() if re.compile(one).match(text, start))
    return paragraph(f"{joined} Chunk {index} is {token_text(right)}, by {by}.".strip())


CHECKS = (Question("gpt4_split", gpt4_split, [(text,) for text in _TEXTS], _why).check,)
