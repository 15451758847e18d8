"""The three packages as others get them: metadata, wheels and sdists, a bare installation."""

import json
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from project_tools import IMPORT_NAMES, MEMBERS, PACKAGES, ROOT, run, run_uv

# Every file in which one of our tools would look for configuration besides pyproject.toml.
STRAY_CONFIGURATION: Final = (
    ".coveragerc",
    ".flake8",
    ".importlinter",
    ".mypy.ini",
    ".pytest.ini",
    ".ruff.toml",
    "Pipfile",
    "mypy.ini",
    "pytest.ini",
    "requirements*.txt",
    "ruff.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "uv.toml",
)


def project(folder: Path) -> dict[str, Any]:
    """Return the table [project] of a pyproject.toml."""
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["project"]
    return table


def file_name(member: str) -> str:
    """Return the part of the name of a wheel or an sdist that says what is in it."""
    metadata = project(PACKAGES / member)
    return f"{metadata['name'].replace('-', '_')}-{metadata['version']}"


def source_files(member: str) -> set[str]:
    """Return the files below src/, as their paths in a wheel."""
    source = PACKAGES / member / "src"
    files = (path for path in source.rglob("*") if path.is_file())
    return {str(path.relative_to(source)) for path in files if path.suffix != ".pyc"}


def files_for_the_environment(member: str) -> set[str]:
    """Return the files that a wheel puts into the environment, by their paths in the wheel."""
    prefix = f"{IMPORT_NAMES[member]}/installed/"
    names = (name.removeprefix(prefix) for name in source_files(member) if name.startswith(prefix))
    return {f"{file_name(member)}.data/data/{name}" for name in names}


def stray_configuration(folder: Path) -> list[Path]:
    """Return the files that configure a tool past pyproject.toml, in a folder and its packages."""
    folders = [folder, *folder.glob("packages/*")]
    return [path for place in folders for name in STRAY_CONFIGURATION for path in place.glob(name)]


def test_configuration_stands_in_pyproject_toml() -> None:
    """FR-2: the packages and all tools are configured by pyproject.toml, and by nothing else."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert set(tools) >= {"importlinter", "mypy", "pytest", "ruff", "uv"}
    assert all((PACKAGES / member / "pyproject.toml").is_file() for member in MEMBERS)
    assert stray_configuration(ROOT) == []


@pytest.mark.parametrize("place", [".", "packages/core"])
def test_stray_configuration_is_found(place: str, tmp_path: Path) -> None:
    """Another file of configuration is found, at the top and in a package."""
    stray = tmp_path / place / "setup.cfg"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.touch()
    assert stray_configuration(tmp_path) == [stray]


def test_no_version_of_python_is_pinned() -> None:
    """No .python-version forbids the interpreter that a user already has."""
    assert not list(ROOT.glob(".python-version*"))


def test_the_lock_file_is_committed() -> None:
    """FR-3: uv.lock is under version control."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone nothing says what is committed")
    assert run("git", "ls-files", "uv.lock").stdout == "uv.lock\n"


def copy_of_workspace(folder: Path) -> Path:
    """Copy what uv needs to know of the workspace to say whether its lock file is up to date."""
    shutil.copy(ROOT / "uv.lock", folder)
    for path in [ROOT, *(PACKAGES / member for member in MEMBERS)]:
        place = folder / path.relative_to(ROOT)
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(path / "pyproject.toml", place)
    return folder


def test_the_lock_file_is_up_to_date(tmp_path: Path) -> None:
    """FR-3: uv.lock says what every pyproject.toml asks for."""
    result = run_uv("lock", "--check", cwd=copy_of_workspace(tmp_path))
    assert result.returncode == 0, result.stderr


def test_a_stale_lock_file_is_found(tmp_path: Path) -> None:
    """A dependency that pyproject.toml drops makes the lock file stale."""
    metadata = copy_of_workspace(tmp_path) / "packages" / "cli" / "pyproject.toml"
    text = metadata.read_text(encoding="utf-8")
    assert '"rich>=13.7"' in text
    metadata.write_text(text.replace('"rich>=13.7"', ""), encoding="utf-8")
    result = run_uv("lock", "--check", "--offline", cwd=tmp_path)
    assert result.returncode != 0
    assert "needs to be updated" in result.stderr


def test_the_versions_are_equal() -> None:
    """The three packages are released together, under one version."""
    assert len({project(PACKAGES / member)["version"] for member in MEMBERS}) == 1


def test_siblings_take_each_other_in_this_version() -> None:
    """Whatever requires a sibling does so with a range, and the range holds its version."""
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
                assert {part.operator for part in requirement.specifier} == {">=", "<"}, text
                assert versions[requirement.name] in requirement.specifier, text
    assert sorted(found) == [
        ("cli", "bpetite-compare"),
        ("cli", "bpetite-core"),
        ("compare", "bpetite-core"),
    ]


def test_the_core_depends_on_regex_alone() -> None:
    """The core asks for one package at run time, and has no extras."""
    metadata = project(PACKAGES / "core")
    assert [Requirement(text).name for text in metadata["dependencies"]] == ["regex"]
    assert "optional-dependencies" not in metadata


