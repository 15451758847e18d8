"""The workflows on GitHub run the local gates, and publish nothing."""

import re
import tomllib
from typing import Final

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT

WORKFLOWS: Final = ROOT / ".github" / "workflows"
GATES: Final = (
    "uv run pytest",
    "uv run ruff check .",
    "uv run ruff format --check .",
    "uv run mypy --strict",
    "uv run mypy --strict --platform darwin packages",
    "uv run mypy --strict --platform win32 packages",
)


def commands(text: str) -> set[str]:
    """Return the lines of a workflow or shell script, without comments and `run:` in front."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return {re.sub(r"^(- )?run: ", "", line) for line in lines}


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("path", [".ci/run", ".github/workflows/ci.yml"])
def test_the_gates_are_run(path: str, gate: str) -> None:
    """FR-36: each gate is a command of the local check and of the workflow."""
    assert gate in commands((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    ["# uv run pytest", "uv run pytest tests/core", "echo uv run pytest", "uv run pytest -x"],
)
def test_inactive_gates_do_not_count(line: str) -> None:
    """A gate that is commented out, narrowed or merely printed does not count."""
    assert "uv run pytest" not in commands(f"      - run: {line}\n{line}\n")


def test_jobs_have_a_timeout() -> None:
    """Every job has a limit in minutes."""
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert text.count("runs-on:") == text.count("timeout-minutes:") > 0


def test_workflows_do_not_change_the_lock_file() -> None:
    """An outdated uv.lock makes `uv run` fail in a workflow; elsewhere it is updated."""
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert re.search(r'^env:\n(  .*\n)*?  UV_LOCKED: "1"', text, re.MULTILINE), path


def test_windows_is_tested_apart_from_the_gates() -> None:
    """A workflow of its own runs the tests of two packages, without those that need POSIX."""
    text = (WORKFLOWS / "windows.yml").read_text(encoding="utf-8")
    tested = commands(text)
    for package in ("core", "cli"):
        alone = f"uv run --isolated --only-group only-{package} pytest tests/{package}"
        assert f'{alone} -m "not thorough and not posix"' in tested
    assert re.findall("runs-on: (.*)", text) == ["windows-latest"]
    assert "windows-latest" not in (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")


def test_the_site_is_built_as_an_artifact() -> None:
    """The workflow builds the site with the documented command, and keeps it."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    command = "uv run --group docs sphinx-build --fail-on-warning --fresh-env docs site"
    assert command in commands(text)
    assert re.search(r"uses: actions/upload-artifact@.*\n +with:\n +name: site\n +path: site", text)


def rights(text: str) -> dict[str, list[str]]:
    """Return the permissions of each job of a workflow."""
    jobs = re.split(r"^  (\w+):$", text.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    return {
        name: re.findall(
            r"^      ([\w-]+: \w+)",
            body.partition("permissions:\n")[2].partition("    steps:")[0],
            re.MULTILINE,
        )
        for name, body in zip(jobs[::2], jobs[1::2], strict=True)
    }


def test_a_release_is_built_checked_and_attested() -> None:
    """A tag builds and tests without the right to sign; another job signs, and none publishes."""
    text = (WORKFLOWS / "release.yml").read_text(encoding="utf-8")
    assert re.search(r'^on:\n  push:\n    tags: \["v\*"\]\n\npermissions: {}$', text, re.MULTILINE)
    assert rights(text) == {
        "build": ["contents: read"],
        "attest": ["id-token: write", "attestations: write"],
    }
    assert {
        'test "$GITHUB_REF_NAME" = "v$(uv version --short)"',
        "uv run pytest",
        "uv build --all-packages --out-dir dist",
        "uv pip install --python installed dist/*.whl",
    } <= commands(text)
    assert re.search(r"uses: actions/attest@.*\n +with:\n +subject-path: dist/\*", text)
    assert not re.search(r"uv publish|twine|release create|secrets\.|pages: write", text)


def test_every_action_is_pinned_alike() -> None:
    """An action is pinned to a full hash, the same one wherever it is used."""
    used = [
        found
        for path in WORKFLOWS.glob("*.yml")
        for found in re.findall(r"uses: (\S+)@(\S+) # (v[\d.]+)", path.read_text(encoding="utf-8"))
    ]
    assert len({(name, pin, version) for name, pin, version in used}) == len({n for n, *_ in used})
    assert all(re.fullmatch("[0-9a-f]{40}", pin) for _, pin, _ in used)


def test_every_claimed_python_is_tested() -> None:
    """The versions of Python among the classifiers are those in the workflow's matrix."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    matrix = re.search(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    assert matrix
    tested = set(re.findall(r'"(3\.\d+)"', matrix[1]))
    for member in MEMBERS:
        metadata = tomllib.loads((PACKAGES / member / "pyproject.toml").read_text(encoding="utf-8"))
        classifiers = metadata["project"]["classifiers"]
        claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE)
        assert set(claimed) == tested
