"""The workflows on GitHub run what the specification lists, and publish nothing."""

import re
import tomllib
from typing import Final, NamedTuple

import pytest

from project_tools import MEMBERS, PACKAGES, ROOT

WORKFLOWS: Final = ROOT / ".github" / "workflows"
GATE: Final = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
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


def test_the_gate_runs_every_tier() -> None:
    """The local check runs the everyday tests on a simulated macOS, and the thorough ones."""
    assert {
        "uv run python tests/simulated/macos pytest tests/core tests/cli tests/compare",
        "uv run --group thorough pytest -m thorough",
        'sort "$BPETITE_SKIPPED" | uniq -c | sort -rn',
    } <= commands(GATE)


@pytest.mark.parametrize(
    "line",
    ["# uv run pytest", "uv run pytest tests/core", "echo uv run pytest", "uv run pytest -x"],
)
def test_inactive_gates_do_not_count(line: str) -> None:
    """A gate that is commented out, narrowed or merely printed does not count."""
    assert "uv run pytest" not in commands(f"      - run: {line}\n{line}\n")


class Step(NamedTuple):
    """A step that the workflow must have: its job, systems, name and one of its lines."""

    job: str
    systems: set[str]
    name: str
    line: str


UBUNTU: Final = {"ubuntu-latest"}
BOTH: Final = {"ubuntu-latest", "macos-latest"}
STEPS: Final = [
    # The specification's gates.
    Step("tests", BOTH, "Tests", "uv run pytest"),
    Step("tests", BOTH, "Command line", "cmp docs/sample.txt decoded.txt"),
    Step("gates", UBUNTU, "Lint", "uv run ruff check ."),
    Step("gates", UBUNTU, "Format", "uv run ruff format --check ."),
    Step("gates", UBUNTU, "Types", "uv run mypy --strict"),
    Step("gates", UBUNTU, "Build", "uv build --all-packages"),
    Step(
        *("gates", UBUNTU, "Determinism"),
        line='test "$(sha256sum < seed-1.json)" = "$(sha256sum < seed-2.json)"',
    ),
    Step("gates", UBUNTU, "Policy", "uv run pytest tests/project"),
    Step(
        *("gates", UBUNTU, "Syntax"),
        line="uv run python -m compileall -q docs packages scripts tests",
    ),
    # What else belongs to every change.
    Step(
        *("tests", BOTH, "Each package's tests, with that package alone"),
        line='uv run --isolated --only-group "only-$package" pytest "tests/$package"',
    ),
    Step("gates", UBUNTU, "Thorough tests", "uv run --group thorough pytest -m thorough"),
    Step(
        *("gates", UBUNTU, "Types, with everything installed"),
        line="uv run --group thorough --group benchmarks mypy --strict",
    ),
    Step(
        *("free-threaded", UBUNTU, "Core"),
        line="uv run --isolated --only-group only-core pytest tests/core",
    ),
    Step("data", UBUNTU, "Tests", "uv run --group thorough pytest -m data"),
    Step("proof", UBUNTU, "Proof", "python3 scripts/proof"),
]
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


def missing(text: str) -> list[Step]:
    """Return the required steps that a workflow lacks, or has on too few systems."""
    jobs = jobs_of(text)
    found = []
    for step in STEPS:
        job = jobs.get(step.job, "    runs-on: nothing\n")
        lines = commands(job.partition(f"      - name: {step.name}\n")[2].partition("- name:")[0])
        if step.line not in lines or not step.systems <= systems_of(job):
            found.append(step)
    return found


def test_the_specified_steps_are_in_the_workflow() -> None:
    """FR-36: every gate of the specification runs, always, on the systems that it names."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    assert missing(text) == []
    assert 'python-version: "3.12"' in jobs_of(text)["gates"]
    assert set(re.findall(r"\bif: (.*)", text)) == CONDITIONS
    assert "continue-on-error" not in text


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.job}: {step.name}")
def test_a_missing_step_is_found(step: Step) -> None:
    """Without a step, without its line, or if the line is a comment, the workflow is incomplete."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    job = jobs_of(text)[step.job]
    for old, new in (
        (f"- name: {step.name}\n", "- name: Nothing\n"),
        (f"{step.line}\n", "true\n"),
        (f"{step.line}\n", f"true # {step.line}\n"),
    ):
        assert old in job
        assert missing(text.replace(job, job.replace(old, new))) == [step]
    assert step in missing(text.replace(f"  {step.job}:\n", "  other:\n"))


def test_a_missing_system_is_found() -> None:
    """Without macOS, or with other versions of Python there, the three steps of both are missed."""
    text = (WORKFLOWS / "ci.yml").read_text(encoding="utf-8")
    of_both = [step for step in STEPS if step.systems == BOTH]
    for old, new in (
        ('- { os: macos-latest, python: "3.12" }', ""),
        ('macos-latest, python: "3.12"', 'macos-latest, python: "3.13"'),
        ('"3.12", "3.13"', '"3.13"'),
        ("os: [ubuntu-latest]", "os: [macos-latest]"),
    ):
        assert old in text
        assert missing(text.replace(old, new)) == of_both


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
