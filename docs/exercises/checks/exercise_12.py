"""The check of exercise 12: the vocabularies of different corpora."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

from answers.exercise_12 import bytes_per_token, learned_tokens
from checks.judge import Case, Question, constants
from checks.learner import Learner
from checks.words import WrongError, paragraph, token_text

_SIZE: Final = 512
_LEAST: Final = 2_000
_BYTES: Final = [bytes([value]) for value in range(256)]


def _why_tokens(_case: Case, expected: list[bytes], got: list[bytes]) -> str:
    """Name the tokens that were not learned, or say that the order is wrong."""
    sentences = {
        "Some of these are single bytes, which were not learned: they have the ids 0 to 255. JSON "
        "keys are text and sorted as text, 10 before 2. So take the ids from 256 on, and look up "
        "str(id).": any(token in _BYTES for token in got),
        "The last id is the special token. It was not learned.": b"<|endoftext|>" in got,
        "These are the tokens in another order. JSON keys are text and sorted as text, 1000 "
        "before 256.": (len(got) == len(expected) and sorted(got) == sorted(expected)),
    }
    return paragraph(next((words for words, fits in sentences.items() if fits), ""))


_HINTS = {
    "SHARED": "Make sets of what `learned_tokens` returns for the two, and count what is in both.",
    "BEST": "The most are {most:.2f}: train on each text, and encode that text.",
    "WORST": 'The fewest are {fewest:.2f}: measure all {pairs}. An answer is like "code by code".',
    "UNSEEN": "A corpus is always encoded well by the merges learned from it. Does the second half "
    "have the same words? Cut the text in two, and measure both halves.",
    "DOUBLED": "With 512 tokens the code gets {code:.2f} bytes per token. Measure 1,024. The "
    "merges learned first join the most frequent pairs; what do later ones save?",
}


def _check_files(learner: Learner) -> Iterator[str]:
    """Check the five answers on the learner's files, and yield the figures.

    Raises:
        WrongError: an answer is wrong or missing, or a file cannot be read.
    """
    files, *answers = constants(learner, ["FILES", *_HINTS])
    texts = _texts(files)
    tokens = {name: learned_tokens(text, _SIZE) for name, text in texts.items()}
    ratios = {
        f"{name} by {by}": bytes_per_token(texts[by], texts[name], _SIZE)
        for name, by in product(texts, repeat=2)
    }
    code, middle = texts["code"], len(texts["prose"]) // 2
    halves = texts["prose"][:middle], texts["prose"][middle:]
    seen, unseen = (bytes_per_token(halves[0], half, _SIZE) for half in halves)
    growth = bytes_per_token(code, code, 2 * _SIZE) / ratios["code by code"]
    shared = len({*tokens["prose"]} & {*tokens["code"]})
    of = len(tokens["prose"])
    own = {name: ratios[f"{name} by {name}"] for name in texts}
    right = [
        "half" if 2 * shared == of else "fewer than half" if 2 * shared < of else "more than half",
        max(own, key=lambda name: own[name]),
        min(ratios, key=lambda name: ratios[name]),
        "more" if unseen > seen else "fewer",
        "twice" if growth == 2 else f"{'less' if growth < 2 else 'more'} than twice",
    ]
    figures = {"most": own[right[1]], "fewest": ratios[right[2]], "code": ratios["code by code"]}
    for (name, hint), wanted, said in zip(_HINTS.items(), right, answers, strict=True):
        if said != wanted:
            words = hint.format(pairs=len(ratios), **figures)
            if name == "WORST" and str(said) in ratios:
                words = f'"{said}" gets {ratios[str(said)]:.2f}. {words}'
            if not said:
                words = "This question has no answer yet. The comment above it asks the question."
            shown = f"{name} = {said!r}"
            raise WrongError(shown, paragraph(words))
    yield from ("the five answers are right", "", f"bytes per token, {_SIZE} tokens")
    yield from (f"  {name}: {ratio:.2f}" for name, ratio in ratios.items())
    yield f"  the first half of the prose by itself: {seen:.2f}, the second: {unseen:.2f}"
    yield f"  code by code, 1,024 tokens: {growth:.2f} times as many"
    yield f"tokens learned from both prose and code: {shared} of {of}"
    for name, learned in tokens.items():
        elsewhere = {token for other in tokens if other != name for token in tokens[other]}
        only = [token_text(token) for token in learned if token not in elsewhere]
        yield f"tokens only in {name}, {len(only)} of {len(learned)}, the first learned:"
        yield f"  {' '.join(only[:12])}"


def _texts(files: object) -> dict[str, str]:
    if not isinstance(files, dict) or not {"prose", "code", "json"} <= files.keys():
        message = (
            'FILES must have the keys "prose", "code" and "json", each with a list of file names.'
        )
        raise WrongError(message)
    texts: dict[str, str] = {}
    for name, paths in files.items():
        try:
            texts[name] = "".join(Path(path).read_bytes().decode("utf-8") for path in paths)
        except (OSError, TypeError, ValueError) as error:
            message = f"FILES[{name!r}] is {paths!r}, which cannot be read: {error}"
            raise WrongError(message) from None
        if len(texts[name]) < _LEAST:
            message = f"The text of FILES[{name!r}] is too short to learn from: {len(texts[name])}."
            raise WrongError(message)
    return texts


_CORPORA = [
    ("ab ab ab", 258),
    ("", 300),
    ("ab", 512),
    ("日本 日本", 260),
    ("low lower lowest", 262),
]
_PAIRS = [
    ("ab ab ab", "ab abc", 258),
    ("é é é", "éé", 256),
    ("ab ab", "ba", 257),
    ("a", "abcd", 256),
]

CHECKS = (
    Question("learned_tokens", learned_tokens, _CORPORA, _why_tokens).check,
    Question("bytes_per_token", bytes_per_token, _PAIRS).check,
    _check_files,
)
