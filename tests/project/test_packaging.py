"""The metadata of the three packages, and the lock file."""

import re
import shutil
import tomllib
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from generate import version as generate_version
from project_tools import MEMBERS, PACKAGES, ROOT, project, run, run_uv

# All files besides pyproject.toml where one of our tools would look for configuration.
STRAY_CONFIGURATION: Final = (
    ".coveragerc",
    ".flake8",
    ".importlinter",
    ".mypy.ini",
    ".pytest.ini",
    ".pytest.toml",
    ".ruff.toml",
    "Pipfile",
    "mypy.ini",
    "pytest.ini",
    "pytest.toml",
    "requirements*.txt",
    "ruff.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "uv.toml",
)


def stray_configuration(folder: Path) -> list[Path]:
    """Return other files that configure a tool, in a folder and its packages."""
    folders = [folder, *folder.glob("packages/*")]
    return [path for place in folders for name in STRAY_CONFIGURATION for path in place.glob(name)]


def test_configuration_is_in_pyproject_toml() -> None:
    """FR-2: the packages and all tools are configured only by pyproject.toml."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert set(tools) >= {"importlinter", "mypy", "pytest", "ruff", "uv"}
    assert all((PACKAGES / member / "pyproject.toml").is_file() for member in MEMBERS)
    assert stray_configuration(ROOT) == []


@pytest.mark.parametrize("place", [".", "packages/core"])
def test_stray_configuration_is_found(place: str, tmp_path: Path) -> None:
    """Another configuration file is found, at the top and in a package."""
    stray = tmp_path / place / "setup.cfg"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.touch()
    assert stray_configuration(tmp_path) == [stray]


def test_no_version_of_python_is_pinned() -> None:
    """No .python-version rules out the interpreter that a user already has."""
    assert not list(ROOT.glob(".python-version*"))


def test_the_lock_file_is_committed() -> None:
    """FR-3: uv.lock is under version control."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone nothing says what is committed")
    assert run("git", "ls-files", "uv.lock").stdout == "uv.lock\n"


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_git_changes_no_byte(tmp_path: Path, setting: str) -> None:
    """Files have the same bytes in every clone, with any value of `core.autocrlf`."""
    if shutil.which("git") is None:
        pytest.skip("git is not on PATH")
    source, clone = tmp_path / "source", tmp_path / "clone"
    shutil.copytree(ROOT / "tests" / "reliability" / "findings", source / "findings")
    for name in (".gitattributes", "docs/sample.txt", "docs/explorer.png"):
        shutil.copy(ROOT / name, source)
    (source / "both").write_bytes(b"one\r\ntwo\n")
    git = ("git", "-c", f"core.autocrlf={setting}", "-c", "user.name=a", "-c", "user.email=b")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=c"]):
        assert run(*git, *command, cwd=source).returncode == 0
    assert run(*git, "clone", "--quiet", source, clone).returncode == 0
    files = [path for path in source.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert len(files) > 10
    for path in files:
        assert (clone / path.relative_to(source)).read_bytes() == path.read_bytes(), path


def copy_of_workspace(folder: Path) -> Path:
    """Copy what uv reads to check whether the lock file is up to date."""
    shutil.copy(ROOT / "uv.lock", folder)
    for path in [ROOT, *(PACKAGES / member for member in MEMBERS)]:
        place = folder / path.relative_to(ROOT)
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(path / "pyproject.toml", place)
    return folder


def check_lock(folder: Path) -> CompletedProcess[str]:
    """Ask uv, with no network and an empty cache, whether uv.lock is up to date."""
    environment = {"UV_CACHE_DIR": str(folder / "cache")}
    return run_uv("lock", "--check", "--offline", cwd=folder, env=environment)


def test_the_lock_file_is_up_to_date(tmp_path: Path) -> None:
    """FR-3: uv.lock matches every pyproject.toml."""
    result = check_lock(copy_of_workspace(tmp_path))
    assert result.returncode == 0, result.stderr


def test_a_stale_lock_file_is_found(tmp_path: Path) -> None:
    """Removing a dependency from pyproject.toml makes the lock file outdated."""
    metadata = copy_of_workspace(tmp_path) / "packages" / "cli" / "pyproject.toml"
    text = metadata.read_text(encoding="utf-8")
    assert '"rich>=13.7"' in text
    metadata.write_text(text.replace('"rich>=13.7"', ""), encoding="utf-8")
    assert check_lock(tmp_path).returncode == 1


def test_the_versions_are_equal() -> None:
    """The packages and the citation file have the workspace's version."""
    version = project(ROOT)["version"]
    assert {project(PACKAGES / member)["version"] for member in MEMBERS} == {version}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version]


