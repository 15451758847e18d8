"""The README shows real output, and the sample text trains the published tokenizer."""

import re
import shlex
from pathlib import Path

import pytest

from pages import run_page, sha256_of_artifact
from project_tools import ROOT, Gate

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.posix
@pytest.mark.usefixtures("clone")
def test_readme_output_is_correct() -> None:
    """Every block of Python and of commands runs, and prints what the README shows."""
    assert run_page(ROOT / "README.md") >= {"python", "console"}


def test_the_readme_has_what_is_required() -> None:
    """Setup, commands, limitations, the machine of the benchmark, and that GPT-2 is no goal."""
    for section, words in (
        ("Try it", "uv run bpetite train"),
        ("Install", "pip install"),
        ("The command line", "uv run bpetite encode"),
        ("Speed", r"CPython 3\.\d+(.|\n)* cores?\b(.|\n)*Linux"),
        ("Limitations", r"GPT-2's(.|\n)* not a goal(.|\n)*special token(.|\n)*UTF-8(.|\n)*Linux"),
    ):
        found = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        assert re.search(words, found), f"say this in the README under {section!r}"


def test_the_map_lists_all_modules_and_folders() -> None:
    """One page says in which order to read the core's modules; the README names the folders."""
    core = ROOT / "packages" / "core" / "src" / "bpetite"
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    order = page.partition("Read the core's modules in this order: ")[2].partition("\n")[0]
    named = set(re.findall(r"`(_\w+)`", order))
    modules = {path.stem for path in core.glob("_*[!_]*")} - {"__init__", "__pycache__"}
    assert named - modules == set(), "remove these modules from docs/architecture.md"
    assert modules - named == set(), "add these modules to docs/architecture.md"
    for folder in ("packages/core", "packages/cli", "packages/compare", "tests", "scripts"):
        assert f"`{folder}`" in PAGE
        assert (ROOT / folder).is_dir()


def test_the_gate_runs_the_readmes_commands(gate: Gate) -> None:
    """`.ci/run` begins with the two commands of the README."""
    commands = re.findall(r"^(?:\$ )?uv (run (?:bpetite train .*|pytest))$", PAGE, re.MULTILINE)
    _, _, calls = gate(failing="run ruff *")
    calls = [call for call in calls if not call.startswith("python find ")]
    assert calls[:2] == commands


def test_the_gate_runs_what_needs_no_clone(gate: Gate) -> None:
    """`.ci/run` runs all commands for users without a clone, with an address."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    section = page.partition("\n## Without a clone\n")[2].partition("\n## ")[0]
    blocks = "".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).replace("\\\n", "")
    commands = re.findall(r"^uvx? (.*)$", blocks, re.MULTILINE)
    status, _, calls = gate("without-a-clone")
    assert status == 0
    assert len(commands) >= 5
    plain = [re.sub(r"file://\S*?(?=#)", "$URL", call) for call in calls]
    assert plain[-len(commands) :] == [" ".join(shlex.split(line)) for line in commands]


def test_training_on_the_sample_gives_the_published_hash(tmp_path: Path) -> None:
    """FR-12: training gives the hash in the documentation."""
    digest = sha256_of_artifact(ROOT / "docs" / "sample.txt", 512, tmp_path)
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert f"| `docs/sample.txt` | 512 | `{digest}` |" in page
