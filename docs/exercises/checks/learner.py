"""Run a learner's file in its own process, and collect the outcome of each call.

In a process of its own, the file cannot harm the check by an endless loop, an exit or output, which
goes to standard error. Outcomes come back as Python literals, one on a line, because JSON has no
bytes and no tuples.
"""

import ast
import contextlib
import importlib.util
import math
import os
import subprocess
import sys
import traceback
import types
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from checks.words import WrongError, paragraph

_FOLDER: Final = Path(__file__).resolve().parents[1]
_MEMORY_BYTES: Final = 2 << 30

Call: TypeAlias = tuple[str, tuple[Any, ...] | None]
"""A function and its arguments, or a constant, which has no arguments."""


@dataclass(frozen=True)
class Returned:
    """A result, and the arguments after the call."""

    value: object
    after: tuple[object, ...] = ()


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


@dataclass(frozen=True)
class Learner:
    """A learner's file, and the time limit in seconds for all calls together."""

    path: Path
    seconds: int

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls in one process, and return the outcome of each.

        A call that never ends, or that ends the process, is the last one.

        Raises:
            WrongError: the file cannot be run.
        """
        paths = os.pathsep.join(filter(None, [str(_FOLDER), os.environ.get("PYTHONPATH")]))
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "checks.learner"],
                input=ascii((str(self.path), calls)).encode("ascii"),
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": paths},
                timeout=self.seconds,
                check=False,
            )
            output, ending = done.stdout, f"ended the program (exit status {done.returncode})."
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            ending = (
                f"had not ended after {self.seconds} seconds. Does every round of the loop come "
                f"closer to its end? If so, it is too slow: which work can it skip?"
            )
        lines = [ast.literal_eval(line) for line in output.decode("ascii").split("\n")[:-1]]
        kinds = {kind.__name__: kind for kind in (Returned, Raised, Failed)}
        outcomes: list[Outcome] = [kinds[name](*fields) for name, *fields in lines]
        if not outcomes:
            words = f"{self.path.name} {ending} This happened while it was loaded, before any call."
            raise WrongError(paragraph(words))
        if isinstance(loaded := outcomes.pop(0), Raised):
            what = "the file cannot be run"
            raise WrongError(what, f"  {loaded}")
        return outcomes if len(outcomes) == len(calls) else [*outcomes, Failed(f"It {ending}")]


class _NotPlainError(Exception):
    """A value without a literal."""


def _plain(value: object) -> object:
    """Return a value as plain data, for example a Counter as a dict."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    for kind in (list, tuple, set):
        if type(value) is kind:
            return kind(map(_plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        raise _NotPlainError(repr(value))
    if value is None or type(value) in {bool, int, float, str, bytes}:
        return value
    raise _NotPlainError(type(value).__name__)


def _load(path: Path) -> types.ModuleType:
    """Run a file, and return what it defines."""
    name = "learner_file"  # Python may have a module with the file's own name
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _raised(error: BaseException, folder: Path) -> Raised:
    """Describe an exception."""
    places = [
        (Path(frame.filename), frame.lineno, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        places.insert(0, (Path(error.filename), error.lineno, (error.text or "").strip()))
    own = [f"{path.name}, line {n}: {line}" for path, n, line in places if path.parent == folder]
    kinds = tuple(kind.__name__ for kind in type(error).__mro__)
    return Raised(kinds, str(error), own[-1] if own else "")


def _called(module: types.ModuleType, name: str, arguments: tuple[Any, ...] | None) -> Outcome:
    """Call a function, or read a constant if there are no arguments."""
    found = getattr(module, name, None)
    try:
        if arguments is None and hasattr(module, name):
            return Returned(_plain(found))
        if arguments is None or not callable(found):
            return Failed(f"There is no {name} in the file. Was it renamed?")
        result = _plain(found(*arguments))
        return Returned(result, tuple(map(_plain, arguments)))
    except _NotPlainError as error:
        return Failed(f"The result is or contains an object of the class {error}.")


def _main() -> None:
    """Load the file named on standard input, and make the calls."""
    file, calls = ast.literal_eval(sys.stdin.read())
    path = Path(file)
    # What the learner's code prints goes to standard error; standard output is for the outcomes.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as lines:
        os.dup2(2, 1)
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        sys.path[:1] = [str(_FOLDER), str(path.parent)]

        def tell(outcome: Outcome) -> None:
            line = (type(outcome).__name__, *astuple(outcome))
            print(ascii(line), file=lines, flush=True)

        try:
            module = _load(path)
        except BaseException as error:  # noqa: BLE001 - the learner sees every exception
            tell(_raised(error, path.parent))
            return
        tell(Returned(None))
        for name, arguments in calls:
            try:
                outcome = _called(module, name, arguments)
            except BaseException as error:  # noqa: BLE001 - the learner sees every exception
                outcome = _raised(error, path.parent)
            tell(outcome)


if __name__ == "__main__":
    _main()
