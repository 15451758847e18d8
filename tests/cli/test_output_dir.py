"""`encode --output-dir`: a file for each input, and what was interrupted goes on."""

import json
import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from bpetite import Tokenizer
from cli_tools import bpetite, call, lines, refusal, rows_of, tuned

ENCODE = "encode --model m.json"
TEXTS = {
    "in/a.txt": "low lower lowest " * 400,
    "in/b.txt": "",
    "in/deep/a.txt": "new newer newest\n" * 300,
    "in/z.txt": "<|endoftext|>low" * 50,
}
OUTPUTS = ("a.txt", "b.txt", "deep/a.txt", "z.txt")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with a tokenizer and a folder of texts."""
    monkeypatch.chdir(tmp_path)
    Tokenizer.train(["low lower lowest", "new newest"], 280).save("m.json")
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def finished(words: str) -> tuple[int, dict[str, object]]:
    """Return how many outputs a run finds finished, and its summary."""
    result = call(words)
    assert result.returncode == 0, result.stderr.decode()
    (told,) = [line for line in result.told if "finished before" in line] or ["0"]
    return int(told.split()[0]), json.loads(result.stdout)


def written(folder: Path) -> dict[str, int]:
    """Return when each output was written."""
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.jsonl"
    }


@pytest.mark.parametrize(
    "options",
    [
        "--format json",
        "--format text --ordinary",
        "--format u16 --separator-token --separator-at after",
        "--format u32 --document-separator low --separator-token",
        "--format u16 --jobs 2",
    ],
)
def test_each_output_is_that_of_its_input(corpus: Path, options: str) -> None:
    """It has the bytes of `encode` with one file; the summary is the sum, the manifest each."""
    name = options.split()[1]
    with tuned(worth=0):
        told, summary = finished(f"{ENCODE} in --output-dir out {options}")
    assert told == 0
    assert sorted(written(corpus / "out")) == sorted(f"{one}.{name}" for one in OUTPUTS)
    entries = map(json.loads, (corpus / "out/manifest.jsonl").read_text().splitlines())
    manifest = {entry["output"]: entry for entry in entries}
    sums = dict.fromkeys(("bytes", "tokens", "separators", "file_bytes"), 0)
    for output in OUTPUTS:
        (alone,) = rows_of(f"{ENCODE} in/{output} --output one --force {options}")
        assert (corpus / f"out/{output}.{name}").read_bytes() == (corpus / "one").read_bytes()
        entry = manifest.pop(f"{output}.{name}")
        assert entry["input"] == os.path.join("in", output)
        for field in sums:
            assert entry[field] == alone[field]
            sums[field] += alone[field]
    assert not manifest
    assert {field: summary[field] for field in sums} == sums
    assert (summary["files"], summary["outputs"]) == (len(OUTPUTS), ["out"])


def leave_out(path: Path, field: str) -> None:
    """Leave out a field of all lines."""
    entries = map(json.loads, path.read_text().splitlines())
    kept = ({name: one[name] for name in one if name != field} for one in entries)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in kept))


CHANGES: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "nothing": (lambda _: None, "", 4),
    "an input": (lambda here: (here / "in/a.txt").write_text("lows"), "", 3),
    "the time of an input": (lambda here: os.utime(here / "in/a.txt"), "", 4),
    "the tokenizer": (
        lambda here: Tokenizer.train("low low", 258).save(here / "m.json", overwrite=True),
        "",
        0,
    ),
    "an option": (lambda _: None, "--ordinary", 0),
    "an output that is gone": (lambda here: (here / "out/deep/a.txt.json").unlink(), "", 3),
    "an output that is cut off": (lambda here: os.truncate(here / "out/a.txt.json", 5), "", 3),
    "the manifest is gone": (lambda here: (here / "out/manifest.jsonl").unlink(), "--force", 0),
    "a line of the manifest is cut off": (
        lambda here: os.truncate(
            here / "out/manifest.jsonl", (here / "out/manifest.jsonl").stat().st_size - 9
        ),
        "",
        3,
    ),
    "the manifest is no text": (
        lambda here: (here / "out/manifest.jsonl").write_bytes(b"\xff\x00"),
        "",
        0,
    ),
    "a line without a figure": (
        lambda here: leave_out(here / "out/manifest.jsonl", "skipped"),
        "",
        0,
    ),
    "another input": (lambda here: (here / "in/c.txt").write_text("low"), "", 4),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_done_again(corpus: Path, change: str) -> None:
    """Nothing else is; afterwards all outputs are those of a first run."""
    do, more, expected = CHANGES[change]
    finished(f"{ENCODE} in --output-dir out")
    before = written(corpus / "out")
    do(corpus)
    kept, summary = finished(f"{ENCODE} in --output-dir out {more}")
    after = written(corpus / "out")
    assert kept == expected
    assert sum(before[name] == after[name] for name in before) == expected
    _, again = finished(f"{ENCODE} in --output-dir new {more.replace('--force', '')}")
    assert again | {"outputs": ["out"]} == summary
    for name in after:
        assert (corpus / "out" / name).read_bytes() == (corpus / "new" / name).read_bytes()
    assert finished(f"{ENCODE} in --output-dir out {more}")[0] == len(after)


def test_a_fault_keeps_what_is_finished(corpus: Path) -> None:
    """The other inputs are done; errors name those that are not, and the same command goes on."""
    for name in ("a.txt", "deep/a.txt"):
        (corpus / "in" / name).write_bytes(b"low " * 2000 + b"\xff")
    for words in ("--jobs 1", "--jobs 2"):
        with tuned(batch=100, worth=0):
            told = refusal(f"{ENCODE} in --output-dir out {words}")
        errors = [line.split(":")[1] for line in told if line.startswith("error: ")]
        assert errors == [" in/a.txt is not UTF-8", " in/deep/a.txt is not UTF-8"]
        assert "2 of 4 outputs are finished; the same command goes on from there" in told
        assert sorted(written(corpus / "out")) == ["b.txt.json", "z.txt.json"]
    for name in ("a.txt", "deep/a.txt"):
        (corpus / "in" / name).write_text("new")
    (corpus / "in/z.txt").write_bytes(b"low " * 2000 + b"\xff")
    told = call(f"{ENCODE} in/z.txt --output-dir out").told
    assert "out also has 1 output of other inputs; mind them when you join the files" in told
    assert told[-1] == "out/z.txt.json is of an earlier version of this input"
    (corpus / "in/z.txt").write_text(TEXTS["in/z.txt"])
    assert finished(f"{ENCODE} in --output-dir out")[0] == 2


def test_what_is_left_out_counts_in_every_run(corpus: Path) -> None:
    """The summary has the documents that were skipped before, too, as its other figures."""
    for name, rows in (("a", ["low", None, 1]), ("b", [None]), ("c", ["new"])):
        (corpus / name).write_text("".join(json.dumps({"t": row}) + "\n" for row in rows))
    words = f"{ENCODE} a b c --jsonl t --skip-invalid --output-dir out"
    _, first = finished(words)
    assert first["skipped"] == {"null": 2, "missing": 0, "wrong_type": 1}
    assert finished(words) == (3, first)
    (corpus / "b").write_text('{"u": 1}\n{"t": null}\n')
    kept, summary = finished(words)
    skipped = {"null": 2, "missing": 1, "wrong_type": 1}
    assert (kept, summary) == (2, first | {"skipped": skipped})
    told = "skipped: 4 documents (2 null, 1 missing, 1 wrong type)"
    assert told in call(words).told


def test_a_log_gets_the_time_left(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each minute, a line says it: here a batch takes forty seconds, so it is every second one."""
    (corpus / "one").write_text("low " * 100_000)
    monkeypatch.setattr("bpetite_cli.output_folder.monotonic", count(0, 40).__next__)
    with tuned(block=20_000, batch=20_000):
        result = call(f"{ENCODE} one --output-dir out --jobs 1")
    told = [line.split() for line in result.told if line.endswith(" left")]
    left = [60 * int(time[2:4]) + int(time[5:]) for time, _ in told]
    assert len(left) == 10
    # Twenty batches; the last one is not yet done when its ids are there.
    for place, seconds in enumerate(left, 1):
        assert seconds == round(80 * place * (20 / (2 * place - 1) - 1))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("in/a.txt in/deep/a.txt", "in/a.txt and in/deep/a.txt would have the same output; encode"),
        ("- ", "standard input is not a file. --output-dir reads files again to know which are"),
        ("in --output-dir in/out", "in/out is in in; choose a folder outside"),
        ("in --output-dir in", "in is in in; choose a folder outside"),
        ("in --output-dir m.json", "m.json is not a folder and cannot be replaced"),
        ("in --output-dir old", "old is not empty; use --force to replace files in it"),
    ],
)
def test_bad_folders_are_errors(corpus: Path, words: str, told: str) -> None:
    """Nothing is written where outputs would be mixed up, or replace other files."""
    (corpus / "old").mkdir()
    (corpus / "old/mine").write_text("mine")
    before = written(corpus)
    if "--output-dir" not in words:
        words += " --output-dir out"
    assert refusal(f"{ENCODE} {words}")[-1].startswith(f"error: {told}")
    assert written(corpus) == before


