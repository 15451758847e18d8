"""The wheels and sdists of the three packages, and the core installed alone."""

import os
import re
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from project_tools import IMPORT_NAMES, MEMBERS, PACKAGES, ROOT, project, run, run_uv

pytestmark = pytest.mark.thorough


def file_name(member: str) -> str:
    """Return the start of a wheel's or an sdist's name: the package and its version."""
    metadata = project(PACKAGES / member)
    return f"{metadata['name'].replace('-', '_')}-{metadata['version']}"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def test_a_wheel_and_an_sdist_have_the_sources_and_metadata(member: str, dist: Path) -> None:
    """Each has exactly the files of src/, including the type marker, and its metadata."""
    top, source = file_name(member), PACKAGES / member / "src"
    files = (path.relative_to(source) for path in source.rglob("*") if path.is_file())
    sources = {str(path) for path in files if path.suffix != ".pyc"}
    assert f"{IMPORT_NAMES[member]}/py.typed" in sources
    info = f"{top}.dist-info"
    with zipfile.ZipFile(dist / f"{top}-py3-none-any.whl") as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        assert wheel.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    metadata = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
    if project(PACKAGES / member).keys() & {"scripts", "entry-points"}:
        metadata.add("entry_points.txt")
    assert names == sources | {f"{info}/{name}" for name in metadata}
    with tarfile.open(dist / f"{top}.tar.gz") as sdist:
        names = {entry.name for entry in sdist if entry.isfile()}
    names.discard(f"{top}/pyproject.toml.orig")  # some versions of uv keep a copy
    described = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert names == {f"{top}/{name}" for name in described | {f"src/{name}" for name in sources}}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_build_can_be_repeated(member: str, dist: Path, tmp_path: Path) -> None:
    """Building again, from a copy with newer files, gives the same bytes."""
    source = tmp_path / "source"
    shutil.copytree(PACKAGES / member, source, copy_function=shutil.copyfile)
    result = run_uv("build", source, "--out-dir", tmp_path / "again")
    assert result.returncode == 0, result.stderr
    for path in (tmp_path / "again").glob("*[lz]"):
        assert path.read_bytes() == (dist / path.name).read_bytes(), path.name


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """Return variables with which uv installs tools into a folder of the test."""
    return {"UV_TOOL_DIR": f"{tmp_path}/tools", "UV_TOOL_BIN_DIR": f"{tmp_path}/bin"}


def new_environment(folder: Path) -> Path:
    """Make an environment with pip, and return the folder of its programs."""
    assert run(sys.executable, "-m", "venv", folder).returncode == 0
    return folder / "bin"


def has_compare(program: Path, folder: Path) -> bool:
    """Return whether a command of bpetite-compare works."""
    return run(program, "parity", "--help", cwd=folder).returncode == 0


@pytest.mark.posix
def test_the_folder_of_wheels_installs_elsewhere(
    dist: Path, tmp_path: Path, environment: Mapping[str, str]
) -> None:
    """The commands of docs/install.md install the wheels with uv and pip; ours need no index."""
    shutil.copytree(dist, tmp_path / "dist")
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    (block,) = re.findall(
        "^```sh\n(uv build --all-packages\n.*?)^```", page, re.DOTALL | re.MULTILINE
    )
    _, with_uv, with_pip = block.splitlines()
    programs = new_environment(tmp_path / "venv")
    path = {**environment, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = run("bash", "-c", f"{with_pip} --no-index --no-deps", cwd=tmp_path, env=path)
    assert done.returncode == 0, done.stderr
    if run("bash", "-c", with_pip, cwd=tmp_path, env=path).returncode:
        pytest.skip("pip has no index to install rich from")
    assert has_compare(programs / "bpetite", tmp_path)
    done = run("bash", "-c", with_uv, cwd=tmp_path, env=path)
    assert done.returncode == 0, done.stderr
    assert has_compare(tmp_path / "bin" / "bpetite", tmp_path)
    download, install = re.findall("`(pip [^`]*(?:--dest|--find-links) dist[^`]*)`", page)
    path["PATH"] = f"{new_environment(tmp_path / 'other')}{os.pathsep}{path['PATH']}"
    for command in (download, install):
        done = run("bash", "-c", command, cwd=tmp_path, env=path)
        assert done.returncode == 0, done.stderr
    assert has_compare(tmp_path / "other" / "bin" / "bpetite", tmp_path)
