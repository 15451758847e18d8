"""The wheels and sdists of the three packages, and the core installed alone."""

import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from project_tools import IMPORT_NAMES, MEMBERS, PACKAGES, ROOT, project, run_uv

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


def test_the_hints_install_what_is_missing(dist: Path, tmp_path: Path) -> None:
    """What a message names installs compare and pyarrow: from an index, a clone and an address."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone there is no address")
    index = ("run", "--isolated", "--no-project", "--python", sys.executable, "--find-links", dist)
    parity = ("bpetite", "parity", "--help")
    hint = run_uv(*index, "--with", "bpetite-cli", *parity, cwd=tmp_path).stderr
    if "bpetite-compare" not in hint:
        pytest.skip(f"uv has no index to install rich from: {hint}")
    named = re.findall("`([^`]*)`", hint.partition("error: ")[2])  # uv may warn before
    assert (len(named), named.pop(1)) == (4, "uvx --from")
    for text in named:
        there = text.replace("./", f"{ROOT}/").replace("URL", ROOT.as_uri())
        done = run_uv(*index, "--with", there, *parity, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    counted = ("bpetite", "chunks", "--parquet", "text", "none.parquet")
    hint = run_uv(*index, "--with", "bpetite-cli", *counted, cwd=tmp_path).stderr
    (option,) = re.findall("add `--with (.*?)`", hint)
    hint = run_uv(*index, "--with", "bpetite-cli", "--with", option, *counted, cwd=tmp_path).stderr
    assert "none.parquet" in hint


def test_the_core_installs_only_regex(dist: Path, tmp_path: Path) -> None:
    """In an empty environment the wheel of the core installs only regex, and works."""
    python = ("run", "--isolated", "--no-project", "--python", sys.executable, "--with")
    probe = run_uv(*python, "regex", "python", "-c", "", cwd=tmp_path)
    if probe.returncode:
        pytest.skip(f"uv has no index to install regex from: {probe.stderr}")
    code = (
        "from importlib.metadata import distributions\n"
        "from bpetite import Tokenizer\n"
        "print(*sorted(one.name for one in distributions()))\n"
        "tokenizer = Tokenizer.train('ab ab ab', vocab_size=258)\n"
        "print(tokenizer.encode('ab<|endoftext|>ab'))\n"
    )
    wheel = dist / f"{file_name('core')}-py3-none-any.whl"
    result = run_uv(*python, wheel, "python", "-I", "-c", code, cwd=tmp_path)
    assert result.stdout == "bpetite-core regex\n[256, 258, 256]\n", result.stderr
