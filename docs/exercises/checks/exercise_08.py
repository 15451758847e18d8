"""The check of exercise 8: encode a chunk, and a text."""

from itertools import product

from answers.exercise_05 import merge_pair
from answers.exercise_07 import train, vocabulary
from answers.exercise_08 import encode_chunk, encode_ordinary
from checks.judge import Question
from checks.words import token_text
from given import Pair


def _why(case: tuple[bytes, list[Pair]], _expected: list[int], got: list[int]) -> str:
    """Show what each merge does to the chunk, and the bytes of the learner's ids."""
    chunk, merges = case
    vocab = vocabulary(merges)

    def row(name: str, ids: list[int]) -> str:
        return f"  {name:<20}  {' '.join(token_text(vocab[token_id]) for token_id in ids)}"

    ids = list(chunk)
    lines = ["  What each merge does:", row("", ids)]
    for new_id, (left, right) in enumerate(merges, 256):
        merged = merge_pair(ids, (left, right), new_id)
        if merged != ids or len(merges) < 4:
            lines.append(row(f"{token_text(vocab[left])} + {token_text(vocab[right])}", merged))
        ids = merged
    if all(token_id in vocab for token_id in got):
        lines.append(row("yours", got))
    return "\n".join(lines)


_A, _B, _C = b"abc"
_MERGES: list[list[Pair]] = [
    [],
    [(_A, _B)],
    [(_B, _C), (_A, _B)],
    [(_A, _B), (256, _C)],
    [(_B, _C), (_A, _B), (_A, 256)],
    [(_A, _A), (256, _A)],
    [(_A, _A), (256, 256)],
    [(_A, _B), (_B, _C), (_C, 256)],
    [(_C, _A), (_A, _B), (_B, 256), (257, _C)],
    train(["abcab bcabca cabcab abccba abcbac"], 266),
]
_CHUNKS = [bytes(values) for n in range(1, 6) for values in product(b"abc", repeat=n)]
_STORY = "the river the harvest other weather there whether"
_LEARNED = train([_STORY], 300)
_CASES = [
    *((chunk, merges) for chunk in _CHUNKS for merges in _MERGES),
    *((word.encode("utf-8"), _LEARNED) for word in _STORY.split()),
    *((f" {word}".encode(), _LEARNED) for word in (*_STORY.split(), "éther", "thethe")),
]

_AB: list[Pair] = [(_A, _B), (32, 256)]
_TEXTS = ["ab", "ab ab", "", "ab, ab", " ab\n\nab", "a b", "é ab"]
_TEXT_CASES = [*((text, _AB) for text in _TEXTS), ("ba ab", [(_A, 32)])]
_TEXT_CASES += [(_STORY, _LEARNED)]

CHECKS = (
    Question("encode_chunk", encode_chunk, _CASES, _why).check,
    Question("encode_ordinary", encode_ordinary, _TEXT_CASES).check,
)
