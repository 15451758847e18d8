"""The files that the loader's tests require it to reject, for tests of other readers."""

import importlib.util
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from project_tools import ROOT


def hostile_files(folder: Path) -> dict[int, list[bytes]]:
    """Return every file that a test of the nineteen checks requires `load` to reject, by step."""
    path = ROOT / "tests" / "core" / "test_loading.py"
    spec = importlib.util.spec_from_file_location("hostile", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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
