"""The metadata of the three packages, and the lock file."""

import os
import re
import shutil
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from generate import version
from project_tools import (
    MEMBERS,
    PACKAGES,
    ROOT,
    imported_modules,
    project,
    run,
    run_uv,
    sources,
    tool,
)

STRAY_CONFIGURATION: Final = """
    .coveragerc .flake8 .importlinter .mypy.ini .pytest.ini .pytest.toml .ruff.toml Pipfile mypy.ini
    pytest.ini pytest.toml requirements*.txt ruff.toml setup.cfg setup.py tox.ini uv.toml
"""
"""All files besides pyproject.toml where one of our tools would look for configuration."""


def test_configuration_is_in_pyproject_toml() -> None:
    """FR-2: the packages and all tools are configured only by pyproject.toml."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert set(tools) >= {"importlinter", "mypy", "pytest", "ruff", "uv"}
    assert all((PACKAGES / member / "pyproject.toml").is_file() for member in MEMBERS)
    folders = [ROOT, *ROOT.glob("packages/*")]
    names = STRAY_CONFIGURATION.split()
    assert [path for folder in folders for name in names for path in folder.glob(name)] == []


FAULTS: Final = """
import ctypes, os, pickle
from importlib import import_module
def f(data: bytes, found=[]) -> bytes:
    try:
        print(eval("1"), os.fork(), os.system("1"))
        assert found
    except:
        pass
    return bytearray(data)
"""
CHECKED: Final = (
    "packages/core/src/bpetite/planted.py",
    "packages/compare/src/bpetite_compare/planted.py",
    "tests/core/test_planted.py",
    "scripts/planted_script.py",
    "docs/conf.py",
    "docs/course/course_pictures.py",
    "docs/exercises/planted_exercise.py",
    "docs/proof/planted_proof.py",
)


def test_faults_are_found_in_every_folder(tmp_path: Path) -> None:
    """FR-36, FR-37: ruff and mypy, with our settings, report faults wherever code is.

    One fault returns a `bytearray` as `bytes`.
    """
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in CHECKED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FAULTS, encoding="utf-8")
    types = run(tool("mypy"), "--strict", "--cache-dir", os.devnull, cwd=tmp_path).stdout
    rules = run(tool("ruff"), "check", "--no-cache", "--output-format=concise", ".", cwd=tmp_path)
    for name in CHECKED:
        assert {*re.findall(rf"^{name}:.*\[(.*)\]$", types, re.MULTILINE)} == {
            "no-untyped-def",
            "return-value",
        }
        found = re.findall(rf"^{name}:\d+:\d+: (\w+) ", rules.stdout, re.MULTILINE)
        assert {*found} >= {"ANN001", "B006", "D100", "E722", "F401", "I001", "S307", "S605"}
        of_packages = {"T201": 1, "S101": 1, "TID251": 4}
        expected = of_packages if name.startswith("packages") else {}
        assert {rule: found.count(rule) for rule in of_packages if rule in found} == expected


def test_git_changes_no_byte() -> None:
    """FR-3: uv.lock is under version control, and `core.autocrlf` changes no byte of a clone."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone nothing says what is committed")
    assert run("git", "ls-files", "uv.lock").stdout == "uv.lock\n"
    names = ("docs/sample.txt", "tests/reliability/findings/load/a", "anything")
    found = run("git", "check-attr", "text", "--", *names).stdout
    assert found == "".join(f"{name}: text: unset\n" for name in names)


def test_the_lock_file_is_up_to_date(tmp_path: Path) -> None:
    """FR-3: uv.lock matches every pyproject.toml, as uv says without a network and a cache.

    `uv run --resolution lowest-direct pytest` writes a file that says so, and has to match, too.
    """
    for name in ("uv.lock", *(f"packages/{member}/pyproject.toml" for member in MEMBERS)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {"UV_CACHE_DIR": str(tmp_path / "cache")}
    options = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8")).get("options", {})
    resolution = f"--resolution={options.get('resolution-mode', 'highest')}"
    result = run_uv("lock", "--check", "--offline", resolution, cwd=tmp_path, env=environment)
    assert result.returncode == 0, result.stderr


def test_the_versions_are_equal() -> None:
    """Packages, their requirements of siblings, and the citation have the workspace's version."""
    for path, text in version.files().items():
        fix = f"{path}: run `uv run python scripts/generate version`"
        assert (ROOT / path).read_text(encoding="utf-8") == text, fix
    status = "Production/Stable" if Version(project(ROOT)["version"]).major else "Beta"
    for member in MEMBERS:
        metadata = project(PACKAGES / member)
        statuses = [text for text in metadata["classifiers"] if "Status" in text]
        assert [text.partition(" - ")[2] for text in statuses] == [status], member
        extras = chain.from_iterable(metadata.get("optional-dependencies", {}).values())
        siblings = [text for text in (*metadata["dependencies"], *extras) if "bpetite-" in text]
        assert all(f"=={metadata['version']}" in text for text in siblings), member
        assert bool(siblings) == (member != "core")


def test_the_core_is_python_and_imports_regex_alone() -> None:
    """The core is source code, and `regex` is the one package that it requires and imports."""
    metadata = project(PACKAGES / "core")
    assert [Requirement(text).name for text in metadata["dependencies"]] == ["regex"]
    source = PACKAGES / "core" / "src" / "bpetite"
    files = {path.suffix for path in source.rglob("*") if path.is_file()} - {".pyc"}
    assert files == {".py", ".typed"}
    texts = [path.read_text(encoding="utf-8") for path in sources(source)]
    roots = {name.partition(".")[0] for text in texts for name in imported_modules(text)}
    assert roots - sys.stdlib_module_names == {"bpetite", "regex"}


def test_the_page_of_a_package_stands_alone() -> None:
    """An index shows this page without the repository, so no link on it is relative."""
    links = r"\]\((?!https://)|(?:href|src)="
    for member in MEMBERS:
        page = PACKAGES / member / project(PACKAGES / member)["readme"]
        assert re.findall(links, page.read_text(encoding="utf-8")) == [], page


def test_python_has_no_upper_bound() -> None:
    """All packages support the same versions of Python, with a minimum and no maximum."""
    wanted = {project(folder)["requires-python"] for folder in [ROOT, *PACKAGES.glob("*/")]}
    assert len(wanted) == 1
    assert [part.operator for part in SpecifierSet(wanted.pop())] == [">="]
