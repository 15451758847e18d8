"""The check of exercise 12: the vocabularies of different corpora."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from answers.exercise_12 import bytes_per_token, learned_tokens
from bpetite import Tokenizer
from checks._judge import Case, Misunderstanding, Question, check_function, constants
from checks._learner import Learner
from checks._words import OffError, paragraph, token_text

_SIZE: Final = 512
_LEAST_BYTES: Final = 2_000


def _explain_tokens(_arguments: Case, expected: object, came: object) -> str:
    """Say which tokens are not learned ones, or that their order is not that of learning."""
    if not isinstance(came, list) or not isinstance(expected, list):
        return ""
    said = ""
    if any(isinstance(token, bytes) and len(token) == 1 for token in came):
        said = (
            "There are single bytes among them, which were not learned: they have the ids 0 to "
            "255. The keys of JSON are text and stand in the file as text is sorted, 10 before 2; "
            "so take the ids from 256 on, and look up str(id)."
        )
    elif b"<|endoftext|>" in came:
        said = "The last id is the special token. It was not learned."
    elif len(came) == len(expected) and all(token in expected for token in came):
        said = (
            "These are the tokens in another order. The keys of JSON are text and stand in the "
            "file as text is sorted, 1000 before 256."
        )
    return paragraph(said)


_TOKENS = Question(
    "learned_tokens",
    learned_tokens,
    [
        Misunderstanding(
            lambda corpus, size: [token.decode() for token in learned_tokens(corpus, size)],
            "A token is bytes: it may hold part of a character, and then it is no text.",
        ),
    ],
    _explain_tokens,
)


def _ids(corpus: str, text: str, size: int) -> list[int]:
    return Tokenizer.train(corpus, size).encode(text)


_BYTES = Question(
    "bytes_per_token",
    bytes_per_token,
    [
        Misunderstanding(
            lambda corpus, text, size: len(text) / len(_ids(corpus, text, size)),
            "These are characters per token. A character may be several bytes: how long is the "
            "text in UTF-8?",
        ),
        Misunderstanding(
            lambda corpus, text, size: len(_ids(corpus, text, size)) / len(text.encode("utf-8")),
            "These are tokens per byte: divide the other way round.",
        ),
        Misunderstanding(
            lambda corpus, text, size: bytes_per_token(text, corpus, size),
            "The tokenizer was trained on the text and encoded the corpus: the other way round.",
        ),
        Misunderstanding(
            lambda _corpus, text, size: bytes_per_token(text, text, size),
            "The tokenizer was trained on the text that it encodes.",
        ),
    ],
)


def check(learner: Learner) -> Iterator[str]:
    """Check both functions on small texts, then the answers on the learner's files."""
    small = [
        ("ab ab ab", 258),
        ("", 300),
        ("ab", 512),
        ("日本 日本", 260),
        ("low lower lowest", 262),
    ]
    yield check_function(learner, _TOKENS, list(small))
    pairs = [
        ("ab ab ab", "ab abc", 258),
        ("é é é", "éé", 256),
        ("ab ab", "ba", 257),
        ("a", "abcd", 256),
    ]
    yield check_function(learner, _BYTES, list(pairs))
    names = ["FILES", "MORE_LONG_TOKENS", "WORST", "UNSEEN", "DOUBLED"]
    files, *answers = constants(learner, names)
    texts = _texts(files)
    measured = _measured(texts)
    for name, said, right in zip(names[1:], answers, _right(texts, measured), strict=True):
        if said != right:
            shown = f"{name} = {said!r}"
            raise OffError(shown, paragraph(_why(name, said, texts, measured)))
    yield "the four answers are right"
    yield f"\n{_picture(texts, measured)}"


