"""Exercise 10: the special token, and all of encoding."""

from answers.exercise_08 import encode_ordinary
from given import END_OF_TEXT, Pair


def segments(text: str) -> list[str]:
    """Cut a text at every exact special token and keep the special tokens."""
    found: list[str] = []
    while text:
        before, special, text = text.partition(END_OF_TEXT)
        found += [part for part in (before, special) if part]
    return found


def encode(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text: one per special token, and those of the text between them."""
    ids: list[int] = []
    for segment in segments(text):
        if segment == END_OF_TEXT:
            ids.append(256 + len(merges))
        else:
            ids += encode_ordinary(segment, merges)
    return ids
