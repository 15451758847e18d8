"""The benchmark runs, and unequal results are an error.

No time is tested: the benchmark runs on a short story, and its figures are dropped. The tests of
generated files compare the published page with the measurements.
"""

import sys
from pathlib import Path
from typing import Final

import pytest

from benchmarks.libraries import check_ids, load, read_documents
from benchmarks.report import load_runs
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
    assert {(one.section, one.corpus) for one in only.series} == {
        *((section, "prose") for section in ("train", "gpt4", "sentence", "encode")),
        *(("cores", "prose"), ("train", "sample"), ("gpt4", "sample"), ("small", "sample")),
    }
    rust = [one for one in only.series if one.contestant == "rustbpe"]
    assert {one.median for one in rust if one.case == "moved"} == {0}
    for title in ("Summary", "Goals", "Train", "Gpt4", "Encode", "Cores"):
        assert f"## {title}\n\n| " in result.stdout
    assert "\n## Runs\n\n- small, " in result.stdout


def test_ids_that_differ_are_an_error(tmp_path: Path) -> None:
    """A library that loses an id, or has different ids for the same text, stops the benchmark."""
    model, text = tmp_path / "tokenizer.json", SAMPLE.read_text(encoding="utf-8")
    Tokenizer.train(text, 300).save(model)
    right, documents = load("bpetite", str(SAMPLE), str(model)), read_documents(str(SAMPLE))
    ids = right.encode(text)
    check_ids("bpetite", right, documents, ids)
    lost = [ids[:-1] for ids in right.encode_all(documents)]
    unmerged = [list(document.encode("utf-8")) for document in documents]
    coder = right._replace(encode_all=lambda _: lost)
    with pytest.raises(ValueError, match=r"^bpetite does not decode what it encodes$"):
        check_ids("bpetite", coder, documents, ids)
    coder = right._replace(encode_all=lambda _: unmerged)
    with pytest.raises(ValueError, match=r"^the ids of bpetite differ from those of `bpetite enc"):
        check_ids("bpetite", coder, documents, ids)
