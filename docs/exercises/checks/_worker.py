"""Run a learner's file: read what is to be called, and write a line for each result.

This is a program of its own, so that nothing a learner writes can harm the check: not an endless
loop, nor an exit, nor what it prints, which goes to standard error.

Values travel as the text of Python literals, because JSON has neither bytes nor tuples.
"""

import ast
import contextlib
import importlib.util
import json
import math
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

_MEMORY_BYTES: Final = 2 << 30

Line: TypeAlias = dict[str, object]


class Watched(list[object]):
    """A list that knows which of its items were read."""

    def __init__(self, items: Sequence[object]) -> None:
        super().__init__(items)
        self.seen: set[int] = set()

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - an index or a slice, as for any list
        places = range(len(self))[place]
        self.seen.update([places] if isinstance(places, int) else places)
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[object]:
        for place in range(len(self)):
            yield self[place]


class NotPlainError(Exception):
    """A value that is no plain data."""


def plain(value: object) -> object:
    """Return a value as plain data: a Counter becomes a dict, and a bytearray is refused."""
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, Watched):
        return [plain(item) for item in list.__iter__(value)]
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
    name = "learner_file"  # not its own name, which may be that of a module of Python
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def raised(error: BaseException, folder: Path) -> Line:
    """Return what is to be said of an exception: its kinds, its words, and the learner's line."""
    place = None
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno or 0)
    step = error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if file.parent == folder:
            place = (str(file), step.tb_lineno)
        step = step.tb_next
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return {"raised": kinds, "words": str(error), "place": place}


def called(module: types.ModuleType, call: Mapping[str, Any]) -> Line:
    """Call a function, or read a constant if there are no arguments."""
    name, arguments = call["name"], call["arguments"]
    if not hasattr(module, name):
        return {"missing": name}
    found = getattr(module, name)
    if arguments is None:
        return {"value": repr(plain(found))}
    if not callable(found):
        return {"missing": name}
    values = list(ast.literal_eval(arguments))
    watched = call["watched"]
    if watched is not None:
        values[watched] = Watched(values[watched])
    result = repr(plain(found(*values)))
    after = repr(tuple(map(plain, values)))
    seen = sorted(values[watched].seen) if watched is not None else []
    return {"value": result, "after": after, "seen": seen}


def answer(module: types.ModuleType, call: Mapping[str, Any], folder: Path) -> Line:
    """Return the line that tells how a call went."""
    try:
        return called(module, call)
    except NotPlainError as error:
        return {"strange": str(error)}
    except BaseException as error:  # noqa: BLE001 - whatever it is, the learner is told
        return raised(error, folder)


def main() -> None:
    """Load the file that standard input names, and make the calls that stand there."""
    asked = json.load(sys.stdin)
    # What the learner's code prints is for the learner, and standard output is taken.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource  # noqa: PLC0415 - not every system has it

            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        path = Path(asked["file"])
        sys.path[:1] = [asked["tools"], str(path.parent)]
        try:
            module = load(path)
        except BaseException as error:  # noqa: BLE001 - the same
            print(json.dumps(raised(error, path.parent)), file=lines, flush=True)
            return
        print(json.dumps({"loaded": True}), file=lines, flush=True)
        for call in asked["calls"]:
            print(json.dumps(answer(module, call, path.parent)), file=lines, flush=True)


if __name__ == "__main__":
    main()
