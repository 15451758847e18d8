"""The files that the loader's tests require it to reject, for tests of other readers."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

from artifacts import SECOND, THIRD, canonical
from core.test_versions import FAULTS, FAULTS_OF_2
from project_tools import ROOT


def hostile_files(folder: Path) -> dict[int, list[bytes]]:
    """Return every file that a test of the checks requires `load` to reject, by step."""
    module = _module("test_loading")
    found: dict[int, list[bytes]] = {step: [] for step in range(1, 20)}
    for step, faults in module.STEPS.items():
        found[step] += [canonical(module.changed((place, value))) for place, value, _ in faults]
    for name, test in list(vars(module).items()):
        if number := re.match(r"test_step_(\d+)", name):
            files = found[int(number[1])]
            vars(module)["check_rejected"] = lambda _folder, content, _message, files=files: (
                files.append(content if isinstance(content, bytes) else canonical(content))
            )
            test(folder)
    return found


def hostile_files_of_version(number: int) -> list[tuple[int, bytes]]:
    """Return each file that a step of schema version 2 or 3 rejects, with the step."""
    valid, faults = (SECOND, FAULTS_OF_2) if number == 2 else (THIRD, FAULTS)
    return [(step, canonical(valid | fault)) for step, fault, _ in faults]


def _module(name: str) -> ModuleType:
    """Return a module of the core's tests."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "core" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
