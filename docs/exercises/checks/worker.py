"""Run a learner's file: make the calls listed on standard input, and write one line for each.

This is a separate process, so the learner's file cannot harm the check by an endless loop, an exit
or output, which goes to standard error. Lines are Python literals, because JSON has no bytes and
no tuples.
"""

import ast
import contextlib
import importlib.util
import math
import os
import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

_MEMORY_BYTES: Final = 2 << 30

Line: TypeAlias = tuple[object, ...]
"""The name of a class of `learner`, and the values of its fields."""


class Watched(list[object]):
    """A list that notes which of its items are read."""

    def __init__(self, items: Sequence[object]) -> None:
        super().__init__(items)
        self.seen: set[int] = set()

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401 - an index or a slice, as for any list
        found = range(len(self))[index]
        self.seen.update([found] if isinstance(found, int) else found)
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[object]:
        for index in range(len(self)):
            yield self[index]


class NotPlainError(Exception):
    """A value without a literal."""


def plain(value: object) -> object:
    """Return a value as plain data, for example a Counter as a dict."""
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, Watched):
        value = list(list.__iter__(value))  # this copy does not count as reading
    for kind in (list, tuple, set):
        if type(value) is kind:
            return kind(map(plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        raise NotPlainError(repr(value))
    if value is None or type(value) in {bool, int, float, str, bytes}:
        return value
    raise NotPlainError(type(value).__name__)


def load(path: Path) -> types.ModuleType:
    """Run a file, and return what it defines."""
    name = "learner_file"  # Python may have a module with the file's own name
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def raised(error: BaseException, folder: Path) -> Line:
    """Describe an exception: its classes, its message, and the learner's line."""
    places = [
        (Path(frame.filename), frame.lineno, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        places.insert(0, (Path(error.filename), error.lineno, (error.text or "").strip()))
    own = [f"{path.name}, line {n}: {line}" for path, n, line in places if path.parent == folder]
    kinds = tuple(kind.__name__ for kind in type(error).__mro__)
    return "Raised", kinds, str(error), own[-1] if own else ""


def called(
    module: types.ModuleType, name: str, arguments: tuple[Any, ...] | None, watched: int | None
) -> Line:
    """Call a function, or read a constant if there are no arguments."""
    found = getattr(module, name, None)
    if arguments is None and hasattr(module, name):
        return "Returned", plain(found)
    if arguments is None or not callable(found):
        return "Failed", f"There is no {name} in the file. Was it renamed?"
    values = list(arguments)
    if watched is not None:
        values[watched] = Watched(values[watched])
    result = plain(found(*values))
    seen = set() if watched is None else values[watched].seen
    return "Returned", result, plain(tuple(values)), seen


def answer(module: types.ModuleType, call: Sequence[Any], folder: Path) -> Line:
    """Make a call and describe the outcome."""
    try:
        return called(module, *call)
    except NotPlainError as error:
        return "Failed", f"The result is or contains an object of the class {error}."
    except BaseException as error:  # noqa: BLE001 - the learner sees every exception
        return raised(error, folder)


def main() -> None:
    """Load the file named on standard input, and make the calls."""
    file, tools, calls = ast.literal_eval(sys.stdin.read())
    path = Path(file)
    # What the learner's code prints goes to standard error; standard output is for the results.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as lines:
        os.dup2(2, 1)
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        sys.path[:1] = [tools, str(path.parent)]
        try:
            module = load(path)
        except BaseException as error:  # noqa: BLE001 - the learner sees every exception
            print(ascii(raised(error, path.parent)), file=lines, flush=True)
            return
        print(ascii(("Loaded",)), file=lines, flush=True)
        for call in calls:
            print(ascii(answer(module, call, path.parent)), file=lines, flush=True)


if __name__ == "__main__":
    main()
