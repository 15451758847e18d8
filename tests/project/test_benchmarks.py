"""The benchmark: what is published is what was measured, and unequal results are an error.

Nothing is timed here: the benchmark runs on a short story, and its figures are dropped.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

BENCH: Final = ROOT / "scripts" / "bench"
SAMPLE: Final = ROOT / "docs" / "sample.txt"
PUBLISHED: Final = ("README.md", "docs/benchmarks.md")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy what is published, and the samples that it is made from."""
    (tmp_path / "docs").mkdir()
    for path in (ROOT / "README.md", *ROOT.glob("docs/benchmarks*")):
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    return tmp_path


def bench(*arguments: str | Path, cwd: Path = ROOT) -> CompletedProcess[str]:
    """Run the benchmark to its end."""
    return run(sys.executable, BENCH, *arguments, cwd=cwd)


def publish(folder: Path) -> list[str]:
    """Make the pages of a folder again, and return them."""
    result = run(sys.executable, BENCH / "publish.py", cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    return [(folder / page).read_text(encoding="utf-8") for page in PUBLISHED]


def test_what_is_published_is_what_was_measured(clone: Path) -> None:
    """The page and the README's table are those that the committed samples make."""
    committed = [(ROOT / page).read_text(encoding="utf-8") for page in PUBLISHED]
    assert publish(clone) == committed


def test_a_changed_sample_changes_what_is_published(clone: Path) -> None:
    """One other sample makes another page and another table, so a stale one is found."""
    path = clone / "docs" / "benchmarks.json"
    measured = json.loads(path.read_text(encoding="utf-8"))
    for series in measured["series"]:
        if (series["section"], series["contestant"]) == ("train", "bpetite"):
            series["samples"] = [sample / 2 for sample in series["samples"]]
    before = [(clone / page).read_text(encoding="utf-8") for page in PUBLISHED]
    path.write_text(json.dumps(measured), encoding="utf-8")
    assert all(page != other for page, other in zip(publish(clone), before, strict=True))


def test_nothing_is_published_without_a_place_for_it(clone: Path) -> None:
    """Where the README has lost a marker, nothing is written, and the reason is given."""
    readme = clone / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace("<!-- end -->", ""), "utf-8")
    (clone / "docs" / "benchmarks.md").unlink()
    result = run(sys.executable, BENCH / "publish.py", cwd=clone)
    assert result.returncode == 1
    assert re.fullmatch("error: README.md must have one place .*\n", result.stderr)
    assert not (clone / "docs" / "benchmarks.md").exists()


def test_the_benchmark_runs(tmp_path: Path) -> None:
    """One run, with whatever peers are installed, measures each section, and saves each sample."""
    samples = tmp_path / "samples.json"
    options = ("--rounds", "1", "--sizes", "300", "--quick", "--json", samples)
    sections = ("--only", "train,sample,encode,sentence,start,growth,characters")
    large = ("--large", SAMPLE, "--characters", "1000,2000")
    result = bench(SAMPLE, *options, *sections, *large)
    assert result.returncode == 0, result.stderr
    series = json.loads(samples.read_text(encoding="utf-8"))["series"]
    found = {one["section"] for one in series if one["contestant"] == "bpetite"}
    found |= {one["section"] for one in series if one["section"] in {"start", "growth"}}
    wanted = {"train", "sample", "same", "encode", "equal", "decode", "sentence", "start", "memory"}
    assert found == wanted | {"growth", "characters"}
    for title in ("Training", "Encoding", "Decoding", "A sentence", "Start", "Memory", "Growth"):
        assert f"\n## {title}\n" in result.stdout


@pytest.mark.parametrize(
    ("method", "result", "message"),
    [
        ("encode", "super().encode(text)[:-1]", "does not decode what it encodes"),
        ("encode", "list(text.encode())", "ids of bpetite are not tiktoken's"),
    ],
)
def test_ids_that_differ_are_an_error(
    method: str, result: str, message: str, tmp_path: Path
) -> None:
    """A coder that loses an id, or has other ids for the same text, stops the benchmark."""
    code = f"""\
import sys
sys.path.insert(0, {str(BENCH)!r})
from pathlib import Path
from coders import Bpetite
from corpora import read_corpus
from equal import differing_ids
from ours import train_artifact

class Wrong(Bpetite):
    def {method}(self, text):
        return {result}

artifact = train_artifact(read_corpus(Path({str(SAMPLE)!r})), Path({str(tmp_path)!r}), 300)
assert differing_ids(Bpetite, artifact) == 0
differing_ids(Wrong, artifact)
"""
    done = run(sys.executable, "-c", code)
    assert done.returncode == 1
    assert re.search(rf"UnequalError: sample: .*{message}\n$", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a file of text"),
        ((SAMPLE, "--only", "speed"), "no section 'speed'"),
        ((SAMPLE, "--rounds", "0"), "'0' is no whole number above 0"),
        ((SAMPLE, "--json", "no/where.json"), "no folder 'no'"),
        ((SAMPLE, "--sizes", "512,many"), "'many' is no whole number above 0"),
    ],
)
def test_wrong_usage_is_said(arguments: tuple[str | Path, ...], message: str) -> None:
    """What cannot be measured is refused with status 2, before anything is."""
    result = bench(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("content", [b"", b"\xff", b"one<|endoftext|>two", None])
def test_a_text_that_cannot_be_measured_is_refused(content: bytes | None, tmp_path: Path) -> None:
    """A file that is empty, missing, no UTF-8 or holds the special token is an error in a line."""
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    result = bench(path)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"error: .*\n", result.stderr)
