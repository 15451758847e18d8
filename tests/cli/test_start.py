"""`--start`: continue a training, and prove that a tokenizer continues another."""

import json
from pathlib import Path

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import bpetite, in_terminal, lines, refused

PROSE = "low lower lowest the cat sat on the mat\n" * 3
CODE = "def lower(text):\n    return text.lower()\n" * 3
START = ("--start", "small.json", "--input", "code")
TRAIN = [
    "train",
    *["--vocab-size", "285", *START, "--output", "big.json"],
]
VERIFY = ["verify", *["--model", "big.json", *START]]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a folder with two texts, and the tokenizer of the first."""
    (tmp_path / "prose").write_text(PROSE)
    (tmp_path / "code").write_text(CODE)
    Tokenizer.train(PROSE, 270).save(tmp_path / "small.json")
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_training_is_continued(texts: Path, jobs: str) -> None:
    """The file is that of `Tokenizer.train`, and standard error names both special ids."""
    result = bpetite(*TRAIN, "--jobs", jobs, cwd=texts)
    start = Tokenizer.load(texts / "small.json")
    Tokenizer.train(CODE, 285, start=start).save(texts / "expected.json")
    assert (texts / "big.json").read_bytes() == (texts / "expected.json").read_bytes()
    summary = json.loads(result.stdout)
    assert (summary["merges_kept"], summary["merges"]) == (14, 29)
    first, *_, last = lines(result.stderr)
    assert first == "training: 285 mergeable tokens wanted, 14 merges kept"
    assert last == "kept: 14 merges; <|endoftext|> moves from id 270 to id 285"


def test_a_continued_training_is_verified(texts: Path) -> None:
    """`verify --start` proves the merges after the start's, and needs the right start."""
    bpetite(*TRAIN, cwd=texts)
    result = bpetite(*VERIFY, cwd=texts)
    assert (result.returncode, json.loads(result.stdout)["merges_proved"]) == (0, 29)
    assert lines(result.stderr)[-1] == (
        "proved: all 15 merges after the 14 of --start come from this corpus"
    )
    Tokenizer.train(CODE, 270).save(texts / "small.json", overwrite=True)
    result = bpetite(*VERIFY, cwd=texts)
    assert result.returncode == 1
    *_, ours, theirs, error = lines(result.stderr)
    assert ours.startswith("the file:   ")
    assert theirs.startswith("the start:  ")
    assert error == (
        "error: the merge at rank 0 is not that of --start; name the tokenizer that this one "
        "continues"
    )


def test_the_start_is_checked_first(texts: Path) -> None:
    """A missing start, one that is too large, and one that is the output are errors."""
    words = [*TRAIN, "--force"]
    words[words.index("285")] = "269"
    (line,) = refused(bpetite(*words, cwd=texts))
    assert line.startswith("error: cannot continue small.json to 269 tokens: it has 270 (")
    words = [word.replace("big.json", "small.json") for word in [*TRAIN, "--force"]]
    assert refused(bpetite(*words, cwd=texts)) == [
        "error: small.json is also an input and would be overwritten; choose another output"
    ]
    (texts / "small.json").unlink()
    assert refused(bpetite(*TRAIN, cwd=texts)) == [
        "error: tokenizer file not found: small.json (create one with `bpetite train`)"
    ]
    assert not (texts / "big.json").exists()


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_an_unreachable_token_is_reported_once(texts: Path) -> None:
    """A token of the start that does not encode to itself is a warning, also under a bar."""
    write_artifact(texts / "small.json", [(98, 97), (97, 98), (257, 97)])
    (texts / "code").write_text("xy xy xy")
    warning = "the token 258 of start, b'aba', does not encode to itself: "
    assert bpetite(*TRAIN, cwd=texts).stderr.decode().count(warning) == 1
    status, _, drawn = in_terminal([*TRAIN, "--force"], texts)
    assert (status, drawn.decode().count(warning)) == (0, 1)
