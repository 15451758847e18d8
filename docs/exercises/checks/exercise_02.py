"""The check of exercise 2: text to bytes, and back."""

from collections.abc import Iterator

from answers.exercise_02 import to_ids, to_text
from checks._judge import Misunderstanding, Question, check_function
from checks._learner import Learner

_TEXTS = (
    "Hi",
    "",
    "a b\n",
    "naïve",
    "£5",
    "€",
    "日本",
    "👍",
    "e\u0301",
    "\x00\x7f",
    "Ünder 👩\u200d👧!",
)

_TO_IDS = Question(
    "to_ids",
    to_ids,
    [
        Misunderstanding(
            lambda text: [ord(character) for character in text],
            "These are code points, the numbers of the characters. A byte is at most 255: UTF-8 "
            "writes every character beyond the first 128 as two to four bytes.",
        ),
        Misunderstanding(
            lambda text: list(text.encode("latin-1")),
            "This is Latin-1, which has one byte for each character, and only for 256 of them. "
            "UTF-8 has bytes for every character there is.",
        ),
        Misunderstanding(
            lambda text: list(text.encode("ascii", errors="replace")),
            "Characters beyond ASCII were replaced. Nothing may be lost.",
        ),
        Misunderstanding(
            lambda text: text.encode("utf-8"),
            "The bytes are right; a list of integers is asked for. What does `list` make of bytes?",
        ),
    ],
)

_NO_TEXT = ([0x80], [72, 0xC3], [0xE6, 0x97], [0xC3, 0x28], [0xF0, 0x9F, 0x91], [0xED, 0xA0, 0x80])

_TO_TEXT = Question(
    "to_text",
    to_text,
    [
        Misunderstanding(
            lambda ids: "".join(map(chr, ids)),
            "Each byte was made a character of its own. Several bytes may be one character: "
            "put all bytes together, then decode once.",
        ),
        Misunderstanding(
            lambda ids: bytes(ids).decode("utf-8", errors="replace"),
            "The wrong bytes were replaced, and nobody will know. What is not UTF-8 must be an "
            "error, which `decode` raises if it is left to.",
        ),
        Misunderstanding(
            lambda ids: bytes(ids).decode("utf-8", errors="ignore"),
            "The wrong bytes were left out, and nobody will know. What is not UTF-8 must be an "
            "error, which `decode` raises if it is left to.",
        ),
        Misunderstanding(
            lambda ids: "".join(bytes([value]).decode("utf-8") for value in ids),
            "Each byte was decoded alone. Several bytes may be one character: put all bytes "
            "together, then decode once.",
        ),
    ],
)


def check(learner: Learner) -> Iterator[str]:
    """Check both directions."""
    yield check_function(learner, _TO_IDS, [(text,) for text in _TEXTS])
    good = [(to_ids(text),) for text in _TEXTS]
    yield check_function(learner, _TO_TEXT, [*good, *((ids,) for ids in _NO_TEXT)])
