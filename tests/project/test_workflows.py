"""The workflows on GitHub run what the specification lists, and publish nothing."""

import re
import tomllib
from typing import Final

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT

WORKFLOWS: Final = ROOT / ".github" / "workflows"
GATE: Final = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
GATES: Final = (
    "uv run pytest",
    "uv run ruff check .",
    "uv run ruff format --check .",
    "uv run lint-imports",
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
    assert gate in commands((ROOT / path).read_text(encoding="utf-8")), f"add it to {path}"


def test_the_gate_runs_every_tier() -> None:
    """The local check runs the everyday tests on a simulated macOS, and the thorough ones."""
    assert {
        "uv run python tests/simulated/macos pytest tests/core tests/cli tests/compare",
        "uv run --group thorough pytest -m thorough",
        'sort "$BPETITE_SKIPPED" | uniq -c | sort -rn',
    } <= commands(GATE)


STEPS: Final = {
    "tests": """
        uv run pytest
        cmp docs/sample.txt decoded.txt
        uv run --isolated --only-group "only-$package" pytest "tests/$package"
    """,
    "gates": """
        uv run ruff check .
        uv run ruff format --check .
        uv run lint-imports
        uv run mypy --strict
        uv build --all-packages
        test "$(sha256sum < seed-1.json)" = "$(sha256sum < seed-2.json)"
        uv run pytest tests/project
        uv run python -m compileall -q docs packages scripts tests
        uv run --group thorough pytest -m thorough
        uv run --group thorough --group benchmarks mypy --strict
    """,
    "free-threaded": "uv run --isolated --only-group only-core pytest tests/core",
    "data": "uv run --group thorough pytest -m data",
    "proof": "python3 scripts/proof",
}
"""What the jobs of the workflow must run."""

CONDITIONS: Final = {"${{ !cancelled() }}", "${{ steps.cache.outputs.cache-hit != 'true' }}"}


def jobs_of(text: str) -> dict[str, str]:
    """Return the text of each job of a workflow."""
    parts = re.split(r"^  ([\w-]+):$", text.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def systems_of(job: str) -> set[str]:
    """Return the systems where a job runs, with 3.12 if it names versions of Python."""
    (runs_on,) = re.findall(r"^    runs-on: (.*)$", job, re.MULTILINE)
    if runs_on != "${{ matrix.os }}":
        return {runs_on}
    ((systems, versions),) = re.findall(
        r"^        os: \[(.*)\]\n        python: \[(.*)\]$", job, re.MULTILINE
    )
    included = re.findall(r'^          - { os: (.*), python: "3.12" }$', job, re.MULTILINE)
    return {*included, *(systems.split(", ") if '"3.12"' in versions else [])}


def missing(text: str) -> list[str]:
    """Return the required lines that a workflow lacks, and the systems without its tests."""
    jobs = jobs_of(text)
    lines = [(job, line.strip()) for job, lines in STEPS.items() for line in lines.split("\n")]
    found = [f"{job}: {line}" for job, line in lines if line not in commands(jobs.get(job, ""))]
    systems = systems_of(jobs["tests"]) if "tests" in jobs else set()
    return found + sorted({"ubuntu-latest", "macos-latest"} - systems)


def test_the_specified_steps_are_in_the_workflow() -> None:
    """FR-36: every gate of the specification runs, always, on the systems that it names."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    assert missing(text) == [], "add these steps to .github/workflows/ci.yml"
    assert 'python-version: "3.12"' in jobs_of(text)["gates"]
    assert set(re.findall(r"\bif: (.*)", text)) == CONDITIONS
    assert "continue-on-error" not in text


def test_a_missing_step_is_found() -> None:
    """Without a line, if it is a comment, or without its job, the workflow is incomplete."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    for name, lines in STEPS.items():
        job = jobs_of(text)[name]
        for line in filter(None, map(str.strip, lines.split("\n"))):
            for new in ("true\n", f"true # {line}\n", f"echo {line}\n"):
                assert missing(text.replace(job, job.replace(f"{line}\n", new))) == [
                    f"{name}: {line}"
                ]
            assert f"{name}: {line}" in missing(text.replace(f"  {name}:\n", "  other:\n"))


def test_a_missing_system_is_found() -> None:
    """Without a system, or with other versions of Python there, the tests of it are missed."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    for old, new, system in (
        ('- { os: macos-latest, python: "3.12" }', "", "macos-latest"),
        ('macos-latest, python: "3.12"', 'macos-latest, python: "3.13"', "macos-latest"),
        ('"3.12", "3.13"', '"3.13"', "ubuntu-latest"),
        ("os: [ubuntu-latest]", "os: [macos-latest]", "ubuntu-latest"),
    ):
        assert old in text
        assert missing(text.replace(old, new)) == [system]


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
    return {
        name: re.findall(
            r"^      ([\w-]+: \w+)",
            body.partition("permissions:\n")[2].partition("    steps:")[0],
            re.MULTILINE,
        )
        for name, body in jobs_of(text).items()
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


def test_the_image_of_the_proof_is_pinned() -> None:
    """The proof is checked in one image of Debian, named by its digest."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    images = re.findall(r"debian:\S*", text)
    assert images
    assert all(re.fullmatch("debian:12@sha256:[0-9a-f]{64}", image) for image in images)


def test_every_claimed_python_is_tested() -> None:
    """The versions of Python among the classifiers are those of the workflow and the gate."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    matrix = re.search(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    assert matrix
    tested = set(re.findall(r'"(3\.\d+)"', matrix[1]))
    (versions,) = re.findall(r"^for version in (.*); do$", GATE, re.MULTILINE)
    assert {*versions.split()} == tested
    for member in MEMBERS:
        metadata = tomllib.loads((PACKAGES / member / "pyproject.toml").read_text(encoding="utf-8"))
        classifiers = metadata["project"]["classifiers"]
        claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE)
        assert set(claimed) == tested
        assert metadata["project"]["requires-python"] == f">={claimed[0]}"
