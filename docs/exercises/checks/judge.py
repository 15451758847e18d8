"""Judge a learner's code: find the smallest failing case, and name the likely mistake.

The likely mistakes are in mistakes.toml, as wrong code. The judge names the mistake that gives
the learner's results in the failing case and in all cases before it. If several do, it names
the one that agrees best with the later cases.
"""

import copy
import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from textwrap import indent
from types import FunctionType
from typing import Any, Final, TypeAlias

from checks.compare import facing, same, short, wrong_type
from checks.learner import Failed, Learner, Outcome, Raised, Returned
from checks.words import NotStartedError, WrongError, paragraph

Case: TypeAlias = tuple[Any, ...]

MISTAKES: Final = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))
"""The likely mistakes in each function: a sentence that names the mistake, and its wrong code."""

_ERRORS: Final = {
    "changed size during iteration": "The loop goes over a set or a dict that changes meanwhile. "
    "Loop over a copy: `sorted(...)`.",
    "IndexError": "An index is past the end: the last id has no neighbor on its right. Stop one "
    "earlier, or compare with the length before you look.",
    "KeyError": "A dict has no value for a key that it has not seen. `counts.get(pair, 0)` gives 0 "
    "instead, and `setdefault` adds a value first.",
    "unhashable type: 'list'": "A list cannot be a key of a dict or an item of a set. A pair is a "
    "tuple: `tuple(ids[i : i + 2])`.",
    "expected string": "A text is needed here, and this is something else, such as the list of all "
    "documents. Loop over the list.",
}
"""What to do about an exception, by a part of its text."""
_LATER: Final = 100
"""How many cases after the failing one are used to tell mistakes apart."""


@dataclass(frozen=True)
class Question:
    """A function to write.

    name: its name in the learner's file.
    answer: the right function.
    cases: the arguments of each call, the smallest first.
    trace: returns what to add about a case, given the case, the right result and the learner's,
        which has the same type.
    form: what to add if the result has the wrong type.
    effect: for a function that changes its arguments, returns what to compare, given the arguments
        after the call. Only the trace shows it.
    """

    name: str
    answer: Any
    cases: Sequence[Case]
    trace: Callable[..., str] = lambda *_: ""
    form: str = ""
    effect: Callable[[Case], object] | None = None

    def check(self, learner: Learner) -> Iterator[str]:
        """Report that all cases are right.

        Raises:
            WrongError: a case is wrong. The message explains the first one.
        """
        results = self.results(learner)
        for number, result in enumerate(results):
            expected = self.expected(self.cases[number])
            if not same(expected, result):
                raise WrongError(*self._report(number, expected, results))
        what = f"all {len(results)} cases are" if len(results) > 1 else "the result is"
        yield f"{self.name}: {what} right"

    def shown(self, case: Case) -> str:
        """Return the call as source code, cut if it is long."""
        return f"{self.name}({', '.join(map(short, case))})"

    def beside(self, expected: object, result: object) -> str:
        """Show the right result and the learner's."""
        return facing(expected, result)

    def expected(self, case: Case) -> object:
        """Return the result of the answer."""
        return attempt(self.answer, case)

    def results(self, learner: Learner) -> list[object]:
        """Return the result of the learner's function in each case."""
        outcomes = learner.outcomes([(self.name, case) for case in self.cases])
        return [self._result(*one) for one in zip(self.cases, outcomes, strict=False)]

    def _result(self, case: Case, outcome: Outcome) -> object:
        if not isinstance(outcome, Returned):
            return outcome
        if self.effect is not None:
            return self.effect(outcome.after)
        if outcome.after == case:
            return outcome.value
        now = next(new for old, new in zip(case, outcome.after, strict=True) if old != new)
        return Failed(
            f"The function changed its argument, which is now {short(now)}. Build a new list and "
            f"leave the old one as it is."
        )

    def _report(self, number: int, expected: object, results: Sequence[object]) -> Iterator[str]:
        """Yield the paragraphs that show and explain a case."""
        case, result = self.cases[number], results[number]
        if isinstance(result, Raised) and "NotImplementedError" in result.kinds:
            where = f"  {result.where}"
            raise NotStartedError(where)
        yield self.shown(case)
        if isinstance(result, Failed):
            yield paragraph(result.words)
        elif isinstance(result, Raised) and not isinstance(expected, Raised):
            yield f"  {result}"
            signs = (advice for sign, advice in _ERRORS.items() if sign in str(result))
            yield paragraph(self.mistake(number, results) or next(signs, ""))
        else:
            if self.effect is None:
                yield self.beside(expected, result)
            type_words = wrong_type(expected, result)
            trace = "" if type_words else self.trace(case, expected, result)
            said = self.mistake(number, results) or (type_words and f"{type_words} {self.form}")
            yield paragraph(said)
            yield trace if said or trace else "Work through this case by hand."
        if len(self.cases) > 1:
            before = " The cases before it are right." if number else ""
            yield f"This is case {number + 1} of {len(self.cases)}.{before}"

    def mistake(self, number: int, results: Sequence[object]) -> str:
        """Return the sentence about the mistake that explains the results, if any."""
        went = list(zip(self.cases, results, strict=False))
        so_far, later = went[number::-1], went[number + 1 :][:_LATER]
        wrongs = [
            (words, variant(self.answer, code))
            for words, codes in MISTAKES.get(self.name, {}).items()
            for code in (codes if isinstance(codes, list) else [codes])
        ]
        fitting = [
            (sum(same(attempt(wrong, case), result) for case, result in later), words)
            for words, wrong in wrongs
            if all(same(attempt(wrong, case), result) for case, result in so_far)
        ]
        return max(fitting, key=itemgetter(0))[1] if fitting else ""


