"""The benchmark runs, and unequal results are an error.

No time is tested: the benchmark runs on a short story, and its figures are dropped. The tests of
generated files compare the published page with the measurements.
"""

import sys
from pathlib import Path
from typing import Final

import pytest

from benchmarks.jobs import BenchError, count_different_ids
from benchmarks.libraries import Text, documents_of, load
from benchmarks.results import load_runs
from bpetite import Tokenizer
from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

SAMPLE: Final = ROOT / "docs" / "sample.txt"


def test_every_section_is_measured_and_saved(tmp_path: Path) -> None:
    """One run, with the installed libraries, measures each section and saves samples."""
    text, samples = tmp_path / "prose.txt", tmp_path / "samples.json"
    text.write_text(SAMPLE.read_text(encoding="utf-8") * 20, encoding="utf-8")
    options = ("--large", SAMPLE, "--small", SAMPLE, "--rounds", "1", "--json", samples)
    result = run(sys.executable, ROOT / "scripts" / "benchmarks", text, *options)
    assert result.returncode == 0, result.stderr
    (only,) = load_runs(samples)
    assert {(one.section, one.corpus) for one in only.series} >= {
        *((section, "prose") for section in ("equal", "train", "gpt4", "encode", "patterns")),
        *(("cores", "prose"), ("command", "prose"), ("gpt4", "sample")),
        *(("sentence", "prose"), ("train", "sample"), ("command", "sample"), ("small", "sample")),
        *(("start", "512 tokens"), ("start", "32,000 tokens"), ("long", "emoji")),
    }
    rust = [one for one in only.series if one.contestant == "rustbpe"]
    assert {one.median for one in rust if one.case == "moved"} == {0}
    for title in ("Goals", "Train", "Gpt4", "Encode", "Patterns", "Cores", "Command", "Decode"):
        assert f"\n## {title}\n\n| " in result.stdout
    assert "\n## Runs\n\n- equal, " in result.stdout


def test_ids_that_differ_are_an_error(tmp_path: Path) -> None:
    """A library that loses an id, or has different ids for the same text, stops the benchmark."""
    model = tmp_path / "tokenizer.json"
    text = Text("sample", SAMPLE, model, tmp_path, 300, large=False)
    Tokenizer.train(text.read(), 300).save(model)
    right, documents = load("bpetite", text), documents_of(text.read())
    ids = right.encode(text.read())
    assert count_different_ids("bpetite", right, documents, ids) == 0
    lost = [ids[:-1] for ids in right.encode_all(documents)]
    unmerged = [list(document.encode("utf-8")) for document in documents]
    for wrong, message in (
        (right._replace(encode_all=lambda _: lost), "bpetite does not decode what it encodes"),
        (
            right._replace(encode_all=lambda _: unmerged),
            "[0-9]+ ids of bpetite differ from tiktoken's",
        ),
    ):
        with pytest.raises(BenchError, match=f"^{message}$"):
            count_different_ids("bpetite", wrong, documents, ids)
