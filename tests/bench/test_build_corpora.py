"""The script that builds the benchmark's large texts, with a package made here and no network.

How it reads packages is not tested here: the sha256 of every text checks it.
"""

import hashlib
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

import bench.build_corpora as script

pytestmark = pytest.mark.thorough


def make_wheel(path: Path, **files: bytes) -> Path:
    """Write a wheel; a double underscore in a name means a dot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name.replace("__", "."), data)
    return path


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> script.Corpus:
    """Return a corpus from a package that is already downloaded."""
    files = {f"f{number}__py": f"x = {number}\n".encode() for number in range(50)}
    left_out = {"latin__py": b"\xe9", "special__py": b"a <|endoftext|>", "picture__png": b"png"}
    wheel = make_wheel(tmp_path / "packages" / "a==1" / "a.whl", **files, **left_out)
    monkeypatch.setitem(script._SHA256, "a==1", sha256(wheel.read_bytes()))
    text = b"".join(data for _, data in sorted((sha256(data), data) for data in files.values()))
    return script.Corpus(10_000, sha256(text), {script.source_code: "a==1"})


def test_a_build_writes_text_and_folder(corpus: script.Corpus, tmp_path: Path) -> None:
    """The folder's files, joined in path order, are the text."""
    script.build("code", corpus, tmp_path, folders=True)
    text = (tmp_path / "code.txt").read_bytes()
    files = sorted((tmp_path / "code").rglob("*.txt"))
    assert len(files) == 50
    assert b"".join(file.read_bytes() for file in files) == text
    shutil.rmtree(tmp_path / "packages")
    script.build("code", corpus, tmp_path, folders=True)  # from what already exists
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code", "code.txt"]


def test_wrong_hashes_are_rejected(corpus: script.Corpus, tmp_path: Path) -> None:
    """A wrong hash of a text or package is an error, and no text is left."""
    (tmp_path / "code.txt").write_text("another text")
    with pytest.raises(script.BuildError, match=r"code\.txt has sha256 \w{64}, not \w{64}; remove"):
        script.build("code", corpus, tmp_path, folders=False)
    (tmp_path / "code.txt").unlink()
    wrong = script.Corpus(10_000, "0" * 64, {script.source_code: "a==1"})
    with pytest.raises(script.BuildError, match=r"code\.part has sha256"):
        script.build("code", wrong, tmp_path, folders=False)
    make_wheel(tmp_path / "packages" / "a==1" / "a.whl", f__py=b"evil = 1\n")
    with pytest.raises(script.BuildError, match=r"a\.whl has sha256"):
        script.build("code", corpus, tmp_path, folders=False)
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


def test_every_package_has_a_hash() -> None:
    """Exactly the packages in use are listed, each with its sha256."""
    used = " ".join(names for one in script.CORPORA.values() for names in one.packages.values())
    assert set(used.split()) == set(script._SHA256)
