"""`bpetite verify`, from the command line."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import oracle
from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import bpetite, lines
from compare_tools import CORPUS

SIZE = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a text, and the model trained on it."""
    (tmp_path / "text.txt").write_bytes(CORPUS.encode())
    Tokenizer.train(CORPUS, SIZE).save(tmp_path / "model.json")
    return tmp_path


def verify(folder: Path, *inputs: str, model: str = "model.json") -> tuple[int, Any, list[str]]:
    """Return the exit status, the data, and the messages without those of the training."""
    files = inputs or ("text.txt",)
    result = bpetite("verify", "--model", model, "--input", *files, cwd=folder)
    assert result.stdout.count(b"\n") == 1
    told = lines(result.stderr)
    (end,) = (place for place, line in enumerate(told) if line.startswith("trained: "))
    return result.returncode, json.loads(result.stdout), told[end + 1 :]


def test_a_model_is_proved_by_its_corpus(folder: Path) -> None:
    """Every merge comes from the corpus, and the file has the bytes that training gives."""
    status, data, told = verify(folder)
    digest = hashlib.sha256((folder / "model.json").read_bytes()).hexdigest()
    assert (status, told) == (0, ["proved: all 44 merges come from this corpus"])
    assert data.pop("regex")
    assert data.pop("seconds") > 0
    assert data == {
        "equal": True,
        "difference": None,
        "merges_proved": 44,
        "vocab_size": 300,
        "merges": 44,
        "pattern": "gpt2",
        "special_tokens": {"<|endoftext|>": 300},
        "sha256": digest,
        "sha256_of_training": digest,
        "files": 1,
        "bytes": len(CORPUS.encode()),
    }


@pytest.mark.parametrize("wanted", [256, 257, 100_000])
def test_a_model_of_any_size_is_proved(folder: Path, wanted: int) -> None:
    """This includes a model without merges, and one with all possible merges."""
    Tokenizer.train(CORPUS, wanted).save(folder / "other.json")
    status, data, _ = verify(folder, model="other.json")
    assert (status, data["equal"]) == (0, True)
    assert data["merges"] == data["merges_proved"] < 400


def test_files_are_documents_in_any_order(tmp_path: Path) -> None:
    """A training's files prove it in any order, but not when joined to one text."""
    (tmp_path / "a").write_text("ab" * 9)
    (tmp_path / "b").write_text("cd" * 9)
    (tmp_path / "both").write_text("ab" * 9 + "cd" * 9)
    Tokenizer.train(["ab" * 9, "cd" * 9], 270).save(tmp_path / "model.json")
    assert verify(tmp_path, "b", "a")[0] == 0
    assert verify(tmp_path, "both")[0] == 1


@pytest.mark.parametrize(
    ("text", "merges", "rank", "explained"),
    [
        pytest.param(
            *("ab cd", [(97, 98), (32, 99)], 0),
            "'·' (id 32) and 'c' (id 99) make '·c'; the file's pair is learned at rank 1",
            id="a-wrong-tie-break",
        ),
        pytest.param(
            *("efefefef cdcdcd abab", [(101, 102), (97, 98), (99, 100), (256, 256)], 1),
            "'c' (id 99) and 'd' (id 100) make 'cd'; the file's pair is learned at rank 3",
            id="merged-early",
        ),
        pytest.param(
            *("ab cd", [(97, 98)], 0),
            "'·' (id 32) and 'c' (id 99) make '·c'; the file's pair is not learned up to this size",
            id="not-learned",
        ),
        pytest.param(
            *("ab", [(97, 98), (256, 256)], 1),
            "no pair is left; the file's pair is not learned up to this size",
            id="an-extra-merge",
        ),
    ],
)
def test_a_wrong_merge_is_explained(
    tmp_path: Path, text: str, merges: list[tuple[int, int]], rank: int, explained: str
) -> None:
    """The messages show both pairs, when the file's is learned, and what may be the reason."""
    (tmp_path / "text.txt").write_text(text)
    write_artifact(tmp_path / "model.json", merges)
    status, data, told = verify(tmp_path)
    assert (status, data["equal"], data["merges_proved"]) == (1, False, rank)
    found = data["difference"]
    assert (found["rank"], found["id"]) == (rank, 256 + rank)
    token = oracle.vocabulary(merges)[256 + rank]
    assert found["model_merge"] == {"pair": list(merges[rank]), "hex": token.hex()}
    if merges[rank] == (97, 98):
        assert told[0] == "the file:   'a' (id 97) and 'b' (id 98) make 'ab'"
    assert told[1] == f"the corpus: {explained}"
    assert (found["corpus_merge"] is None) == ("no pair is left" in explained)
    assert told[2] == (
        f"error: the merge at rank {rank} does not come from this corpus; "
        f"{rank} of {len(merges)} merges are proved"
    )
    assert told[-1].endswith(f"(here: regex {data['regex']})")


@pytest.mark.parametrize("change", [b"\n", b" "])
def test_a_noncanonical_file_is_found(folder: Path, change: bytes) -> None:
    """If the merges are proved but the bytes differ, the suggested fix works."""
    model = folder / "model.json"
    model.write_bytes(model.read_bytes() + change)
    status, data, told = verify(folder)
    assert (status, data["equal"], data["difference"]) == (1, False, None)
    assert data["merges_proved"] == 44
    assert told == [
        (
            "error: model.json is not byte for byte what bpetite saves, although all 44 merges "
            "come from this corpus"
        ),
        (
            "an editor or formatter may have changed it; "
            "save it again with `bpetite truncate --vocab-size 300`"
        ),
    ]
    command = "truncate --model model.json --vocab-size 300 --output again.json"
    assert bpetite(*command.split(), cwd=folder).returncode == 0
    assert verify(folder, model="again.json")[0] == 0
