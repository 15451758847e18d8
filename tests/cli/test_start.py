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
TRAIN = ["train", *["--vocab-size", "285", *START, "--output", "big.json"]]
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
    assert (summary["new_ids"], summary["ids_kept"]) == ([270, 284], False)
    first, *_, last = lines(result.stderr)
    assert first == "training: 285 mergeable tokens wanted, 14 merges kept"
    moved = "<|endoftext|> moves from id 270 to id 285 (to keep all ids, use --keep-ids)"
    assert last == f"kept: 14 merges; {moved}"


def verify(texts: Path, **replaced: str) -> tuple[int, tuple[int, int], list[str]]:
    """Return the status of `verify --start`, the merges proved and kept, and the last lines.

    replaced: words to replace, without their ends, and what replaces them.
    """
    result = bpetite(*(replaced.get(word.partition(".")[0], word) for word in VERIFY), cwd=texts)
    data = json.loads(result.stdout)
    told = lines(result.stderr)
    (end,) = (place for place, line in enumerate(told) if line.startswith("trained: "))
    return result.returncode, (data["merges_proved"], data["merges_kept"]), told[end + 1 :]


def test_a_continued_training_is_verified(texts: Path) -> None:
    """`verify --start` tells the merges that the corpus proves from those of the start."""
    bpetite(*TRAIN, cwd=texts)
    after = "after the 14 of --start"
    assert verify(texts) == (0, (15, 14), [f"proved: all 15 merges {after} come from this corpus"])

    (texts / "code").write_text("def lower(text):\n    return text.lower()\n" * 2 + "def l ef")
    status, (proved, kept), told = verify(texts)
    assert (status, kept) == (1, 14)
    assert 0 < proved < 15
    assert told[2] == (
        f"error: the merge at rank {14 + proved} does not come from this corpus; "
        f"{proved} of 15 merges {after} are proved"
    )

    Tokenizer.train("zz", 257).save(texts / "other.json")
    status, figures, told = verify(texts, small="other.json")
    assert (status, figures) == (1, (0, 0))
    assert told[0].startswith("the file:   ")
    assert told[1].startswith("the start:  ")
    assert told[2:] == [
        (
            "error: the merge at rank 0 is not that of --start: 0 of 1 merges are the same, and "
            "none is proved"
        ),
        "name the tokenizer that this one continues",
    ]


@pytest.mark.parametrize("merges", [0, 14])
def test_a_corpus_that_proves_nothing_is_not_called_proved(texts: Path, merges: int) -> None:
    """If all merges are those of the start, any corpus gives the same file: the status is 1."""
    Tokenizer.train(PROSE, 256 + merges).save(texts / "small.json", overwrite=True)
    status, figures, told = verify(texts, big="small.json")
    assert (status, figures) == (1, (0, merges))
    assert told == [
        f"error: this corpus proves nothing: all {merges} merges are those of --start",
        "name the smaller tokenizer that this one continues, or leave out --start",
    ]


def test_a_start_of_the_same_size_moves_nothing(texts: Path) -> None:
    """If no merge is new, the special token keeps its id, and the message says so."""
    words = [word.replace("285", "270") for word in TRAIN]
    assert lines(bpetite(*words, cwd=texts).stderr)[-1] == (
        "kept: 14 merges; <|endoftext|> stays id 270, as no merge is new"
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
    for words in ([*TRAIN, "--force"], VERIFY):
        status, _, drawn = in_terminal(words, texts)
        assert (status, drawn.decode().count(warning)) == (0, 1)
