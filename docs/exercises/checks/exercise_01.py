"""The check of exercise 1: merge by hand."""

from collections.abc import Iterator

from answers.exercise_01 import LOWEST, MERGES
from checks.judge import Constant
from checks.learner import Learner
from checks.training import Step
from checks.words import paragraph, token_text
from given import Pair

_CORPUS = "low low low low lower lower newest newest newest newest newest newest"


def _ids(step: Step, texts: tuple[str, str]) -> Pair:
    left, right = (step.tokens.index(text.encode("utf-8")) for text in texts)
    return left, right


def _why_not(case: tuple[int, ...], expected: tuple[str, str], got: tuple[str, str]) -> str:
    if not case:
        return "The first four are right, and the exercise asks for no more."
    if "·" in "".join(got):
        return 'Write a space, as in (" ", "l"): "·" is only how the course shows it.'
    step = Step.after([_CORPUS], [])
    for texts in MERGES[: case[0]]:
        step = step.merged(_ids(step, texts))
    for text in got:
        if text.encode("utf-8", errors="replace") not in step.tokens:
            made = ", ".join(map(token_text, step.tokens[256:])) or "none"
            return paragraph(
                f"{token_text(text)} is not a token at this point. The tokens are the single "
                f"letters, the space, and the tokens made by earlier merges: {made}."
            )
    return paragraph(step.hint(_ids(step, expected), _ids(step, got)))


def _why_lowest(_case: tuple[()], _expected: list[str], got: list[str]) -> str:
    if "".join(got) != "lowest":
        return 'Joined, the tokens must be the word: "lowest", without a space before it.'
    made = {left + right for left, right in MERGES}
    for text in got:
        if len(text) > 1 and text not in made:
            return paragraph(
                f"{token_text(text)} is not a token: none of the four merges makes it. A part of "
                f"the corpus does not become a token just because it occurs there."
            )
    return paragraph(
        "Write down the letters one by one and repeat what the merges did to the corpus, in the "
        'same order: first join every "w" + "e", then every " " + "n", and so on. '
        "A pair that no merge joins stays two tokens."
    )


_PAIR = 'Write four merges, each a tuple of two tokens, such as ("a", "b").'
_FIRST = Constant("MERGES", MERGES, [(0,), (1,), (2,), (3,), ()], trace=_why_not, form=_PAIR)
_WORD = Constant("LOWEST", LOWEST, [()], trace=_why_lowest, form="Write a list of tokens.")


def _conclusion(_learner: Learner) -> Iterator[str]:
    yield "\n" + paragraph(
        '"lowest" is not in the corpus and has no token of its own. It is made of learned tokens, '
        '"lo" and "we", and of letters. Frequent text gets short, and no text is unknown.'
    )


CHECKS = (_FIRST.check, _WORD.check, _conclusion)
