"""The script that builds the benchmark's large texts, with a package made here and no network.

How it reads packages is not tested here: the sha256 of every text checks it.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

import benchmarks.build_corpora as script

pytestmark = pytest.mark.thorough


def make_wheel(path: Path, **files: bytes) -> str:
    """Write a wheel and return its sha256; a double underscore in a name means a dot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name.replace("__", "."), data)
    return sha256(path.read_bytes())


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_text_is_built_and_its_hashes_are_checked(tmp_path: Path) -> None:
    """A text has the documents of its packages; a wrong hash is an error, and leaves no text."""
    files = {f"f{number}__py": f"x = {number}\n".encode() for number in range(50)}
    left_out = {"latin__py": b"\xe9", "special__py": b"a <|endoftext|>", "picture__png": b"png"}
    packed = make_wheel(tmp_path / "packages" / "a==1" / "a.whl", **files, **left_out)
    text = b"".join(data for _, data in sorted((sha256(data), data) for data in files.values()))
    corpus = script.Corpus(10_000, sha256(text), {"source_code": {"a==1": packed}})
    script.build("code", corpus, tmp_path)
    assert (tmp_path / "code.txt").read_bytes() == text
    (tmp_path / "code.txt").write_text("another text")
    with pytest.raises(script.BuildError, match=r"code\.txt has sha256 \w{64}, not \w{64}; remove"):
        script.build("code", corpus, tmp_path)
    (tmp_path / "code.txt").unlink()
    wrong = script.Corpus(10_000, "0" * 64, corpus.packages)
    with pytest.raises(script.BuildError, match=r"code\.part has sha256"):
        script.build("code", wrong, tmp_path)
    make_wheel(tmp_path / "packages" / "a==1" / "a.whl", f__py=b"evil = 1\n")
    with pytest.raises(script.BuildError, match=r"a\.whl has sha256"):
        script.build("code", corpus, tmp_path)
    assert not (tmp_path / "code.txt").exists()


@pytest.mark.parametrize(
    "client", [("no-such-program",), (sys.executable, "-c", "raise SystemExit(1)")]
)
def test_a_failed_download_is_reported(
    client: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the package and the downloading program, and the build can be repeated."""
    monkeypatch.setattr(script, "_PIP", client)
    for _ in range(2):
        with pytest.raises(script.BuildError, match=r"cannot download a==1; is \S+ installed"):
            script.download("a==1", tmp_path / "a==1", "0" * 64)


def test_every_reader_is_used() -> None:
    """The texts of corpora.toml name exactly the functions that read packages."""
    used = {reader for corpus in script.read_corpora().values() for reader in corpus.packages}
    assert used == set(script.READERS)
