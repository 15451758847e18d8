"""tiktoken's cache, and what it lacks: `--download` lets tiktoken get it, and bpetite says so."""

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
    "count -m gpt2": "gpt2",
    "show -m gpt-2 text": "gpt2",
    "encode -m gpt-4o text": "o200k_base",
    "decode -m gpt-3.5-turbo 1 2": "cl100k_base",
    "inspect gpt-4": "cl100k_base",
    "sizes -m p50k_base text": "p50k_base",
    "compare -m m.json -m o200k_base text": "o200k_base",
    "compare-tiktoken -m m.json text": "gpt2",
    "import gpt-oss-20b --output new.json": "o200k_harmony",
    "import --from tiktoken --input r50k_base --output new.json": "r50k_base",
}
"""Commands with a name, and the encoding that each needs."""


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
    """FR-33: with --download, one line announces it; if it fails, one says what to do."""
    *_, announced, failed = refused(bpetite(*call.split(), "--download"))
    assert announced.startswith(f"tiktoken will download the encoding {CALLS[call]} from https://")
    assert failed.startswith(f"error: tiktoken cannot download the encoding {CALLS[call]} (Proxy")
    assert "TIKTOKEN_CACHE_DIR" in failed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_downloaded_by_a_slip(call: str) -> None:
    """Without --download, one line names the encoding, the cache and the option."""
    *_, line = refused(bpetite(*call.split()))
    assert line == (
        f"error: the encoding {CALLS[call]} is not in tiktoken's cache (/dev/null); "
        "add --download to let tiktoken download it"
    )


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        pytest.param({"TIKTOKEN_CACHE_DIR": "a", "DATA_GYM_CACHE_DIR": "b"}, "a", id="first"),
        pytest.param({"DATA_GYM_CACHE_DIR": "b"}, "b", id="second"),
        pytest.param({}, "data-gym-cache", id="neither"),
        pytest.param(
            {"TIKTOKEN_CACHE_DIR": "", "DATA_GYM_CACHE_DIR": "b"},
            "an empty TIKTOKEN_CACHE_DIR or DATA_GYM_CACHE_DIR turns it off",
            id="empty",
        ),
    ],
)
def test_the_cache_is_tiktokens(
    variables: dict[str, str], place: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked for where tiktoken looks: two variables, the first one first, or a default."""
    shutil.copy(cache, cache.name)  # not in the working directory
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", "")
    (line,) = refused(bpetite("count", "-m", "cached", "text", env=variables))
    assert f"is not in tiktoken's cache ({place}); " in line
    if place in {"a", "b", "data-gym-cache"}:
        cache.parent.rename(place)
        result = bpetite("count", "-m", "cached", "text", env=variables)
        assert (result.stdout, result.stderr) == (b"1\ttext\n", b"")


def test_a_cached_encoding_is_not_announced(cache: Path) -> None:
    """With the file in tiktoken's cache, nothing is downloaded or said; without it, both."""
    call = ("count", "-m", "cached", "text")
    for more in ([], ["--download"]):
        result = bpetite(*call, *more)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"1\ttext\n", b"")
        registry.ENCODINGS.clear()
    cache.write_bytes(b"damaged")
    (line,) = refused(bpetite(*call))
    assert line == (
        f"error: {cache}, the encoding cached in tiktoken's cache, is damaged; "
        "add --download to replace it"
    )
    assert cache.read_bytes() == b"damaged"
    announced, failed = refused(bpetite(*call, "--download"))  # tiktoken removes it before
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
    call = ("count", "-m", "cached", "text", "--download")
    first = bpetite(*call)
    registry.ENCODINGS.clear()  # tiktoken also keeps an encoding in memory
    second = bpetite(*call)
    announced = f"tiktoken will download the encoding cached from {one}\n".encode()
    assert (first.stdout, first.stderr) == (b"1\ttext\n", announced)
    assert (second.stdout, second.stderr) == (b"1\ttext\n", b"")
    assert len(os.listdir(cache.parent)) == 2
