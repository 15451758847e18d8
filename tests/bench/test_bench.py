"""The benchmark runs, and unequal results are an error.

Nothing is timed here: the benchmark runs on a short story, and its figures are dropped. That the
published page is what was measured is tested with all that is generated.
"""

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest

from bench.equality import UnequalError, count_different_ids
from bench.libraries import LOADERS, Coder, Vocabulary
from bench.results import load_run, save_run
from bpetite import Tokenizer
from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

SAMPLE: Final = ROOT / "docs" / "sample.txt"


def bench(*arguments: str | Path) -> CompletedProcess[str]:
    """Run the benchmark to its end."""
    return run(sys.executable, ROOT / "scripts" / "bench", *arguments)


def test_every_section_is_measured_and_saved(tmp_path: Path) -> None:
    """One run, with whatever libraries are installed, measures each section and saves samples."""
    samples, sections = tmp_path / "samples.json", "train,encode,sentence,start,file"
    result = bench(
        *(SAMPLE, "--quick", "--rounds", "1", "--sizes", "300"),
        *("--only", sections, "--json", samples),
    )
    assert result.returncode == 0, result.stderr
    found = {one["section"] for one in json.loads(samples.read_text(encoding="utf-8"))["series"]}
    assert found == {*sections.split(","), "same", "equal", "decode", "memory"}
    for title in ("Training", "Encoding", "Decoding", "A sentence", "Start", "Memory", "The run"):
        assert f"\n## {title}\n" in result.stdout


def test_samples_are_saved_as_they_were_read(tmp_path: Path) -> None:
    """Reading a file of samples and saving it again makes the same file."""
    path = ROOT / "docs" / "benchmarks.json"
    save_run(load_run(path), tmp_path / "copy.json")
    assert (tmp_path / "copy.json").read_bytes() == path.read_bytes()


def one_id_lost(coder: Coder, text: str) -> list[int]:
    """Return the ids of a text without the last."""
    return coder.encode(text)[:-1]


def bytes_alone(_coder: Coder, text: str) -> list[int]:
    """Return ids that decode to the text, as if nothing had been merged."""
    return list(text.encode("utf-8"))


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (one_id_lost, "bpetite does not decode what it encodes"),
        (bytes_alone, "[0-9]+ ids of bpetite differ from tiktoken's"),
    ],
)
def test_ids_that_differ_are_an_error(
    encode: Callable[[Coder, str], list[int]], message: str, tmp_path: Path
) -> None:
    """A library that loses an id, or has other ids for the same text, stops the benchmark."""
    text = SAMPLE.read_bytes().decode("utf-8")
    vocabulary = Vocabulary(tmp_path / "tokenizer.json", text)
    Tokenizer.train(text, 300).save(vocabulary.path)
    right = LOADERS["bpetite"](vocabulary)
    assert count_different_ids("bpetite", right, vocabulary) == 0
    wrong = Coder(partial(encode, right), right.decode)
    with pytest.raises(UnequalError, match=f"^{message}$"):
        count_different_ids("bpetite", wrong, vocabulary)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the following arguments are required: FILE"),
        ((SAMPLE, "--only", "speed"), "there is no section 'speed', only train, "),
        ((SAMPLE, "--json", "no/where.json"), "there is no folder 'no'"),
    ],
)
def test_wrong_usage_is_refused(arguments: tuple[str | Path, ...], message: str) -> None:
    """Options that make no sense are refused with status 2 before anything is measured."""
    result = bench(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("content", [b"", b"\xff", b"one<|endoftext|>two", None])
def test_a_text_that_cannot_be_measured_is_refused(content: bytes | None, tmp_path: Path) -> None:
    """A file that is empty, missing, not UTF-8 or has the special token is an error in a line."""
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    result = bench(path)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"error: .*\n", result.stderr)
