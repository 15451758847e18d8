"""`bpetite truncate`, from the command line."""

import hashlib
import json
from pathlib import Path

from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import bpetite, lines, printed, refusal


def test_truncating_matches_training_to_that_size(here: Path) -> None:
    """The file is, byte for byte, that of a training to the smaller size."""
    documents = ["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍"]
    largest = Tokenizer.train(documents, 300)
    largest.save("model.json")
    for size in range(256, len(largest._artifact.tokens) + 1):
        printed(f"truncate --model model.json --vocab-size {size} --output {size}.json")
        Tokenizer.train(documents, size).save("trained.json", overwrite=True)
        assert (here / f"{size}.json").read_bytes() == (here / "trained.json").read_bytes()


def test_result_is_printed(small: Path) -> None:
    """Data is on standard output; one line has the special token's id; a larger size is refused."""
    (error,) = refusal("truncate --model m.json --vocab-size 283 --output small.json")
    assert error == (
        "error: cannot truncate m.json to 283 tokens: it has 282 (train a larger tokenizer with "
        "`bpetite train`)"
    )
    assert not (small / "small.json").exists()
    words = "truncate --model m.json --vocab-size 270 --output small.json"
    result = bpetite(*words.split())
    assert json.loads(result.stdout) == {
        "outputs": ["small.json"],
        "vocab_size": 270,
        "merges": 14,
        "pattern": "gpt2",
        "special_tokens": {"<|endoftext|>": 270},
        "sha256": hashlib.sha256((small / "small.json").read_bytes()).hexdigest(),
    }
    told = ["saved: small.json, 270 of 282 mergeable tokens; <|endoftext|> is 270"]
    assert lines(result.stderr) == told


def test_hand_made_models_can_be_truncated(here: Path) -> None:
    """The first merges of any artifact make an artifact."""
    merges = [(97, 98), (97, 98), (256, 257), (98, 99)]
    write_artifact(here / "m.json", merges)
    printed("truncate --model m.json --vocab-size 259 --output small.json")
    expected = write_artifact(here / "expected.json", merges[:3])
    assert (here / "small.json").read_bytes() == expected.read_bytes()
