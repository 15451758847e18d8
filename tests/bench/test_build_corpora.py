"""The script that builds the benchmark's large texts, with packages made here and no network."""

import gzip
import hashlib
import io
import json
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import bench.build_corpora as script

pytestmark = pytest.mark.thorough


def make_wheel(path: Path, **files: bytes) -> Path:
    """Write a wheel; a double underscore in a name is a dot in the file's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name.replace("__", "."), data)
    return path


def sha256(data: bytes) -> str:
    """Return what the script compares."""
    return hashlib.sha256(data).hexdigest()


def test_source_code_is_small_and_utf8(tmp_path: Path) -> None:
    """Source files come in the order of their names; what is not UTF-8, or large, does not."""
    wheel = make_wheel(
        tmp_path / "a.whl",
        z__py=b"z = 1\n",
        a__h="é".encode(),
        latin__py="é".encode("latin-1"),
        large__c=b" " * (1 << 20) + b" ",
        picture__png=b"png",
    )
    assert list(script.source_code(wheel)) == ["é", "z = 1\n"]


def test_docstrings_are_prose(tmp_path: Path) -> None:
    """A long docstring comes once and without indentation; a short one and code do not."""
    prose = "A sentence. " * 20
    code = f'"""\n    return 1\n{prose}"""'
    source = f'"""\n    {prose}\n    "Quoted."\n    """\n"""Short."""\n{code}\n'.encode()
    wheel = make_wheel(tmp_path / "a.whl", a__py=source, b__py=source)
    assert list(script.docstrings(wheel)) == [f'{prose.strip()}\n"Quoted."']


def test_descriptions_have_no_tags(tmp_path: Path) -> None:
    """Sentences come from plain and compressed JSON, without tags, entities and duplicates."""
    sentence = "This <b>sentence</b> is &lt;long&gt; " + "and goes on " * 6
    data = json.dumps({"key": [{"text": sentence}, "short"]}).encode()
    wheel = make_wheel(tmp_path / "a.whl", a__json=data, b__json__gz=gzip.compress(data))
    expected = "This sentence is <long> " + "and goes on " * 6
    assert list(script.descriptions(wheel)) == [expected.strip()]


def test_npm_packages_are_read(tmp_path: Path) -> None:
    """An npm package is a compressed tar file."""
    page = b"<html>\n <h1>Title</h1>\n\n <p>Text &amp; more</p>\n</html>\n"
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as package:
        member = tarfile.TarInfo("package/declaration/eng.html")
        member.size = len(page)
        package.addfile(member, io.BytesIO(page))
    assert list(script.declarations(tmp_path / "a.tgz")) == ["Title\nText & more"]


def test_short_texts_are_grouped() -> None:
    """Grouping keeps every text, in order, in documents of about the same length."""
    texts = [f"{number:05}" for number in range(10_000)]
    documents = list(script.grouped(texts))
    assert "\n".join(documents).split("\n") == texts
    assert {len(document.replace("\n", "")) for document in documents[:-1]} == {8_000}


def test_selection_is_fixed() -> None:
    """The order of the documents and duplicates do not matter; special tokens are left out."""
    documents = [f"document {number}" for number in range(100)]
    selected = script.select(documents, size=500)
    again = script.select([*documents[::-1], *documents, "a <|endoftext|>", "  "], size=500)
    assert list(selected.items()) == list(again.items())
    assert list(selected) == sorted(map(sha256, selected.values()))
    assert 500 <= sum(map(len, selected.values())) < 500 + len("document 99\n")
    assert len(script.select([*documents, "a <|endoftext|>", "  "], size=10_000)) == 100


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> script.Corpus:
    """Return a corpus from a package that was downloaded before."""
    files = {f"f{number}__py": f"x = {number}\n".encode() for number in range(50)}
    wheel = make_wheel(tmp_path / "packages" / "a==1" / "a.whl", **files)
    monkeypatch.setitem(script._SHA256, "a==1", sha256(wheel.read_bytes()))
    text = b"".join(data for _, data in sorted((sha256(data), data) for data in files.values()))
    return script.Corpus(10_000, sha256(text), {script.source_code: "a==1"})


def test_a_build_writes_text_and_folder(corpus: script.Corpus, tmp_path: Path) -> None:
    """The folder's files, joined in the order of their paths, are the text."""
    script.build("code", corpus, tmp_path, folders=True)
    text = (tmp_path / "code.txt").read_bytes()
    files = sorted((tmp_path / "code").rglob("*.txt"))
    assert len(files) == 50
    assert b"".join(file.read_bytes() for file in files) == text
    shutil.rmtree(tmp_path / "packages")
    script.build("code", corpus, tmp_path, folders=True)  # from what is there
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code", "code.txt"]


def test_another_text_is_refused(corpus: script.Corpus, tmp_path: Path) -> None:
    """A finished text with another hash is an error, and so is one that comes out otherwise."""
    (tmp_path / "code.txt").write_text("another text")
    with pytest.raises(script.BuildError, match=r"code\.txt has sha256 \w{64}, not \w{64}; remove"):
        script.build("code", corpus, tmp_path, folders=False)
    (tmp_path / "code.txt").unlink()
    wrong = script.Corpus(10_000, "0" * 64, {script.source_code: "a==1"})
    with pytest.raises(script.BuildError, match=r"code\.part has sha256"):
        script.build("code", wrong, tmp_path, folders=False)
    assert not (tmp_path / "code.txt").exists()


def test_another_package_is_refused(corpus: script.Corpus, tmp_path: Path) -> None:
    """A package with another hash is an error, and nothing of it is read."""
    make_wheel(tmp_path / "packages" / "a==1" / "a.whl", f__py=b"evil = 1\n")
    with pytest.raises(script.BuildError, match=r"a\.whl has sha256"):
        script.build("code", corpus, tmp_path, folders=False)
    assert not (tmp_path / "code.txt").exists()


@pytest.mark.parametrize(
    "client",
    [("no-such-program",), (sys.executable, "-c", "raise SystemExit(1)")],
    ids=["missing", "failing"],
)
def test_a_failed_download_is_reported(
    client: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error names the package and the program that downloads it, and can be repeated."""
    monkeypatch.setattr(script, "_PIP", client)
    for _ in range(2):
        with pytest.raises(script.BuildError, match=r"cannot download a==1; is \S+ installed"):
            script.download("a==1", tmp_path / "a==1", "0" * 64)


def test_every_package_has_a_hash() -> None:
    """Each package is named with its version, used, and listed with its sha256."""
    used = {
        requirement
        for corpus in script.CORPORA.values()
        for requirements in corpus.packages.values()
        for requirement in requirements.split()
    }
    assert used == set(script._SHA256)
    assert all(len(digest) == 64 for digest in script._SHA256.values())
