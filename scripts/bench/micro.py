"""The small things, by pytest-benchmark; no part of the test suite, which times nothing.

    uv run --group bench pytest scripts/bench/micro.py

The text is that of docs/sample.txt, a short story. `--benchmark-compare` and the other
options of pytest-benchmark say what a change has changed.
"""

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bpetite import Tokenizer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def text() -> str:
    """Return the sample text."""
    return (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")


@pytest.fixture(scope="module")
def tokenizer(text: str) -> Tokenizer:
    """Return the tokenizer of 512 tokens that the sample text gives."""
    return Tokenizer.train(text, 512)


@pytest.fixture
def artifact(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    """Return the path of its artifact."""
    path = tmp_path / "artifact.json"
    tokenizer.save(path)
    return path


def test_train(benchmark: BenchmarkFixture, text: str) -> None:
    """Train on three thousand characters to 512 tokens."""
    benchmark(Tokenizer.train, text, 512)


def test_load(benchmark: BenchmarkFixture, artifact: Path) -> None:
    """Load 512 tokens, with every check."""
    benchmark(Tokenizer.load, artifact)


def test_save(benchmark: BenchmarkFixture, tokenizer: Tokenizer, tmp_path: Path) -> None:
    """Save 512 tokens, with every sync."""
    benchmark(tokenizer.save, tmp_path / "copy.json", overwrite=True)


def test_encode_one_word(benchmark: BenchmarkFixture, tokenizer: Tokenizer) -> None:
    """Encode a word that the tokenizer has seen."""
    assert benchmark(tokenizer.encode, " river")


def test_encode_the_text(benchmark: BenchmarkFixture, tokenizer: Tokenizer, text: str) -> None:
    """Encode three thousand characters that the tokenizer has seen."""
    assert benchmark(tokenizer.encode, text)


def test_encode_a_new_word(benchmark: BenchmarkFixture, tokenizer: Tokenizer) -> None:
    """Encode a word of 84 letters, more than are kept, so each time is the first."""
    assert benchmark(tokenizer.encode, "incomprehensibilities" * 4 + "!")


def test_decode_the_text(benchmark: BenchmarkFixture, tokenizer: Tokenizer, text: str) -> None:
    """Decode the ids of three thousand characters."""
    assert benchmark(tokenizer.decode, tokenizer.encode(text)) == text