def test_no_output_replaces_an_input(corpus: Path) -> None:
    """Also with --force, whatever the input is: a text, or the tokenizer."""
    (corpus / "old").mkdir()
    for name in ("x", "x.json"):
        (corpus / "old" / name).write_text("low")
    told = ["error: old/x.json is also an input and would be overwritten; choose another folder"]
    assert refusal(f"{ENCODE} old/x old/x.json --output-dir old --force") == told
    shutil.copy("m.json", "old/x.json")
    assert refusal("encode -m old/x.json old/x --output-dir old --force") == told


def test_options_that_do_not_fit_are_refused(corpus: Path) -> None:
    """A text has no name, and one file is not several."""
    for more in ("--text low", "in --output ids"):
        assert refusal(f"{ENCODE} {more} --output-dir out", status=2)
    assert not (corpus / "out").exists()


def test_interrupted_it_goes_on(corpus: Path) -> None:
    """A copy of a folder from the middle of a run, with a part of a file, ends as the whole."""
    finished(f"{ENCODE} in --output-dir out")
    shutil.copytree(corpus / "out", corpus / "half")
    first, *_ = (corpus / "half/manifest.jsonl").read_bytes().splitlines(keepends=True)
    (corpus / "half/manifest.jsonl").write_bytes(first + first[:40])
    (corpus / "half/z.txt.json").unlink()
    (corpus / "half/.bpetite-1.tmp").write_bytes(b"[1,2")
    assert finished(f"{ENCODE} in --output-dir half")[0] == 1
    for name in written(corpus / "out"):
        assert (corpus / "out" / name).read_bytes() == (corpus / "half" / name).read_bytes()
    assert lines(bpetite("encode", "--help").stdout)