def test_a_new_version_is_set_in_one_place(tmp_path: Path) -> None:
    """The workspace's version is copied to every file that states it, and nothing else changes."""
    copy_of_workspace(tmp_path)
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    version = project(ROOT)["version"]
    workspace = tmp_path / "pyproject.toml"
    old = workspace.read_text(encoding="utf-8")
    workspace.write_text(old.replace(f'version = "{version}"', 'version = "12.3.4rc5"', 1))
    stated = {"core": 1, "cli": 3, "compare": 2}  # its own, and those of its siblings
    wanted = {Path(f"packages/{member}/pyproject.toml"): n for member, n in stated.items()}
    wanted[Path("CITATION.cff")] = 1
    written = generate_version.files(tmp_path)
    assert {path: text.count("12.3.4rc5") for path, text in written.items()} == wanted
    for path, text in written.items():
        assert text.replace("12.3.4rc5", version) == (ROOT / path).read_text(encoding="utf-8")


def test_siblings_require_their_own_version() -> None:
    """A package requires exactly its own version of a sibling, because it uses private names."""
    versions = {
        metadata["name"]: metadata["version"]
        for metadata in (project(PACKAGES / member) for member in MEMBERS)
    }
    found = []
    for member in MEMBERS:
        metadata = project(PACKAGES / member)
        optional = metadata.get("optional-dependencies", {}).values()
        for text in [*metadata["dependencies"], *(text for extra in optional for text in extra)]:
            requirement = Requirement(text)
            if requirement.name in versions:
                found.append((member, requirement.name))
                fix = f"{text}: run `uv run python scripts/generate version`"
                assert str(requirement.specifier) == f"=={versions[requirement.name]}", fix
    assert sorted(found) == [
        ("cli", "bpetite-compare"),
        ("cli", "bpetite-core"),
        ("compare", "bpetite-core"),
    ]


def test_the_core_depends_on_regex_alone() -> None:
    """The core has one dependency at run time, and no extras."""
    metadata = project(PACKAGES / "core")
    assert [Requirement(text).name for text in metadata["dependencies"]] == ["regex"]
    assert "optional-dependencies" not in metadata


def test_python_has_no_upper_bound() -> None:
    """All packages support the same versions of Python, with a minimum and no maximum."""
    wanted = {project(folder)["requires-python"] for folder in [ROOT, *PACKAGES.glob("*/")]}
    assert len(wanted) == 1
    assert [part.operator for part in SpecifierSet(wanted.pop())] == [">="]


@pytest.mark.parametrize("member", MEMBERS)
def test_the_license_is_the_same(member: str) -> None:
    """Every package has the repository's license, byte for byte."""
    assert (PACKAGES / member / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert project(PACKAGES / member)["license-files"] == ["LICENSE"]


def test_classifiers_match_the_python_minimum() -> None:
    """The lowest version of Python among the classifiers is the minimum."""
    for member in MEMBERS:
        metadata = project(PACKAGES / member)
        minors = [
            int(match[1])
            for classifier in metadata["classifiers"]
            if (match := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", classifier))
        ]
        assert metadata["requires-python"] == f">=3.{min(minors)}"
        assert minors == list(range(min(minors), max(minors) + 1))
