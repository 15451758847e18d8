"""The check of exercise 3: where the pattern cuts."""

import re
from collections.abc import Iterator
from typing import Final

from answers.exercise_03 import CHUNKS
from checks._judge import constants
from checks._learner import Learner
from checks._words import NotBegunError, OffError, facing, paragraph, token_text
from given import chunks_of

_RULES: Final = {
    r"'(?:[sdmt]|ll|ve|re)": "rule 1: a contraction, an apostrophe and small letters",
    r" ?[^\W\d_]+": "rule 2: letters, and one space in front belongs to them",
    r" ?\d+": "rule 3: digits, and one space in front belongs to them",
    r" ?(?:[^\w\s]|_)+": "rule 4: other marks, and one space in front belongs to them",
}


def check(learner: Learner) -> Iterator[str]:
    """Compare the chunks of each text."""
    (found,) = constants(learner, ["CHUNKS"])
    if not isinstance(found, dict) or found.keys() != CHUNKS.keys():
        message = "CHUNKS must have the texts of the starting file as its keys, as they were."
        raise OffError(message)
    if not any(found.values()):
        message = "The lists in CHUNKS are still empty."
        raise NotBegunError(message)
    for number, text in enumerate(CHUNKS):
        expected = [chunk.decode("utf-8") for chunk in chunks_of(text)]
        if found[text] != expected:
            where = f"the chunks of {text!r}"
            said = _explain(text, expected, found[text])
            count = f"{number} of {len(CHUNKS)} texts were right before it."
            raise OffError(where, facing(expected, found[text]), said, count)
    yield f"all {len(CHUNKS)} texts are right"


def _explain(text: str, expected: list[str], came: object) -> str:
    if not isinstance(came, list) or not all(isinstance(chunk, str) for chunk in came):
        return "The chunks of a text are a list of texts."
    if not came:
        return "This list is still empty."
    place = next(
        (n for n, (a, b) in enumerate(zip(expected, came, strict=False)) if a != b),
        min(len(expected), len(came)),
    )
    right = expected[place] if place < len(expected) else ""
    wrong = came[place] if place < len(came) else ""
    words = [_misunderstanding(text, right, wrong, "".join(came))]
    if right:
        before = len("".join(expected[: place + 1]))
        words.append(f"Chunk {place} is {token_text(right)}, by {_rule(right, text[before:])}.")
    return "\n\n".join(paragraph(line) for line in words if line)


def _rule(chunk: str, behind: str) -> str:
    """Return the rule that takes a chunk, by what stands behind it."""
    if not chunk.isspace():
        return next(words for rule, words in _RULES.items() if re.fullmatch(rule, chunk))
    if not behind:
        return "rule 5: whitespace, all of it, since nothing follows"
    if behind[0].isspace():
        return "rule 5: whitespace, but for the last of it, which is left to what follows"
    return "rule 6: whitespace of which rule 5 can take none, and which is no space"


def _misunderstanding(text: str, right: str, wrong: str, joined: str) -> str:
    """Return what to say to whoever wrote the wrong chunk; the first that fits."""
    sayings = {
        "A space belongs to what follows it, not to what stands before it.": (
            right.strip() and wrong == f"{right} "
        ),
        "Nothing is lost: the chunks, joined, are the text. Some of its whitespace is missing.": (
            joined != text and "".join(joined.split()) == "".join(text.split())
        ),
        "Nothing is lost: the chunks, joined, are the text. Some of it is missing or new.": (
            joined != text
        ),
        "A contraction is a chunk of its own, and its apostrophe belongs to it.": (
            re.fullmatch(r"'[a-z]+", right) or re.search(r"\w'[a-z]", wrong)
        ),
        "Only contractions in small letters are rule 1's.": (
            right == "'" or re.fullmatch(r"\w*'[A-Z]+", wrong)
        ),
        "Letters, digits and other marks never share a chunk.": (
            re.search(r"[^\W\d_][\d_]|[\d_][^\W\d_]|\w[^\w\s']", wrong)
        ),
        "A rule takes as much as it can: marks that stand together are one chunk.": (
            len(right) > len(wrong) and right.startswith(wrong) and not right.strip().isalnum()
        ),
        "A space in front of a word belongs to the chunk of the word.": (
            right.startswith(" ") and right.strip() and wrong in {" ", right.strip()}
        ),
        "Rule 5 leaves the last whitespace to what follows; a space then belongs to the word.": (
            wrong.isspace() and wrong.startswith(right)
        ),
        "Only a space in front can belong to a word; a tab or an end of line cannot.": (
            re.match(r"[\t\n]\w", wrong)
        ),
    }
    return next((words for words, fits in sayings.items() if fits), "")
