"""The check of exercise 7: the first trainer, and the bytes of its tokens."""

import random
from itertools import product

from answers.exercise_07 import train, vocabulary
from checks.judge import Case, Question
from checks.training import Step
from checks.words import paragraph
from given import Pair


def _why(case: tuple[list[str], int], expected: list[Pair], got: list[Pair]) -> str:
    """Follow the merges to the first one that differs, and show the counts at that point."""
    pairs = enumerate(zip(expected, got, strict=False))
    rank = next((n for n, (a, b) in pairs if a != b), min(len(expected), len(got)))
    step = Step.after(case[0], expected[:rank])
    if rank == len(expected):
        why = "no more are asked for" if step.counts else "every chunk is one token"
        return f"Training ends after {rank} of these merges: {why}."
    wanted = f"Merge {rank}, which makes the id {256 + rank}, is {step.pair_text(expected[rank])}."
    if rank == len(got):
        return f"{wanted}\n\n{step.table()}"
    return f"{paragraph(wanted)}\n{step.why_not(expected[rank], got[rank])}"


def _cases() -> list[Case]:
    """Return small corpora, sorted by size, then larger ones."""
    words = ["".join(letters) for n in range(1, 6) for letters in product("ab", repeat=n)]
    texts = [*words, *(" ".join(two) for two in product(words, words) if len("".join(two)) < 6)]
    texts += [" ".join(letters) for letters in product("ab", repeat=4)]
    chance = random.Random(0)
    larger = [
        " ".join("".join(chance.choices("abcé", k=chance.randint(1, 5))) for _ in range(words))
        for words in range(3, 24)
    ]
    story = "low low low low lower lower newest newest newest newest newest newest"
    return [
        (["ab ab ab"], 258),
        (["abc abc"], 257),
        (["a"], 256),
        ([], 300),
        (["a", "b"], 260),
        (["ab", "ba", "ab"], 260),
        *(([text], 260) for text in sorted(texts, key=lambda text: (len(text), text))),
        *(([text], 256 + len(text) // 2) for text in larger),
        (larger[:5], 300),
        ([story], 280),
        (["don't stop,   don't 123 123\n\n日本 日本", "don't"], 290),
    ]


_MERGES: list[list[Pair]] = [
    [],
    [(97, 98)],
    [(97, 98), (256, 99)],
    [(97, 98), (32, 256), (257, 257)],
    [(195, 169), (256, 33)],
]
_FORM = "A merge is a tuple of two ids."
CHECKS = (
    Question("train", train, _cases(), _why, _FORM).check,
    Question("vocabulary", vocabulary, [(merges,) for merges in _MERGES]).check,
)
