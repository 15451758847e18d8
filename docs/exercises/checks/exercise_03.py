"""The check of exercise 3: where the pattern cuts."""

import re
from typing import Final

from answers.exercise_03 import CHUNKS
from checks.judge import Constant
from checks.words import paragraph, token_text

_RULES: Final = {
    r"'(?:[sdmt]|ll|ve|re)": "rule 1: a contraction, an apostrophe and lowercase letters",
    r" ?[^\W\d_]+": "rule 2: letters, as many as there are, with one space before them",
    r" ?\d+": "rule 3: digits, as many as there are, with one space before them",
    r" ?(?:[^\w\s]|_)+": "rule 4: other marks, as many as there are, with one space before them",
}


def _why(case: tuple[str], expected: list[str], got: list[str]) -> str:
    """Name the first chunk that is wrong, and the rule that gives the right one."""
    (text,) = case
    if not got:
        return "This list is still empty."
    words = "" if "".join(got) == text else "Joined, the chunks must be the text. "
    pairs = enumerate(zip(expected, [*got, *expected], strict=False))
    index, right = next(((n, right) for n, (right, wrong) in pairs if right != wrong), (0, ""))
    if not right:
        return paragraph(f"{words}Nothing is left of it after chunk {len(expected) - 1}.")
    start = len("".join(expected[:index]))
    rule = _rule(right, text[start + len(right) :])
    where = f"Chunk {index} is wrong. It begins at position {start}, with {token_text(right[0])}"
    return paragraph(f"{words}{where}, and there you need {rule}.")


def _rule(chunk: str, behind: str) -> str:
    """Return the rule that gives a chunk, considering the text after it."""
    if not chunk.isspace():
        return next(words for rule, words in _RULES.items() if re.fullmatch(rule, chunk))
    if not behind:
        return "rule 5: all of the whitespace, because nothing follows"
    if behind[0].isspace():
        return "rule 5: whitespace without its last character, which is left to what follows"
    return "rule 6: whitespace, here one character that is not a space, so rule 5 has nothing"


_FORM = "Keep the texts of the starting file, and give each one a list of chunks."
CHECKS = (Constant("CHUNKS", CHUNKS, [(text,) for text in CHUNKS], trace=_why, form=_FORM).check,)
