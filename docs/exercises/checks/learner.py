"""Run a learner's file in its own process, and collect the outcome of each call."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from checks.words import WrongError, paragraph

_FOLDER: Final = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Call:
    """A function and its arguments, or a constant, which has no arguments.

    watched: the number of an argument, a list. The outcome lists the items that were read.
    """

    name: str
    arguments: tuple[object, ...] | None = None
    watched: int | None = None


@dataclass(frozen=True)
class Returned:
    """A result, the arguments after the call, and the items of the watched list that were read."""

    value: object
    after: tuple[object, ...] = ()
    seen: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Raised:
    """An exception: its class and base classes, its message, and the learner's line."""

    kinds: tuple[str, ...]
    words: str = ""
    where: str = ""

    def __str__(self) -> str:
        words = f"{self.kinds[0]}: {self.words}" if self.words else self.kinds[0]
        return f"{words}\n  {self.where}" if self.where else words


@dataclass(frozen=True)
class Failed:
    """Any other reason why there is no result, in words."""

    words: str


Outcome: TypeAlias = Returned | Raised | Failed
_KINDS: Final[dict[str, Callable[..., Outcome]]] = {
    "Returned": Returned,
    "Raised": Raised,
    "Failed": Failed,
}


@dataclass(frozen=True)
class Learner:
    """A learner's file, and the time limit in seconds for all calls together."""

    path: Path
    seconds: float

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls in one process, and return the outcome of each.

        A call that never ends, or that ends the process, is the last one.

        Raises:
            WrongError: the file cannot be run.
        """
        lines, ending = self._run(calls)
        if not lines:
            words = f"{self.path.name} {ending} This happened while it was loaded, before any call."
            raise WrongError(paragraph(words))
        if lines[0] != ("Loaded",):
            what = "the file cannot be run"
            raise WrongError(what, f"  {_outcome(lines[0])}")
        outcomes = [_outcome(line) for line in lines[1:]]
        if len(outcomes) < len(calls):
            outcomes.append(Failed(f"It {ending}"))
        return outcomes

    def _run(self, calls: Sequence[Call]) -> tuple[list[tuple[Any, ...]], str]:
        """Return the lines of the worker, and why they ended."""
        asked = (str(self.path), str(_FOLDER.parent), [astuple(call) for call in calls])
        try:
            done = subprocess.run(
                [sys.executable, str(_FOLDER / "worker.py")],
                input=ascii(asked).encode("ascii"),
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                timeout=self.seconds,
                check=False,
            )
            output, ending = done.stdout, f"ended the program (exit status {done.returncode})."
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            ending = (
                f"had not ended after {self.seconds:g} seconds. Does every round of the loop come "
                f"closer to its end? If so, it is too slow: which work can it skip?"
            )
        whole = output.decode("ascii").split("\n")[:-1]
        return [ast.literal_eval(line) for line in whole], ending


def _outcome(line: tuple[Any, ...]) -> Outcome:
    kind, *fields = line
    return _KINDS[kind](*fields)
