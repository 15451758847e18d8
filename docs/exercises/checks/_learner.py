"""A learner's file, and what comes of calling its functions in a process of its own."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from checks._words import OffError, paragraph

__all__ = ["Call", "Failed", "Learner", "Outcome", "Raised", "Returned"]

_FOLDER: Final = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Call:
    """A function and its arguments; or a constant, where arguments is None.

    watched: which argument, a list, is to tell what is read of it.
    """

    name: str
    arguments: tuple[object, ...] | None = None
    watched: int | None = None


@dataclass(frozen=True)
class Returned:
    """What a function returned, its arguments after that, and what it read of the watched one."""

    value: object
    after: tuple[object, ...]
    seen: frozenset[int]


@dataclass(frozen=True)
class Raised:
    """An exception: its class and the classes above it, its words, and the learner's line."""

    kinds: tuple[str, ...]
    words: str
    where: str

    def text(self) -> str:
        """Return the exception as Python would show it, and the line below."""
        words = f": {self.words}" if self.words else ""
        where = f"\n  {self.where}" if self.where else ""
        return f"  {self.kinds[0]}{words}{where}"


@dataclass(frozen=True)
class Failed:
    """Anything else that keeps a result from coming, in words."""

    words: str


Outcome: TypeAlias = Returned | Raised | Failed


@dataclass(frozen=True)
class Learner:
    """A learner's file, and the seconds that all calls together may take."""

    path: Path
    seconds: float

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls in order, in one process, and return how each went.

        After a call that never ends, or that ends the process, there are no more.

        Raises:
            OffError: the file cannot be run.
        """
        lines, ending = self._run(calls)
        if not lines:
            words = f"{self.path.name} {ending} That was while the file was read, before any call."
            raise OffError(paragraph(words))
        if "loaded" not in lines[0]:
            what = "the file cannot be run"
            raise OffError(what, _raised(lines[0]).text())
        outcomes = [_outcome(line) for line in lines[1:]]
        if len(outcomes) < len(calls):
            outcomes.append(Failed(f"It {ending}"))
        return outcomes

    def _run(self, calls: Sequence[Call]) -> tuple[list[dict[str, Any]], str]:
        """Return the worker's lines, and what there is to say if they are too few."""
        asked = {
            "file": str(self.path),
            "tools": str(_FOLDER.parent),
            "calls": [_asked(call) for call in calls],
        }
        try:
            done = subprocess.run(  # noqa: S603 - the learner's file is run because it is asked for
                [sys.executable, str(_FOLDER / "_worker.py")],
                input=json.dumps(asked).encode("ascii"),
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                timeout=self.seconds,
                check=False,
            )
            output, ending = done.stdout, f"ended the program (exit status {done.returncode})."
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            ending = (
                f"had not ended after {self.seconds:g} seconds. Does the loop come closer to its "
                f"end on every round?"
            )
        whole = output.decode("utf-8").split("\n")[:-1]
        return [json.loads(line) for line in whole], ending


def _asked(call: Call) -> dict[str, object]:
    arguments = None if call.arguments is None else repr(call.arguments)
    return {"name": call.name, "arguments": arguments, "watched": call.watched}


def _outcome(line: dict[str, Any]) -> Outcome:
    if "missing" in line:
        return Failed(f"There is no {line['missing']} in the file. Was it renamed?")
    if "strange" in line:
        return Failed(f"The result is, or holds, an object of the class {line['strange']}.")
    if "raised" in line:
        return _raised(line)
    after = ast.literal_eval(line["after"]) if "after" in line else ()
    return Returned(ast.literal_eval(line["value"]), after, frozenset(line.get("seen", ())))


def _raised(line: dict[str, Any]) -> Raised:
    return Raised(tuple(line["raised"]), line["words"], _where(line["place"]))


def _where(place: tuple[str, int] | None) -> str:
    """Return a learner's line, with its file and number, for a message."""
    if place is None:
        return ""
    file, number = place
    try:
        text = Path(file).read_text(encoding="utf-8").splitlines()[number - 1].strip()
    except (OSError, ValueError, IndexError):
        text = ""
    return f"{Path(file).name}, line {number}: {text}"
