"""tiktoken downloads an encoding when it is used first; bpetite says so before."""

import hashlib
import os
import shutil
from functools import partial
from pathlib import Path

import pytest
from tiktoken import load, registry

from cli_tools import bpetite, refused
from compare_tools import SPLIT_PATTERNS, write_ranks

URL = "https://127.0.0.1:9/cached.tiktoken"
CALLS = {
    "count --encoding gpt2": "gpt2",
    "compare-tiktoken --model m.json --input text --report --encoding o200k_base": "o200k_base",
    "import --from tiktoken --input r50k_base --output new.json": "r50k_base",
}


@pytest.fixture
def folder(small_model: Path, here: Path, offline: None) -> Path:
    """Return a folder with a model and a text; tiktoken has no cache and no network."""
    (here / "m.json").write_bytes(small_model.read_bytes())
    (here / "text").write_bytes(b"x")
    return here


def encoding(ranks: dict[bytes, int]) -> dict[str, object]:
    """Return what tiktoken makes an encoding of."""
    return {
        "name": "cached",
        "pat_str": SPLIT_PATTERNS["gpt2"],
        "mergeable_ranks": ranks,
        "special_tokens": {"<|endoftext|>": 257},
    }


@pytest.fixture
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cached file of the encoding "cached", which a registered function reads."""
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256}
    written = write_ranks(folder / "ranks", ranks)
    digest = hashlib.sha256(written.read_bytes()).hexdigest()

    registry.list_encoding_names()  # which reads the list, if no other test did
    constructors = registry.ENCODING_CONSTRUCTORS
    assert constructors is not None
    read = partial(load.load_tiktoken_bpe, URL, expected_hash=digest)
    monkeypatch.setitem(constructors, "cached", lambda: encoding(read()))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder / "cache"))
    (folder / "cache").mkdir()
    return written.rename(folder / "cache" / hashlib.sha1(URL.encode()).hexdigest())  # noqa: S324


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", CALLS)
def test_a_download_is_announced(call: str) -> None:
    """FR-33: one line says that tiktoken will download; if that fails, one says what to do."""
    announced, failed = refused(bpetite(*call.split()))
    assert announced.startswith(f"tiktoken will download the encoding {CALLS[call]} from https://")
    assert failed.startswith(f"error: tiktoken cannot download the encoding {CALLS[call]} (Proxy")
    assert "TIKTOKEN_CACHE_DIR" in failed


def test_a_cached_encoding_is_not_announced(cache: Path) -> None:
    """With the file in tiktoken's cache, nothing is downloaded or said; without it, both."""
    call = ("count", "--encoding", "cached", "text")
    result = bpetite(*call)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"1\ttext\n", b"")
    registry.ENCODINGS.clear()
    cache.write_bytes(b"damaged")  # tiktoken removes it and downloads again
    announced, failed = refused(bpetite(*call))
    assert announced == f"tiktoken will download the encoding cached from {URL}"
    assert failed.startswith("error: tiktoken cannot download the encoding cached (")
    assert os.listdir(cache.parent) == []


def test_a_download_of_two_files_is_announced_once(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before two downloads there is one line; then both files are cached, so there is none."""
    one, two = folder / "one", folder / "two"
    cache.rename(one)
    shutil.copy(one, two)

    def twice() -> dict[str, object]:  # tiktoken opens a path where it would open an address
        return [encoding(load.load_tiktoken_bpe(str(path))) for path in (one, two)][1]

    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS or {}, "cached", twice)
    first = bpetite("count", "--encoding", "cached", "text")
    registry.ENCODINGS.clear()  # tiktoken also keeps an encoding in memory
    second = bpetite("count", "--encoding", "cached", "text")
    announced = f"tiktoken will download the encoding cached from {one}\n".encode()
    assert (first.stdout, first.stderr) == (b"1\ttext\n", announced)
    assert (second.stdout, second.stderr) == (b"1\ttext\n", b"")
    assert len(os.listdir(cache.parent)) == 2
