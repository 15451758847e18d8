"""`bpetite truncate`, from the command line."""

import hashlib
import json
from pathlib import Path

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import bpetite, lines
from compare_tools import CORPUS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model."""
    Tokenizer.train(CORPUS, 300).save(tmp_path / "model.json")
    return tmp_path


def truncate(folder: Path, size: object, *more: str, output: str = "small.json") -> list[str]:
    """Truncate the model, and return standard output and the lines of standard error."""
    result = bpetite(
        *("truncate", "--model", "model.json", "--vocab-size", str(size), "--output", output),
        *more,
        cwd=folder,
    )
    assert result.returncode == int(result.stderr.startswith(b"error: "))
    return [result.stdout.decode("utf-8"), *lines(result.stderr)]


def test_truncating_matches_training_to_that_size(tmp_path: Path) -> None:
    """The file is, byte for byte, that of a training to the smaller size."""
    documents = ["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍"]
    largest = Tokenizer.train(documents, 300)
    largest.save(tmp_path / "model.json")
    for size in range(256, len(largest._artifact.tokens) + 1):
        words = f"truncate --model model.json --vocab-size {size} --output {size}.json"
        assert bpetite(*words.split(), cwd=tmp_path).returncode == 0
        Tokenizer.train(documents, size).save(tmp_path / "trained.json", overwrite=True)
        assert (tmp_path / f"{size}.json").read_bytes() == (tmp_path / "trained.json").read_bytes()


def test_result_is_printed(folder: Path) -> None:
    """Data is on standard output; one line names the id of the special token."""
    output, *told = truncate(folder, 290)
    assert json.loads(output) == {
        "outputs": ["small.json"],
        "vocab_size": 290,
        "merges": 34,
        "pattern": "gpt2",
        "special_tokens": {"<|endoftext|>": 290},
        "sha256": hashlib.sha256((folder / "small.json").read_bytes()).hexdigest(),
    }
    assert told == ["saved: small.json, 290 of 300 mergeable tokens; <|endoftext|> is 290"]
    assert Tokenizer.load(folder / "small.json").encode("<|endoftext|>") == [290]


def test_a_larger_size_is_rejected(folder: Path) -> None:
    """The error says that a larger tokenizer has to be trained."""
    assert truncate(folder, 301) == [
        "",
        (
            "error: cannot truncate model.json to 301 tokens: it has 300 "
            "(train a larger tokenizer with `bpetite train`)"
        ),
    ]
    assert not (folder / "small.json").exists()


def test_hand_made_models_can_be_truncated(folder: Path) -> None:
    """The first merges of any artifact make an artifact."""
    merges = [(97, 98), (97, 98), (256, 257), (98, 99)]
    write_artifact(folder / "model.json", merges)
    truncate(folder, 259)
    expected = write_artifact(folder / "expected.json", merges[:3])
    assert (folder / "small.json").read_bytes() == expected.read_bytes()
