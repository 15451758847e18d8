"""Fixtures for the comparison: a small tokenizer file, and tiktoken's encodings."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
from tiktoken import registry

from bpetite import Tokenizer
from compare_tools import CORPUS, SPLIT_PATTERNS


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small tokenizer file."""
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    Tokenizer.train(CORPUS, 340).save(path)
    return path


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear tiktoken's encodings, and keep it from its cache and from the network."""
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", os.devnull)
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that registers an encoding in tiktoken, so that nothing is downloaded."""
    tiktoken.list_encoding_names()  # the first call finds the constructors
    constructors = registry.ENCODING_CONSTRUCTORS
    assert constructors is not None
    monkeypatch.setattr(registry, "ENCODINGS", {})

    def register(
        name: str,
        *tokens: bytes,
        pattern: str = SPLIT_PATTERNS["gpt2"],
        special: str = "<|endoftext|>",
    ) -> None:
        ranks = {bytes([value]): value for value in range(256)}
        ranks |= {token: 256 + place for place, token in enumerate(tokens)}
        parts = {
            "name": name,
            "pat_str": pattern,
            "mergeable_ranks": ranks,
            "special_tokens": {special: len(ranks)},
        }
        monkeypatch.setitem(constructors, name, lambda: parts)

    return register


@pytest.fixture(scope="session")
def encoding_named(tiktoken_cache: Path) -> Callable[[str], tiktoken.Encoding]:
    """Return a function that loads an encoding from its file, or skips the test."""

    def get(name: str) -> tiktoken.Encoding:
        def refuse(path: str) -> bytes:
            pytest.skip(f"tiktoken's files lack {path}")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tiktoken.load, "read_file", refuse)
            return tiktoken.get_encoding(name)

    return get