def _texts(files: object) -> dict[str, str]:
    """Return the texts of FILES."""
    if not isinstance(files, dict) or not {"prose", "code"} <= files.keys():
        message = 'FILES must have the keys "prose" and "code", each with a list of file names.'
        raise OffError(message)
    texts = {
        str(name): "".join(_text(str(path)) for path in paths) for name, paths in files.items()
    }
    for name, text in texts.items():
        if len(text) < _LEAST_BYTES:
            message = f"The text of FILES[{name!r}] is too short to learn much from: {len(text)}."
            raise OffError(message)
    return texts


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        message = f"FILES names {path!r}, which cannot be read: {error}"
        raise OffError(message) from None


def _measured(texts: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """Return the bytes per token of each text by the vocabulary of each corpus."""
    return {
        (text, corpus): bytes_per_token(texts[corpus], texts[text], _SIZE)
        for text in texts
        for corpus in texts
    }


def _right(texts: Mapping[str, str], measured: Mapping[tuple[str, str], float]) -> list[str]:
    """Return the right answers, measured."""
    numbers = {name: len(learned_tokens(texts[name], _SIZE)) for name in ("prose", "code")}
    more = max(numbers, key=numbers.__getitem__)
    worst, by = min(measured, key=measured.__getitem__)
    seen, unseen = _halves(texts["prose"])
    growth = _growth(texts["code"])
    return [
        "the same" if len(set(numbers.values())) == 1 else more,
        f"{worst} by {by}",
        "more" if unseen > seen else "fewer",
        "less than twice" if growth < 2 else "twice" if growth == 2 else "more than twice",
    ]


def _halves(text: str) -> tuple[float, float]:
    """Return the bytes per token of both halves, by the vocabulary of the first."""
    first, second = text[: len(text) // 2], text[len(text) // 2 :]
    return bytes_per_token(first, first, _SIZE), bytes_per_token(first, second, _SIZE)


def _growth(text: str) -> float:
    return bytes_per_token(text, text, 2 * _SIZE) / bytes_per_token(text, text, _SIZE)


def _why(
    name: str, said: object, texts: Mapping[str, str], measured: Mapping[tuple[str, str], float]
) -> str:
    if said == "":
        return "This question is not answered yet. The comment above it says what is asked."
    if name == "MORE_LONG_TOKENS":
        return (
            "Count what `learned_tokens` returns for each. How many tokens does one merge make, "
            "and of how many bytes is it at least?"
        )
    if name == "WORST":
        text, _, by = str(said).partition(" by ")
        found = measured.get((text, by))
        yours = f'"{said}" gets {found:.2f}. ' if found else 'Write it like "code by code". '
        return f"{yours}The fewest are {min(measured.values()):.2f}: call it for all four."
    if name == "UNSEEN":
        return (
            "A corpus is always encoded well by the merges that were learned from it. Does the "
            "second half have the same words? Cut the text in two, and measure both."
        )
    now = bytes_per_token(texts["code"], texts["code"], _SIZE)
    return (
        f"With 512 tokens the code gets {now:.2f} bytes per token. Call it with 1,024. The merges "
        f"that were learned first are of the most frequent pairs; what do later ones save?"
    )


def _picture(texts: Mapping[str, str], measured: Mapping[tuple[str, str], float]) -> str:
    """Return the figures, and what each vocabulary has that the others do not."""
    lines = [f"bytes per token, {_SIZE} tokens"]
    lines += [f"  {text} by {by}: {value:.2f}" for (text, by), value in measured.items()]
    seen, unseen = _halves(texts["prose"])
    lines.append(f"  the first half of the prose by itself: {seen:.2f}, the second: {unseen:.2f}")
    lines.append(f"  code by code, 1,024 tokens: {_growth(texts['code']):.2f} times as many")
    vocabularies = {name: learned_tokens(text, _SIZE) for name, text in texts.items()}
    for name, tokens in vocabularies.items():
        others = {token for other in vocabularies if other != name for token in vocabularies[other]}
        own = [token_text(token) for token in tokens if token not in others]
        lines.append(f"tokens of {name} alone, {len(own)} of {len(tokens)}, the first learned:")
        lines.append(f"  {' '.join(own[:12])}")
    return "\n".join(lines)
