"""The check of exercise 1: by hand."""

from collections.abc import Iterator

from answers.exercise_01 import LOWEST, MERGES
from checks._judge import constants
from checks._learner import Learner
from checks._steps import Step
from checks._words import NotBegunError, OffError, facing, paragraph, token_text
from given import Pair

_CORPUS = "low low low low lower lower newest newest newest newest newest newest"

_NAMES = ("MERGES", "LOWEST")


def check(learner: Learner) -> Iterator[str]:
    """Compare the merges one by one, then the tokens of the new word."""
    merges, lowest = constants(learner, _NAMES)
    if merges == [] and lowest == []:
        message = "MERGES and LOWEST are still empty."
        raise NotBegunError(message)
    _check_merges(merges)
    if lowest != LOWEST:
        raise OffError(_NAMES[1], facing(LOWEST, lowest), _why_lowest(lowest))
    yield paragraph(
        'The four merges are right, and so is "lowest". It is not in the corpus, and it has no '
        'token of its own; still it is made of what was learned, "lo" and "we", and of letters. '
        "What is frequent gets short, and nothing is unknown."
    )


def _check_merges(merges: object) -> None:
    """Compare the learner's merges with the right ones."""
    if not isinstance(merges, list):
        message = f"MERGES must be a list of pairs, not {merges!r}."
        raise OffError(message)
    step = Step.after(_CORPUS, [])
    for number, expected in enumerate(MERGES):
        if number == len(merges):
            message = f"Right so far: four merges are asked for, and MERGES has {number}."
            raise OffError(message)
        right = _pair(step, expected)
        if merges[number] != expected:
            where = f"MERGES[{number}]"
            shown = facing(expected, merges[number])
            raise OffError(where, shown, _why_not(step, right, merges[number]))
        step = step.merged(right)
    if len(merges) > len(MERGES):
        message = f"MERGES has {len(merges)} merges; four are asked for, and they are right."
        raise OffError(message)


def _pair(step: Step, texts: tuple[str, str]) -> Pair:
    """Return the ids of two tokens."""
    left, right = (step.tokens.index(text.encode("utf-8")) for text in texts)
    return left, right


def _why_not(step: Step, right: Pair, came: object) -> str:
    match came:
        case (str(left), str(right_text)) if isinstance(came, tuple):
            texts = (left, right_text)
        case _:
            return 'A merge is a tuple of two tokens, such as ("a", "b").'
    for text in texts:
        if text.encode("utf-8", errors="replace") not in step.tokens:
            made = ", ".join(token_text(token) for token in step.tokens[256:]) or "none"
            return paragraph(
                f"{token_text(text)} is no token at this point. The tokens are the single letters, "
                f"the space, and what the merges before have made: {made}."
            )
    return step.why_not(right, _pair(step, texts))


def _why_lowest(lowest: object) -> str:
    if isinstance(lowest, list) and "".join(map(str, lowest)) != "lowest":
        return 'The tokens of a word, joined, are the word: "lowest", with no space in front.'
    if isinstance(lowest, list) and "low" in lowest:
        return paragraph(
            '"low" is no token: of the four merges none joins "lo" and "w". That a word is in the '
            "corpus does not make a token of it."
        )
    return paragraph(
        "Write the letters side by side, and do to them what the merges did to the corpus, in the "
        'same order: first every "w" + "e" is joined, then every " " + "n", and so on. '
        "A pair that no merge has joined stays two tokens."
    )
