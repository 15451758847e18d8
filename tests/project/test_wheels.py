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
def test_the_hint_installs_compare(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """What a message names installs bpetite-compare: in a clone, with uv and pip, and from git."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("without git or a clone there is no address")
    programs = new_environment(tmp_path / "venv")
    members = [PACKAGES / "core", PACKAGES / "cli"]
    done = run(programs / "pip", "install", *members, cwd=tmp_path)
    if done.returncode:
        pytest.skip(f"pip has no index to install rich from: {done.stderr}")
    message = run(programs / "bpetite", "parity", cwd=tmp_path).stderr
    with_uv, with_pip, option = re.findall("`([^`]*)`", message)
    assert "bpetite-c" not in f"{with_uv} {with_pip} {option}"  # nothing is named on an index
    for command, program in ((with_uv, tmp_path / "bin"), (with_pip, programs)):
        words = command.split()
        words[0] = str(programs / "pip") if words[0] == "pip" else shutil.which("uv") or "uv"
        done = run(*words, cwd=ROOT, env=environment)
        assert done.returncode == 0, done.stderr
        assert has_compare(program / "bpetite", tmp_path)
    there = option.replace("URL", ROOT.as_uri()).split()
    source = f"git+{ROOT.as_uri()}#subdirectory=packages/cli"
    call = ("tool", "run", "--from", source, *there, "bpetite", "parity", "--help")
    done = run_uv(*call, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_hint_installs_pyarrow(dist: Path, tmp_path: Path) -> None:
    """What the message about Parquet names makes `--parquet` work."""
    index = ("run", "--isolated", "--no-project", "--python", sys.executable, "--find-links", dist)
    counted = ("bpetite", "chunks", "--parquet", "text", "none.parquet")
    hint = run_uv(*index, "--with", "bpetite-cli", *counted, cwd=tmp_path).stderr
    if "pyarrow" not in hint:
        pytest.skip(f"uv has no index to install rich from: {hint}")
    (option,) = re.findall("add `--with (.*?)`", hint)
    hint = run_uv(*index, "--with", "bpetite-cli", "--with", option, *counted, cwd=tmp_path).stderr
    assert "none.parquet" in hint


@pytest.mark.posix
def test_the_folder_of_wheels_installs_elsewhere(
    dist: Path, tmp_path: Path, environment: Mapping[str, str]
) -> None:
    """The README's commands install the wheels with uv and pip; ours need no index."""
    shutil.copytree(dist, tmp_path / "dist")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(
        "^```sh\n(uv build --all-packages\n.*?)^```", readme, re.DOTALL | re.MULTILINE
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
    download, install = re.findall("`(pip [^`]*(?:--dest|--find-links) dist[^`]*)`", readme)
    path["PATH"] = f"{new_environment(tmp_path / 'other')}{os.pathsep}{path['PATH']}"
    for command in (download, install):
        done = run("bash", "-c", command, cwd=tmp_path, env=path)
        assert done.returncode == 0, done.stderr
    assert has_compare(tmp_path / "other" / "bin" / "bpetite", tmp_path)


def test_the_forms_of_an_address_are_those_of_uv(tmp_path: Path) -> None:
    """With git, uv fetches from each `URL` of the README, and rejects what the table changes."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    copy = tmp_path / "git" / "bpetite.git"
    shutil.copytree(PACKAGES / "core", copy / "packages" / "core")
    git = ("git", "-C", str(copy), "-c", "user.name=a", "-c", "user.email=a")
    for words in (("init", "-q"), ("add", "--all"), ("commit", "-q", "-m", "all")):
        assert run(*git, *words).returncode == 0
    shutil.copytree(copy, tmp_path / "git" / "bpetite")
    # git asks this folder instead of the hosts.
    hosts = ("https://host/ME/", "ssh://git@HOST/ME/", "file:///home/me/")
    settings = {"GIT_CONFIG_COUNT": "3", "UV_CACHE_DIR": str(tmp_path / "cache")}
    for number, host in enumerate(hosts):
        settings[f"GIT_CONFIG_KEY_{number}"] = f"url.{(tmp_path / 'git').as_uri()}/.insteadOf"
        settings[f"GIT_CONFIG_VALUE_{number}"] = host
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+bpetite(?:\.git)?)` \| `(\S+)` \|$", readme, re.MULTILINE)
    assert len(rows) == 4
    for given, address in rows:
        for url in {given, address}:
            requirement = f"bpetite-core @ git+{url}#subdirectory=packages/core\n"
            (tmp_path / "in.txt").write_text(requirement)
            done = run_uv("pip", "compile", "--no-deps", "in.txt", cwd=tmp_path, env=settings)
            assert (done.returncode == 0) == (url == address), done.stderr
            assert url != address or "bpetite-core @ git+" in done.stdout


def test_a_wheel_names_the_program_that_built_it(dist: Path) -> None:
    """So another version of uv gives other bytes, as docs/versions.md says."""
    with zipfile.ZipFile(dist / f"{file_name('core')}-py3-none-any.whl") as wheel:
        info = wheel.read(f"{file_name('core')}.dist-info/WHEEL").decode()
    assert re.search(r"^Generator: uv \d+\.\d+\.\d+$", info, re.MULTILINE)
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    assert "Another version of uv writes its own number into `WHEEL`" in page


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
