"""The check of exercise 7: the first trainer."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise, product

from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from answers.exercise_06 import best_pair
from answers.exercise_07 import train
from checks._judge import Case, Misunderstanding, Question, check_function
from checks._learner import Learner
from checks._steps import Step
from checks._words import paragraph
from given import Pair, chunks_of


def _bytes_of_chunks(text: str) -> list[list[int]]:
    return [list(chunk) for chunk in chunks_of(text)]


def _uncut(text: str) -> list[list[int]]:
    return [list(text.encode("utf-8"))]


def _count_all(chunks: list[list[int]]) -> dict[Pair, int]:
    return count_pairs(Counter(map(tuple, chunks)))


def _trainer(
    cut: Callable[[str], list[list[int]]] = _bytes_of_chunks,
    count: Callable[[list[list[int]]], dict[Pair, int]] = _count_all,
    best: Callable[[dict[Pair, int]], Pair] = best_pair,
    first_id: int = 256,
) -> Callable[[str, int], list[Pair]]:
    """Return a trainer that is right but for what it is given."""

    def wrong(text: str, vocab_size: int) -> list[Pair]:
        chunks = cut(text)
        merges: list[Pair] = []
        while 256 + len(merges) < vocab_size and (counts := count(chunks)):
            pair = best(counts)
            chunks = [merge_pair(ids, pair, first_id + len(merges)) for ids in chunks]
            merges.append(pair)
        return merges

    return wrong


def _first_seen(counts: dict[Pair, int]) -> Pair:
    return max(counts, key=lambda pair: counts[pair])


def _largest(counts: dict[Pair, int]) -> Pair:
    return max(counts, key=lambda pair: (counts[pair], pair))


def _twice_or_more(chunks: list[list[int]]) -> dict[Pair, int]:
    return {pair: count for pair, count in _count_all(chunks).items() if count > 1}


def _distinct(chunks: list[list[int]]) -> dict[Pair, int]:
    return count_pairs(dict.fromkeys(map(tuple, chunks), 1))


def _without_overlap(chunks: list[list[int]]) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids in chunks:
        last_counted: dict[Pair, int] = {}
        for place, pair in enumerate(pairwise(ids)):
            if last_counted.get(pair, -2) != place - 1:
                last_counted[pair] = place
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def _counted_once(text: str, vocab_size: int) -> list[Pair]:
    counts = _count_all(_bytes_of_chunks(text))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[: vocab_size - 256]


def _never_merged(text: str, vocab_size: int) -> list[Pair]:
    counts = _count_all(_bytes_of_chunks(text))
    return [best_pair(counts)] * (vocab_size - 256) if counts else []


def _by_bytes(text: str, vocab_size: int) -> list[Pair]:
    step = Step.after(text, [])
    merges: list[Pair] = []
    while 256 + len(merges) < vocab_size and step.counts:
        at = step

        def order(pair: Pair, at: Step = at) -> tuple[int, bytes, bytes]:
            return -at.counts[pair], at.tokens[pair[0]], at.tokens[pair[1]]

        merges.append(min(step.counts, key=order))
        step = step.merged(merges[-1])
    return merges


def _never_exhausted(text: str, vocab_size: int) -> list[Pair]:
    merges = train(text, vocab_size)
    if 256 + len(merges) < vocab_size:
        raise ValueError
    return merges


_MISUNDERSTANDINGS = [
    Misunderstanding(
        _never_exhausted,
        "The corpus had no pair left: every chunk was one token. Then there is nothing to choose "
        "from, and training ends with fewer merges than were wanted.",
    ),
    Misunderstanding(
        lambda text, vocab_size: train(text, vocab_size + 256),
        "vocab_size was taken for the number of merges. It counts the 256 bytes as well: 258 "
        "asks for two merges.",
    ),
    Misunderstanding(
        lambda text, vocab_size: train(text, vocab_size - 1),
        "One merge too few: a vocabulary of 258 has 256 bytes and two merges.",
    ),
    Misunderstanding(
        lambda text, vocab_size: train(text, vocab_size + 1),
        "One merge too many: a vocabulary of 258 has 256 bytes and two merges.",
    ),
    Misunderstanding(
        _trainer(first_id=257),
        "The ids are one too high: the bytes are 0 to 255, so the first merge makes 256.",
    ),
    Misunderstanding(
        _never_merged,
        "The same pair is chosen again and again: are the merged chunks kept, and counted anew in "
        "the next round?",
    ),
    Misunderstanding(
        _counted_once,
        "The pairs were counted once, at the start. A merge takes ids away from other pairs and "
        "makes new ones: count again after every merge.",
    ),
    Misunderstanding(
        _trainer(count=_twice_or_more),
        "Training stopped when no pair stood twice. Here a pair that stands once is a pair: it "
        "ends when every chunk is one token.",
    ),
    Misunderstanding(
        _trainer(cut=_uncut),
        "Pairs were counted and merged where one chunk ends and the next begins. Cut the text "
        "with `chunks_of`, and never join the chunks again.",
    ),
    Misunderstanding(
        _trainer(cut=_uncut, best=_first_seen),
        "The text was not cut: pairs were counted and merged where one chunk ends and the next "
        "begins. And in a tie, the pair that stands first in the text was taken; the rule is the "
        "smallest pair of ids.",
    ),
    Misunderstanding(
        _trainer(best=_first_seen),
        "In a tie this takes the pair that stands first in the text. The rule is the smallest "
        "pair of ids, wherever it stands.",
    ),
    Misunderstanding(
        _trainer(best=_largest),
        "In a tie this takes the largest pair. The rule is the smallest pair of ids.",
    ),
    Misunderstanding(
        _by_bytes,
        "In a tie this compares the bytes of the tokens. The rule compares their ids: whatever "
        "was merged comes after every single byte.",
    ),
    Misunderstanding(
        _trainer(count=_distinct),
        "Each distinct chunk was counted once, however often it stands in the corpus.",
    ),
    Misunderstanding(
        _trainer(count=_without_overlap),
        "Pairs that overlap were counted once. In a a a the pair stands at two places, and "
        "counts 2.",
    ),
]


def _explain(arguments: Case, expected: object, came: object) -> str:
    """Follow the merges to the first that differs, and say what was counted there."""
    text = arguments[0]
    if not (isinstance(text, str) and isinstance(expected, list) and isinstance(came, list)):
        return ""
    rank = next(
        (rank for rank, (a, b) in enumerate(zip(expected, came, strict=False)) if a != b),
        min(len(expected), len(came)),
    )
    step = Step.after(text, expected[:rank])
    if rank == len(expected):
        return f"After {rank} of these merges training is over: {_why_over(step)}."
    wanted = f"Merge {rank}, which makes the id {256 + rank}, is {step.pair_text(expected[rank])}."
    if rank == len(came):
        return f"{wanted}\n\n{step.table()}"
    match came[rank]:
        case (int(left), int(right)) if isinstance(came[rank], tuple):
            return f"{paragraph(wanted)}\n{step.why_not(expected[rank], (left, right))}"
    return f"{wanted} A merge is a tuple of two ids."


def _why_over(step: Step) -> str:
    return "no more are asked for" if step.counts else "every chunk is one token"


_QUESTION = Question("train", train, _MISUNDERSTANDINGS, _explain)


def _cases() -> list[Case]:
    """Return small corpora, the smallest first, then larger ones."""
    words = ["".join(letters) for n in range(1, 6) for letters in product("ab", repeat=n)]
    texts = [*words, *(" ".join(two) for two in product(words, words) if len("".join(two)) < 6)]
    texts += [" ".join(letters) for letters in product("ab", repeat=4)]
    texts.sort(key=lambda text: (len(text), text))
    chance = random.Random(0)  # noqa: S311 - no secret: the same corpora for everyone
    larger = [
        " ".join("".join(chance.choices("abcé", k=chance.randint(1, 5))) for _ in range(words))
        for words in range(3, 24)
    ]
    story = "low low low low lower lower newest newest newest newest newest newest"
    return [
        ("ab ab ab", 258),
        ("abc abc", 257),
        ("a", 256),
        ("", 300),
        *((text, 260) for text in texts),
        *((text, 256 + len(text) // 2) for text in larger),
        (story, 280),
        ("don't stop,   don't 123 123\n\n日本 日本", 290),
    ]


def check(learner: Learner) -> Iterator[str]:
    """Check the merges of many small corpora, the smallest first."""
    yield check_function(learner, _QUESTION, _cases())
