"""The check of exercise 3: where the pattern cuts."""

import re
from typing import Final

from answers.exercise_03 import CHUNKS
from checks.judge import Constant
from checks.words import paragraph, token_text

_RULES: Final = {
    r"'(?:[sdmt]|ll|ve|re)": "rule 1: a contraction, an apostrophe and lowercase letters",
    r" ?[^\W\d_]+": "rule 2: letters, with one space before them",
    r" ?\d+": "rule 3: digits, with one space before them",
    r" ?(?:[^\w\s]|_)+": "rule 4: other marks, with one space before them",
}


def _why(case: tuple[str], expected: list[str], got: list[str]) -> str:
    """Name the mistake in the first wrong chunk, and the rule that gives the right one."""
    (text,) = case
    if not got:
        return "This list is still empty."
    pairs = enumerate(zip([*expected, ""], [*got, ""], strict=False))
    index, right, wrong = next(((n, a, b) for n, (a, b) in pairs if a != b), (0, "", ""))
    words = [_mistake(text, right, wrong, "".join(got))]
    if right:
        behind = text[len("".join(expected[: index + 1])) :]
        words.append(f"Chunk {index} is {token_text(right)}, by {_rule(right, behind)}.")
    return "\n\n".join(paragraph(line) for line in words if line)


def _rule(chunk: str, behind: str) -> str:
    """Return the rule that gives a chunk, considering the text after it."""
    if not chunk.isspace():
        return next(words for rule, words in _RULES.items() if re.fullmatch(rule, chunk))
    if not behind:
        return "rule 5: all of the whitespace, because nothing follows"
    if behind[0].isspace():
        return "rule 5: whitespace without its last character, which is left to what follows"
    return "rule 6: whitespace, here one character that is not a space, so rule 5 has nothing"


def _mistake(text: str, right: str, wrong: str, joined: str) -> str:
    """Return the first sentence that fits a wrong chunk."""
    same_marks = "".join(joined.split()) == "".join(text.split())
    part = "whitespace is missing" if same_marks else "text is missing or new"
    sentences = {
        "A chunk is never empty.": right == wrong,
        "A space belongs to what follows it, not to what comes before it.": (
            right.strip() and wrong == f"{right} "
        ),
        f"Joined, the chunks must be the text. Some {part}.": joined != text,
        "A contraction is a chunk of its own, and its apostrophe belongs to it.": (
            re.fullmatch(r"'[a-z]+", right) or re.search(r"\w'[a-z]", wrong)
        ),
        "Rule 1 knows only lowercase contractions.": (
            right == "'" or re.fullmatch(r"\w*'[A-Z]+", wrong)
        ),
        "Letters, digits and other marks never share a chunk.": (
            re.search(r"[^\W\d_][\d_]|[\d_][^\W\d_]|\w[^\w\s']", wrong)
        ),
        "A rule takes as much as it can: adjacent marks are one chunk.": (
            len(right) > len(wrong) and right.startswith(wrong) and not right.strip().isalnum()
        ),
        "A space before a word belongs to the chunk of the word.": (
            right.startswith(" ") and right.strip() and wrong in {" ", right.strip()}
        ),
        "Rule 5 leaves the last whitespace to what follows; a space then belongs to the word.": (
            wrong.isspace() and wrong.startswith(right)
        ),
        "Only a space can belong to the word after it; a tab or a newline cannot.": (
            re.match(r"[\t\n]\w", wrong)
        ),
    }
    return next((words for words, fits in sentences.items() if fits), "")


_FORM = "Keep the texts of the starting file, and give each one a list of chunks."
CHECKS = (Constant("CHUNKS", CHUNKS, [(text,) for text in CHUNKS], trace=_why, form=_FORM).check,)
