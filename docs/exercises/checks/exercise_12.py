"""The check of exercise 12: the vocabularies of different corpora."""

from collections.abc import Iterator
from functools import cache
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

_tokens = cache(learned_tokens)
_ratio = cache(bytes_per_token)


def _why_tokens(_case: Case, expected: list[bytes], got: list[bytes]) -> str:
    """Say which tokens were not learned, or that they are in another order."""
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
    "MORE_LONG_TOKENS": "Count what `learned_tokens` returns for each. How many tokens does one "
    "merge make, and how many bytes do they have at least?",
    "WORST": 'The fewest are {fewest:.2f}: measure all four. An answer is like "code by code".',
    "UNSEEN": "A corpus is always encoded well by the merges learned from it. Does the second half "
    "have the same words? Cut the text in two, and measure both halves.",
    "DOUBLED": "With 512 tokens the code gets {code:.2f} bytes per token. Measure 1,024. The "
    "merges learned first join the most frequent pairs; what do later ones save?",
}


def _check_files(learner: Learner) -> Iterator[str]:
    """Check the four answers on the learner's files, and yield the figures."""
    files, *answers = constants(learner, ["FILES", *_HINTS])
    texts = _texts(files)
    ratios = _ratios(texts)
    for (name, hint), right, said in zip(_HINTS.items(), _right(texts), answers, strict=True):
        if said != right:
            words = hint.format(fewest=min(ratios.values()), code=ratios["code by code"])
            if name == "WORST" and str(said) in ratios:
                words = f'"{said}" gets {ratios[str(said)]:.2f}. {words}'
            if not said:
                words = "This question has no answer yet. The comment above it asks the question."
            shown = f"{name} = {said!r}"
            raise WrongError(shown, paragraph(words))
    yield "the four answers are right"
    yield from ("", *_figures(texts))


def _texts(files: object) -> dict[str, str]:
    """Return the texts of FILES."""
    lists = isinstance(files, dict) and all(isinstance(paths, list) for paths in files.values())
    if not isinstance(files, dict) or not lists or not {"prose", "code"} <= files.keys():
        message = 'FILES must have the keys "prose" and "code", each with a list of file names.'
        raise WrongError(message)
    texts = {str(name): "".join(map(_text, paths)) for name, paths in files.items()}
    for name, text in texts.items():
        if len(text) < _LEAST:
            message = f"The text of FILES[{name!r}] is too short to learn from: {len(text)}."
            raise WrongError(message)
    return texts


def _text(path: object) -> str:
    try:
        return Path(str(path)).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        message = f"FILES names {path!r}, which cannot be read: {error}"
        raise WrongError(message) from None


def _ratios(texts: dict[str, str]) -> dict[str, float]:
    """Return the bytes per token of each text with the vocabulary of each corpus."""
    return {
        f"{name} by {by}": _ratio(texts[by], texts[name], _SIZE)
        for name, by in product(texts, repeat=2)
    }


def _halves(prose: str) -> tuple[float, float]:
    """Return the bytes per token of both halves, with the vocabulary of the first."""
    first, second = prose[: len(prose) // 2], prose[len(prose) // 2 :]
    return _ratio(first, first, _SIZE), _ratio(first, second, _SIZE)


def _growth(code: str) -> float:
    """Return how many times as many bytes per token twice the vocabulary gives."""
    return _ratio(code, code, 2 * _SIZE) / _ratio(code, code, _SIZE)


def _right(texts: dict[str, str]) -> list[str]:
    """Return the right answer to each question."""
    more = len(_tokens(texts["prose"], _SIZE)) - len(_tokens(texts["code"], _SIZE))
    ratios, growth = _ratios(texts), _growth(texts["code"])
    seen, unseen = _halves(texts["prose"])
    return [
        "the same" if not more else "prose" if more > 0 else "code",
        min(ratios, key=lambda name: ratios[name]),
        "more" if unseen > seen else "fewer",
        "twice" if growth == 2 else f"{'less' if growth < 2 else 'more'} than twice",
    ]


def _figures(texts: dict[str, str]) -> Iterator[str]:
    """Yield the figures, and the tokens that only one of the vocabularies has."""
    seen, unseen = _halves(texts["prose"])
    yield f"bytes per token, {_SIZE} tokens"
    yield from (f"  {name}: {ratio:.2f}" for name, ratio in _ratios(texts).items())
    yield f"  the first half of the prose by itself: {seen:.2f}, the second: {unseen:.2f}"
    yield f"  code by code, 1,024 tokens: {_growth(texts['code']):.2f} times as many"
    learned = {name: _tokens(text, _SIZE) for name, text in texts.items()}
    for name, tokens in learned.items():
        others = {token for other in learned if other != name for token in learned[other]}
        own = [token_text(token) for token in tokens if token not in others]
        yield f"tokens only in {name}, {len(own)} of {len(tokens)}, the first learned:"
        yield f"  {' '.join(own[:12])}"


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
