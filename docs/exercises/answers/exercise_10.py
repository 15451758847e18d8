"""Exercise 10: the special token, and all of encoding."""

from answers.exercise_08 import encode_chunk
from given import END_OF_TEXT, Pair, chunks_of


def segments(text: str) -> list[str]:
    """Cut a text at every exact special token and keep the special tokens."""
    found: list[str] = []
    while text:
        before, special, text = text.partition(END_OF_TEXT)
        found += [part for part in (before, special) if part]
    return found


def encode(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text: one per special token, and those of the other chunks."""
    ids: list[int] = []
    for segment in segments(text):
        if segment == END_OF_TEXT:
            ids.append(256 + len(merges))
        else:
            for chunk in chunks_of(segment):
                ids += encode_chunk(chunk, merges)
    return ids
