"""Generated files are up to date, and what is drawn is what bpetite and other libraries do."""

import re

import pytest

import course_pictures
from bpetite import Tokenizer
from compare.test_claims import hugging_face, rust
from generate.command import main
from project_tools import ROOT

pytestmark = pytest.mark.thorough


def test_generated_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    """Every generated file equals the output of its part, byte for byte."""
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_the_pictured_heap_gives_the_merges() -> None:
    """Correct entries are merged, in bpetite's order; all others are stale."""
    merges = Tokenizer.train(course_pictures._TOY.CORPUS, 264)._artifact.merges
    popped = course_pictures._popped(len(merges))
    assert [pair for said, pair, true, _ in popped if said == true] == list(merges)
    assert all(said > true for said, _, true, verdict in popped if "merged" not in verdict)


def test_page_11_pictures_the_ids_of_other_libraries() -> None:
    """The ids on page 11 are those of rustbpe and of Hugging Face."""
    corpus, text = course_pictures._TOY.CORPUS, " towed, See"
    found = rust(corpus, 264, course_pictures._TOY.PATTERN).encode(text)
    assert found == Tokenizer.train(corpus, 264).encode(text)
    assert tuple(hugging_face(corpus, 264).encode(text).ids) == course_pictures.HUGGING_FACE


def test_the_readme_has_the_measured_ratios() -> None:
    """How many times as fast bpetite is, is what the page of benchmarks says."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    speed = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    *ratios, candidate = re.findall(r"([\d.]+ to [\d.]+) times as fast", readme)
    assert len(ratios) == 3
    assert [ratio for ratio in ratios if f"| {ratio} |" not in speed] == []
    assert f"The candidate encodes {candidate} times as fast as bpetite" in speed