def test_python_has_no_upper_bound() -> None:
    """All take the same versions of Python, from one on, and nothing forbids a later one."""
    wanted = {project(folder)["requires-python"] for folder in [ROOT, *PACKAGES.glob("*/")]}
    assert len(wanted) == 1
    assert [part.operator for part in SpecifierSet(wanted.pop())] == [">="]


@pytest.mark.parametrize("member", MEMBERS)
def test_the_licence_is_the_same(member: str) -> None:
    """Every package carries the licence of the repository, byte for byte."""
    assert (PACKAGES / member / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert project(PACKAGES / member)["license-files"] == ["LICENSE"]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build every package."""
    folder = tmp_path_factory.mktemp("dist")
    result = run_uv("build", "--all-packages", "--out-dir", folder)
    assert result.returncode == 0, result.stderr
    return folder


def test_each_package_builds_a_wheel_and_an_sdist(dist: Path) -> None:
    """Three packages make three wheels for any system and Python 3, and three sdists."""
    names = [file_name(member) for member in MEMBERS]
    assert {path.name for path in dist.iterdir() if path.name != ".gitignore"} == {
        *(f"{name}-py3-none-any.whl" for name in names),
        *(f"{name}.tar.gz" for name in names),
    }


@pytest.mark.parametrize("member", MEMBERS)
def test_a_wheel_holds_the_sources_and_its_metadata(member: str, dist: Path) -> None:
    """A wheel holds every file of src/, the type marker and the licence too, and no other.

    The man page and the completions are in it twice: for the package, and for the environment.
    """
    info = f"{file_name(member)}.dist-info"
    with zipfile.ZipFile(dist / f"{file_name(member)}-py3-none-any.whl") as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        assert wheel.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    metadata = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
    if project(PACKAGES / member).keys() & {"scripts", "entry-points"}:
        metadata.add("entry_points.txt")
    assert f"{IMPORT_NAMES[member]}/py.typed" in names
    described = {f"{info}/{name}" for name in metadata}
    assert names == source_files(member) | files_for_the_environment(member) | described


def test_the_command_line_comes_with_its_manual() -> None:
    """The wheel of the command line brings a man page and three completions, no other does."""
    top = f"{file_name('cli')}.data/data/share"
    assert files_for_the_environment("cli") == {
        f"{top}/bash-completion/completions/bpetite",
        f"{top}/fish/vendor_completions.d/bpetite.fish",
        f"{top}/man/man1/bpetite.1",
        f"{top}/zsh/site-functions/_bpetite",
    }
    assert not files_for_the_environment("core") | files_for_the_environment("compare")


@pytest.mark.parametrize("member", MEMBERS)
def test_an_sdist_holds_its_package_alone(member: str, dist: Path) -> None:
    """An sdist holds src/ and what describes it: no tests, nothing of another package."""
    top = file_name(member)
    with tarfile.open(dist / f"{top}.tar.gz") as sdist:
        names = {entry.name for entry in sdist if entry.isfile()}
    names.discard(f"{top}/pyproject.toml.orig")  # some versions of uv keep a copy
    described = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    sources = {f"src/{name}" for name in source_files(member)}
    assert names == {f"{top}/{name}" for name in described | sources}


def test_the_core_installs_with_regex_alone(dist: Path, tmp_path: Path) -> None:
    """In an empty environment the wheel of the core brings regex and nothing else, and works."""
    python = tmp_path / "environment" / "bin" / "python"
    created = run_uv("venv", "--python", sys.executable, tmp_path / "environment")
    assert created.returncode == 0, created.stderr
    target = ("--python", python)
    probe = run_uv("pip", "install", "--dry-run", *target, "regex", cwd=tmp_path)
    if probe.returncode:
        pytest.skip(f"uv has no index to install regex from: {probe.stderr}")
    wheel = dist / f"{file_name('core')}-py3-none-any.whl"
    installed = run_uv("pip", "install", *target, wheel, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    listed = run_uv("pip", "list", "--format", "json", *target, cwd=tmp_path)
    assert {package["name"] for package in json.loads(listed.stdout)} == {"bpetite-core", "regex"}
    code = (
        "from bpetite import Tokenizer\n"
        "tokenizer = Tokenizer.train('ab ab ab', vocab_size=258)\n"
        "print(tokenizer.encode('ab<|endoftext|>ab'))\n"
    )
    result = run(python, "-I", "-c", code, cwd=tmp_path)
    assert (result.stdout, result.stderr) == ("[256, 258, 256]\n", "")


def test_the_classifiers_say_what_python_is_wanted() -> None:
    """The lowest version of Python among the classifiers is the lowest that is taken."""
    for member in MEMBERS:
        metadata = project(PACKAGES / member)
        minors = [
            int(match[1])
            for classifier in metadata["classifiers"]
            if (match := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", classifier))
        ]
        assert metadata["requires-python"] == f">=3.{min(minors)}"
        assert minors == list(range(min(minors), max(minors) + 1))
