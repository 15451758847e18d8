"""Hold a learner's function to the answer, case by case, and explain the first that is off.

A misunderstanding is code that is wrong in a way that people are wrong. If it gives what the
learner's function gives, on the case that is off and on all before it, its words are the
explanation; of several the one that also fits best what comes later.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NoReturn, TypeAlias

from checks._learner import Call, Failed, Learner, Outcome, Raised, Returned
from checks._words import NotBegunError, OffError, call_text, facing, paragraph

__all__ = [
    "Case",
    "Misunderstanding",
    "Question",
    "check_function",
    "constants",
    "refuse_failure",
]

_LATER: Final = 100
"""So many of the cases behind the first that is off help to tell misunderstandings apart."""

Case: TypeAlias = tuple[object, ...]
"""The arguments of one call."""

Explain: TypeAlias = Callable[[Case, object, object], str]
"""What to say of a case, by its arguments, what was expected and what came."""


@dataclass(frozen=True)
class Misunderstanding:
    """Wrong code, and what to say to whoever wrote the like of it."""

    wrong: Callable[..., object]
    words: str


@dataclass(frozen=True)
class Question:
    """A function to be written: its name, the right one, and the ways to miss it.

    explain: what to add, whichever way it was missed.
    """

    name: str
    right: Callable[..., object]
    misunderstandings: Sequence[Misunderstanding] = ()
    explain: Explain | None = None


def check_function(learner: Learner, question: Question, cases: Sequence[Case]) -> str:
    """Make all calls, and return that all are right.

    Raises:
        OffError: one is not; the first that is off is shown and explained.
    """
    outcomes = learner.outcomes([Call(question.name, case) for case in cases])
    for number, outcome in enumerate(outcomes):
        expected = _attempt(question.right, cases[number])
        if not _is_right(cases[number], outcome, expected):
            trial = _Trial(question, cases, outcomes, number, expected)
            trial.refuse(
                f"{number} of {len(cases)} cases were right before it."
                if number
                else f"This is the first of {len(cases)} cases."
            )
    return f"{question.name}: all {len(cases)} cases are right"


def constants(learner: Learner, names: Sequence[str]) -> list[object]:
    """Return what the learner's file has under some names.

    Raises:
        OffError: one is not there, or the file cannot be run.
    """
    values: list[object] = []
    for outcome in learner.outcomes([Call(name) for name in names]):
        if not isinstance(outcome, Returned):
            refuse_failure(outcome)
        values.append(outcome.value)
    return values


def refuse_failure(outcome: Raised | Failed, shown: str = "", hint: str = "") -> NoReturn:
    """Say what kept a result from coming.

    Raises:
        OffError: always.
    """
    if isinstance(outcome, Failed):
        raise OffError(shown, paragraph(outcome.words))
    if "NotImplementedError" in outcome.kinds:
        where = f"  {outcome.where}"
        raise NotBegunError(where)
    raise OffError(shown, outcome.text(), hint)


@dataclass(frozen=True)
class _Refusal:
    """An exception where a result might be."""

    kind: str

    def __str__(self) -> str:
        return f"the exception {self.kind}"


@dataclass(frozen=True)
class _Trial:
    """All cases and how they went; the number of the first that is off, and what it should be."""

    question: Question
    cases: Sequence[Case]
    outcomes: Sequence[Outcome]
    number: int
    expected: object

    def refuse(self, right_so_far: str) -> NoReturn:
        """Show the case, and explain it."""
        case, outcome = self.cases[self.number], self.outcomes[self.number]
        shown = call_text(self.question.name, case)
        wants_exception = isinstance(self.expected, _Refusal)
        begun = not isinstance(outcome, Raised) or "NotImplementedError" not in outcome.kinds
        if isinstance(outcome, Failed):
            refuse_failure(outcome, shown)
        if isinstance(outcome, Raised) and not (wants_exception and begun):
            refuse_failure(outcome, shown, self.misunderstanding())
        if isinstance(outcome, Returned) and outcome.after != case:
            raise OffError(shown, _changed(case, outcome.after), right_so_far)
        raise OffError(shown, self.facing(), self.words(), right_so_far)

    def facing(self) -> str:
        """Return what was expected and what came."""
        outcome = self.outcomes[self.number]
        if isinstance(outcome, Raised):
            return f"  expected  {self.expected}\n  came\n{outcome.text()}"
        if isinstance(self.expected, _Refusal):
            return f"  expected  {self.expected}\n  came      {_came(outcome)!r}"
        return facing(self.expected, _came(outcome))

    def words(self) -> str:
        """Return the explanation of the case."""
        came = _came(self.outcomes[self.number])
        said = self.misunderstanding() or paragraph(_type_words(self.expected, came))
        explain = self.question.explain
        detail = explain(self.cases[self.number], self.expected, came) if explain else ""
        words = "\n\n".join(filter(None, [said, detail]))
        return words or "Follow this one with pencil and paper."

    def misunderstanding(self) -> str:
        """Return the words of the misunderstanding that explains the results, if there is one."""
        went = [*zip(self.cases, map(_came, self.outcomes), strict=False)]
        so_far, later = went[self.number :: -1], went[self.number + 1 :][:_LATER]
        fitting = [
            (sum(_agrees(candidate, *one) for one in later), candidate.words)
            for candidate in self.question.misunderstandings
            if all(_agrees(candidate, *one) for one in so_far)
        ]
        return paragraph(max(fitting, key=itemgetter(0))[1]) if fitting else ""


def _agrees(candidate: Misunderstanding, case: Case, came: object) -> bool:
    return _same(_attempt(candidate.wrong, case), came)


def _is_right(case: Case, outcome: Outcome, expected: object) -> bool:
    if isinstance(outcome, Raised):
        return isinstance(expected, _Refusal) and expected.kind in outcome.kinds
    if isinstance(outcome, Failed):
        return False
    return outcome.after == case and _same(expected, outcome.value)


def _attempt(function: Callable[..., object], case: Case) -> object:
    """Return the result, or that there is none."""
    try:
        return function(*case)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return _Refusal(type(error).__name__)


def _came(outcome: Outcome) -> object:
    if isinstance(outcome, Returned):
        return outcome.value
    return _Refusal(outcome.kinds[0]) if isinstance(outcome, Raised) else None


def _same(expected: object, came: object) -> bool:
    """Return whether two values are equal and of the same types throughout."""
    return expected == came and _shape(expected) == _shape(came)


def _shape(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return type(value), [_shape(item) for item in value]
    if isinstance(value, dict):
        return dict, [(_shape(key), _shape(value[key])) for key in sorted(value, key=repr)]
    return type(value)


def _type_words(expected: object, came: object) -> str:
    """Say which type is not the one that was asked for, the outermost first."""
    if isinstance(expected, _Refusal) and isinstance(came, _Refusal):
        return "An exception is right here, but it is of another kind."
    if isinstance(expected, _Refusal):
        return "Nothing kept it from returning a result; there is none to return."
    if came is None:
        return "The result is None. Is a `return` missing?"
    if type(expected) is not type(came):
        wanted, got = type(expected).__name__, type(came).__name__
        return f"The result, or something in it, is of the type {got}; {wanted} is asked for."
    if isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)):
        pairs = zip(expected, came, strict=False)
        return next((words for one, other in pairs if (words := _type_words(one, other))), "")
    return ""


def _changed(before: Case, after: Case) -> str:
    now = next(new for old, new in zip(before, after, strict=True) if old != new)
    words = "The function changed what it was given. Build a new list, and leave the old one."
    return f"  the argument is now  {now!r}\n\n{paragraph(words)}"
