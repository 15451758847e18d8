"""`--start`: continue a training, and prove that a tokenizer continues another."""

import json
from pathlib import Path
from typing import Final

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import bpetite, in_terminal, lines, printed, refusal, verified

PROSE: Final = "low lower lowest the cat sat on the mat\n" * 3
CODE: Final = "def lower(text):\n    return text.lower()\n" * 3
TRAIN: Final = "train --vocab-size 285 --start small.json --input code --output big.json"
VERIFY: Final = "verify --model big.json --start small.json --input code"


@pytest.fixture
def texts(here: Path) -> Path:
    """Return the working directory, with a text, and the tokenizer of another."""
    (here / "code").write_text(CODE)
    Tokenizer.train(PROSE, 270).save("small.json")
    return here


def test_a_training_is_continued(texts: Path) -> None:
    """The file is that of `Tokenizer.train`, and standard error names both special ids."""
    result = bpetite(*TRAIN.split())
    Tokenizer.train(CODE, 285, start=Tokenizer.load("small.json")).save("expected.json")
    assert (texts / "big.json").read_bytes() == (texts / "expected.json").read_bytes()
    summary = json.loads(result.stdout)
    assert (summary["merges_kept"], summary["merges"]) == (14, 29)
    assert (summary["new_ids"], summary["ids_kept"]) == ([270, 284], False)
    first, *_, last = lines(result.stderr)
    assert first == "training: 285 mergeable tokens wanted, 14 merges kept"
    moved = "<|endoftext|> moves from id 270 to id 285 (to keep all ids, use --keep-ids)"
    assert last == f"kept: 14 merges; {moved}"


def test_a_continued_training_is_verified(texts: Path) -> None:
    """`verify --start` tells the merges that the corpus proves from those of the start."""
    printed(TRAIN)
    status, data, told = verified(VERIFY)
    assert (status, data["merges_proved"], data["merges_kept"]) == (0, 15, 14)
    assert told == ["proved: all 15 merges after the 14 of --start come from this corpus"]

    (texts / "code").write_text("def lower(text):\n    return text.lower()\n" * 2 + "def l ef")
    status, data, told = verified(VERIFY)
    proved = data["merges_proved"]
    assert (status, data["merges_kept"], 0 < proved < 15) == (1, 14, True)
    assert told[2] == (
        f"error: the merge at rank {14 + proved} does not come from this corpus; "
        f"{proved} of 15 merges after the 14 of --start are proved"
    )

    Tokenizer.train("zz", 257).save("other.json")
    status, data, told = verified(VERIFY.replace("small", "other"))
    assert (status, data["merges_proved"], data["merges_kept"]) == (1, 0, 0)
    assert [line[:12] for line in told[:2]] == ["the file:   ", "the start:  "]
    same = "0 of 1 merges are the same, and none is proved"
    assert told[2] == f"error: the merge at rank 0 is not that of --start: {same}"
    assert told[3:] == ["name the tokenizer that this one continues"]


@pytest.mark.usefixtures("texts")
def test_a_corpus_that_proves_nothing_is_not_called_proved() -> None:
    """If all merges are those of the start, any corpus gives the same file: the status is 1."""
    for merges in (0, 14):
        Tokenizer.train(PROSE, 256 + merges).save("small.json", overwrite=True)
        status, data, told = verified(VERIFY.replace("big", "small"))
        assert (status, data["merges_proved"], data["merges_kept"]) == (1, 0, merges)
        assert told == [
            f"error: this corpus proves nothing: all {merges} merges are those of --start",
            "name the smaller tokenizer that this one continues, or leave out --start",
        ]


def test_the_start_is_checked_first(texts: Path) -> None:
    """A missing start, one that is too large, and one that is the output are errors."""
    (line,) = refusal(TRAIN.replace("285", "269"))
    assert line.startswith("error: cannot continue small.json to 269 tokens: it has 270 (")
    assert refusal(f"{TRAIN} --force".replace("big", "small")) == [
        "error: small.json is also an input and would be overwritten; choose another output"
    ]
    (texts / "small.json").unlink()
    assert refusal(TRAIN) == [
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
    assert bpetite(*TRAIN.split()).stderr.decode().count(warning) == 1
    for words in (f"{TRAIN} --force", VERIFY):
        status, _, drawn = in_terminal(words.split(), texts)
        assert (status, drawn.decode().count(warning)) == (0, 1)