class Constant(Question):
    """A constant to write. A case is the keys to look up in it, one after another.

    The right value is the whole answer, so it is never shown.
    """

    def beside(self, _expected: object, result: object) -> str:
        """Show the learner's value only."""
        return f"  got       {short(result)}"

    def shown(self, case: Case) -> str:
        """Return the expression that looks up the keys."""
        return self.name + "".join(f"[{key!r}]" for key in case)

    def expected(self, case: Case) -> object:
        """Return the value in the answer."""
        return self._look_up(self.answer, case)

    def results(self, learner: Learner) -> list[object]:
        """Return the value of each case in the learner's constant."""
        (value,) = constants(learner, [self.name])
        if not (any(value.values()) if isinstance(value, dict) else value):
            message = f"{self.name} is still empty."
            raise NotStartedError(message)
        return [self._look_up(value, case) for case in self.cases]

    def _look_up(self, value: Any, case: Case) -> object:  # noqa: ANN401 - what a learner wrote
        try:
            for key in case:
                value = value[key]
        except (LookupError, TypeError):
            return Failed(f"It is missing. {self.form}")
        return value


def constants(learner: Learner, names: Sequence[str]) -> list[object]:
    """Return constants of a learner's file.

    Raises:
        WrongError: one of them is missing or is not plain data.
    """
    values = []
    for outcome in learner.outcomes([(name, None) for name in names]):
        if not isinstance(outcome, Returned):
            raise WrongError(outcome.words if isinstance(outcome, Failed) else str(outcome))
        values.append(outcome.value)
    return values


def variant(answer: FunctionType, code: str | Mapping[str, str]) -> Callable[..., object]:
    """Return an answer with another body, or with changes to its text.

    Raises:
        ValueError: the text to change does not occur.
    """
    name = answer.__name__
    if isinstance(code, str):
        source = f"def {name}({', '.join(inspect.signature(answer).parameters)}):\n"
        source += indent(code.strip(), "    ")
    else:
        source = inspect.getsource(answer)
        for old, new in code.items():
            if old not in source:
                message = f"{name} does not contain {old!r}"
                raise ValueError(message)
            source = source.replace(old, new)
    names = dict(answer.__globals__)
    exec(source, names)  # noqa: S102 - our own code, from the answers and mistakes.toml
    made: Callable[..., object] = names[name]
    return made


def attempt(function: Callable[..., object], case: Case) -> object:
    """Return the result of a call, or its exception."""
    try:
        return function(*copy.deepcopy(case))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return Raised((type(error).__name__,))
