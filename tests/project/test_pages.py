"""The pages show what really happens: their code and their commands are run."""

import contextlib
import doctest
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sybil import Document, Example
from sybil.parsers.markdown import CodeBlockParser

from bpetite import Tokenizer
from cli_tools import BPETITE

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/architecture.md",
    "docs/comparison.md",
    "docs/exercises/README.md",
    "docs/exercises/answers/README.md",
    "docs/index.md",
    "docs/reference/artifact.md",
    "docs/vectors.md",
    "packages/core/README.md",
    "packages/cli/README.md",
    "packages/compare/README.md",
    *(f"docs/course/{path.name}" for path in sorted((ROOT / "docs" / "course").glob("*.md"))),
]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder that holds what a clone does of the pages' files."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "course")  # the course is run in its folder
    monkeypatch.syspath_prepend(ROOT / "docs" / "exercises")  # and the answers in theirs
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path / "docs")
    for folder in ("tests/vectors", "docs/exercises", "docs/reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with contextlib.chdir(tmp_path):
        yield tmp_path
    sys.modules.pop("toy", None)


class Runner:
    """Run the blocks of one page in order, each in the state that the last one left."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {}
        self.printed = ""
        self.seen: list[str] = []

    def python(self, example: Example) -> None:
        """Run a block of Python, and hold what it prints for the block that follows."""
        output = io.StringIO()
        handler_output = contextlib.redirect_stderr(output)
        with contextlib.redirect_stdout(output), handler_output:
            exec(compile(example.parsed, example.path, "exec"), self.names)  # noqa: S102
        self.printed = output.getvalue()
        self.seen.append("python")

    def text(self, example: Example) -> None:
        """Compare what was printed with a block of text, where one follows a block of Python."""
        if self.printed:
            check(example.parsed, self.printed)
            self.printed = ""
            self.seen.append("text")

    def console(self, example: Example) -> None:
        """Run each line after a `$`, and compare all that it writes with what follows it."""
        for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            # The gate runs the very words; here the environment is there already.
            command = command.replace("uv run ", "")
            result = subprocess.run(
                ["bash", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PATH": f"{Path(BPETITE).parent}:{os.environ['PATH']}"},
                check=False,
            )
            check(expected, result.stdout.decode())
        self.seen.append("console")


def check(expected: str, found: str) -> None:
    """Compare an output with the one on a page, where `...` stands for what may differ."""
    expected, found = (text.rstrip("\n") + "\n" for text in (expected, found))
    assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), (
        f"the page says\n{expected}\nand the run\n{found}"
    )


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_happens(page: str) -> None:
    """Every block of Python and of commands runs, and prints what the page says."""
    runner = Runner()
    parsers = [
        CodeBlockParser("python", runner.python),
        CodeBlockParser("text", runner.text),
        CodeBlockParser("console", runner.console),
    ]
    for example in Document.parse(str(ROOT / page), *parsers).examples():
        example.evaluate()
    assert {"python", "console"} & set(runner.seen)


def test_a_page_that_is_wrong_is_found_out() -> None:
    """The comparison of outputs can fail, and lets pass only what `...` stands for."""
    check("a ... c", "a b c\n")
    with pytest.raises(AssertionError):
        check("a b", "a c")


def test_the_map_names_the_modules_and_folders_that_there_are() -> None:
    """The README lists every module of the core, and every folder of the repository."""
    page = (ROOT / "README.md").read_text()
    core = ROOT / "packages" / "core" / "src" / "bpetite"
    assert set(re.findall(r"^\| `(\w+\.py)`", page, re.MULTILINE)) == {
        path.name for path in core.glob("*.py")
    }
    for folder in ("packages/core", "packages/cli", "packages/compare", "tests", "scripts", "docs"):
        assert f"| `{folder}` |" in page
        assert (ROOT / folder).is_dir()


def test_the_gate_runs_the_words_of_the_readme() -> None:
    """The two commands of the README are the ones that `.ci/run` runs."""
    page = (ROOT / "README.md").read_text()
    gate = [line.strip() for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    (first,) = re.findall(r"^\$ (uv run bpetite train .*)$", page, re.MULTILINE)
    for command in (first, "uv run pytest"):
        assert f"\n{command}\n" in page.replace("$ ", "")
        assert command in gate


def test_links_inside_the_repository_lead_somewhere() -> None:
    """No page points to a file that is not there."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    ]
    assert links
    assert [(page, target) for page, target in links if not (page.parent / target).exists()] == []


def sha256_of_artifact(corpus: Path, vocab_size: int, folder: Path) -> str:
    """Return the hash of the artifact that a corpus gives."""
    path = folder / "artifact.json"
    Tokenizer.train(corpus.read_bytes().decode(), vocab_size).save(path, overwrite=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_published_hash_of_the_sample_is_that_of_its_artifact(tmp_path: Path) -> None:
    """FR-12: the hash in the documentation is what training gives here, today."""
    digest = sha256_of_artifact(ROOT / "docs" / "sample.txt", 512, tmp_path)
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert f"| `docs/sample.txt` | 512 | `{digest}` |" in page


@pytest.mark.parametrize("size", [512, 8192, 32000])
def test_the_published_hashes_of_tinyshakespeare_are_those_of_its_artifacts(
    tmp_path: Path, size: int
) -> None:
    """FR-12: the same for a corpus of a megabyte, where it is at hand."""
    corpus = Path(os.environ.get("BPETITE_DATA", "")) / "tinyshakespeare.txt"
    if not corpus.is_file():
        pytest.skip("BPETITE_DATA names no folder with tinyshakespeare.txt")
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert f"| {size} | `{sha256_of_artifact(corpus, size, tmp_path)}` |" in page


def test_the_story_says_the_first_merges() -> None:
    """The sample text tells of its own first two merges, and is right."""
    text = (ROOT / "docs" / "sample.txt").read_bytes().decode()
    tokenizer = Tokenizer.train(text, 258)
    assert [tokenizer.decode([token_id]) for token_id in (256, 257)] == ["th", " th"]
