"""The files that the loader's tests require it to reject, for tests of other readers."""

import importlib.util
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from artifacts import canonical
from project_tools import ROOT


def hostile_files(folder: Path) -> dict[int, list[bytes]]:
    """Return every file that a test of the nineteen checks requires `load` to reject, by step."""
    module = _module("test_loading")
    found: dict[int, list[bytes]] = {step: [] for step in range(1, 20)}
    for name, test in list(vars(module).items()):
        if not name.startswith("test_step"):
            continue
        for arguments in _cases(getattr(test, "pytestmark", [])):
            number = re.match(r"test_step_(\d+)", name)
            files = found[int(number[1]) if number else arguments["step"]]
            vars(module)["check_rejected"] = lambda _folder, data, *_, files=files: files.append(
                data
            )
            test(folder, **arguments)
    return found


def hostile_files_of_version_2() -> list[tuple[int, bytes]]:
    """Return each file that a step of schema version 2 rejects, with the step."""
    return [(step, canonical(content)) for step, content, _ in _module("test_version_2").FAULTS]


def hostile_files_of_version_3() -> list[tuple[int, bytes]]:
    """Return the same for schema version 3."""
    module = _module("test_version_3")
    lower = [(23, content | module.TRIPLES, "") for content in (module.GOOD, module.SECOND)]
    faults = [(step, module.THIRD | fault, message) for step, fault, message in module.FAULTS]
    return [(step, canonical(content)) for step, content, _ in faults + lower]


def _module(name: str) -> ModuleType:
    """Return a module of the core's tests."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "core" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cases(marks: list[pytest.Mark]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each case of a parametrized test."""
    tables = []
    for mark in (mark for mark in marks if mark.name == "parametrize"):
        names, rows = mark.args
        names = names.split(",") if isinstance(names, str) else names
        values = [getattr(row, "values", row if len(names) > 1 else [row]) for row in rows]
        tables.append([dict(zip(names, value, strict=True)) for value in values])
    for parts in itertools.product(*tables):
        yield {name: value for part in parts for name, value in part.items()}
