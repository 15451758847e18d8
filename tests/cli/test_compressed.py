"""Compressed text: read like the text itself, from files and pipes, or rejected."""

import random
import re
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite_cli import pipe
from bpetite_cli.errors import Failure
from bpetite_cli.io import compressed
from bpetite_cli.io.compressed import decompress
from bpetite_cli.io.inputs import Input
from cli_tools import bpetite, lines, refusal, refused, without_times
from compressors import (
    COMPRESS,
    FORMATS,
    SKIPPABLE,
    ZSTD,
    compress_with_dictionary,
    compress_zstd,
    gzip_member,
    xz_with_dictionary,
    zstd_with_window,
)
from help_tools import BUILT_IN, call_of, having

READING: Final = [name for name in BUILT_IN if "text.txt" in call_of(name)]
"""The commands with an example that reads a text."""


def blocks_of(data: bytes, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield data in blocks, as a file is read."""
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]


def content_of(data: bytes) -> bytes:
    """Return the content of data that may be compressed."""
    return b"".join(decompress("f", blocks_of(data))[0])


def message_about(data: bytes) -> str | None:
    """Return the message about data that cannot be read."""
    try:
        content_of(data)
    except Failure as failure:
        return str(failure)
    return None


def result_of(folder: Path, call: list[str], stdin: bytes = b"") -> tuple[object, ...]:
    """Run a command, and return what it printed and saved."""
    result = bpetite(*call, stdin=stdin)
    saved = folder / "new.json"
    content = saved.read_bytes() if saved.exists() else None
    saved.unlink(missing_ok=True)
    assert result.returncode == 0, result.stderr
    return without_times(result.stdout), without_times(result.stderr), content


# Every command


@pytest.mark.parametrize("name", FORMATS)
def test_every_command_reads_compressed_text(folder: Path, name: str) -> None:
    """From a file with any name and from standard input, the result is that of the text."""
    text = (folder / "text.txt").read_bytes()
    zipped = COMPRESS[name](text)
    for command in READING if name == "gzip" else ["count"]:
        call = call_of(command)
        piped = ["-" if word == "text.txt" else word for word in call]
        results = []
        for data in (text, zipped):
            (folder / "text.txt").write_bytes(data)
            results.append((result_of(folder, call), result_of(folder, piped, data)))
        assert results[0] == results[1]


@pytest.mark.parametrize("name", FORMATS)
def test_compressed_documents_are_read(folder: Path, name: str) -> None:
    """JSON Lines, counts and lists of files may be compressed, and so may listed files."""
    rows = b'{"text": "Hello", "count": 3}\n{"text": " a", "count": 1}'
    plain = {"documents": rows, "list": b"documents\n"}
    listed, counted = ["--jsonl", "text", "--files-from", "list"], ["--counts", "documents"]
    calls = [(command, listed) for command in having("--files-from")]
    calls += [(command, counted) for command in having("--counts")]
    for command, words in calls if name == "gzip" else [("count", listed), ("chunks", counted)]:
        results = []
        for data in (plain, {file: COMPRESS[name](content) for file, content in plain.items()}):
            for file, content in data.items():
                (folder / file).write_bytes(content)
            train = ["train", "--vocab-size", "258", *words, "--output"]
            if command == "verify":
                result_of(folder, [*train, "tokenizer.json", "--force"])
            own = ["--model", "tokenizer.json"] if command in having("--model") else []
            call = [*train, "new.json"] if command == "train" else [command, *own, *words]
            results.append(result_of(folder, call))
        assert results[0] == results[1]


def test_ids_are_not_decompressed(folder: Path) -> None:
    """Any bytes are ids of 16 bits, also those that begin a gzip file."""
    words = ("decode", "--model", "tokenizer.json", "--format", "u16", "--bytes")
    result = bpetite(*words, stdin=b"\x1f\x8b")
    assert lines(result.stderr)[-1].startswith("error: unknown token id 35615 at position 0,")


# Formats


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_members_are_read_one_after_another(name: str, data: st.DataObject) -> None:
    """The text is that of all members; padding, blocks and their sizes change nothing."""
    texts = data.draw(st.lists(st.binary(max_size=300), min_size=1, max_size=5))
    padding = st.binary(max_size=0) | st.integers(1, 20).map(bytes)
    after = padding | st.just(SKIPPABLE) if name == "zstd" else padding
    zipped = b"".join(COMPRESS[name](text) + data.draw(after) for text in texts)
    size, most = data.draw(st.integers(1, 2000)), data.draw(st.integers(1, 100))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compressed, "_YIELDED_AT_ONCE", most)
        content, compression = decompress("f", blocks_of(zipped, size))
        found = list(content)
    assert compression == name
    assert b"".join(found) == b"".join(texts)
    assert all(1 <= len(block) <= most for block in found)


@given(st.binary() | st.sampled_from([b"BZh", b"BZh91AY&S", b"\x1f"]), st.integers(1, 50))
def test_other_bytes_are_not_changed(data: bytes, size: int) -> None:
    """What has not the first bytes of a format is read as it is."""
    content, compression = decompress("f", blocks_of(data, size))
    if compression is None:
        assert b"".join(content) == data


@pytest.mark.parametrize("name", [*FORMATS, "no format"])
def test_progress_is_what_is_read(here: Path, name: str) -> None:
    """The bytes read of a file grow while it is decompressed, up to its size."""
    text = bytes(random.Random(7).choices(range(128), k=2_000_000))
    (here / "file").write_bytes(COMPRESS[name](text) if name in COMPRESS else text)
    source = Input("file", {})
    sizes = [size for _, size in source.with_sizes(source.content())]
    assert sum(sizes) == (here / "file").stat().st_size
    assert max(sizes) <= sum(sizes) // 2


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_damage_never_surprises(name: str, data: st.DataObject) -> None:
    """Whatever follows the first bytes, there is a content or a message of one line."""
    zipped = COMPRESS[name](data.draw(st.binary(max_size=200)))
    cut = data.draw(st.integers(0, len(zipped)))
    wrong = zipped[:cut] + data.draw(st.binary(max_size=30)) + zipped[data.draw(st.integers(0)) :]
    message = message_about(wrong)
    assert message is None or re.fullmatch("f .+", message)


@pytest.mark.parametrize("name", FORMATS)
def test_members_may_be_many(name: str) -> None:
    """Thousands of empty members take little time each, and no stack."""
    assert content_of(COMPRESS[name](b"") * 20_000 + COMPRESS[name](b"end")) == b"end"


def test_only_what_is_compressed_is_decompressed(folder: Path) -> None:
    """A header may have megabytes; ten characters of bzip2, and only the outer compression."""
    member = gzip_member(b"low", b"name" * 1_000_000)
    assert content_of(gzip_member(b"low", b"a.txt") + member) == b"lowlow"
    assert content_of(b"BZh91AY&S is not enough") == b"BZh91AY&S is not enough"
    (line,) = refused(bpetite("encode", "-m", "tokenizer.json", stdin=b"BZh91AY&SY"))
    assert line.endswith(
        "input is cut off: its bzip2 data ends too early; copy or download it again"
    )
    twice = COMPRESS["gzip"](COMPRESS["gzip"](b"text"))
    _, second = refused(bpetite("encode", "-m", "tokenizer.json", stdin=twice))
    assert second == "it looks like compressed data, which is binary; decompress it first"


# Errors


@pytest.mark.parametrize("name", FORMATS)
def test_bad_files_are_named_and_nothing_is_written(folder: Path, name: str) -> None:
    """FR-33: a file that is cut off, damaged, longer than its data or not UTF-8 is an error."""
    zipped = COMPRESS[name](b"Hello world, hello words. " * 20)
    middle, end = len(zipped) // 2, len(zipped) + 7
    short = f"is cut off: its {name} data ends too early; copy or download it again"
    other = (
        f"has other data after its {name} data, from byte offset {end} on; download it again, or"
    )
    place = "0xe9 at offset 5004 in the decompressed text (around it: 20 63 61 66 e9 20 61 75)"
    advice = "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8"
    for data, message, *more in (
        (zipped[:-1], short),
        (zipped + zipped[:12], short),
        (
            zipped[:middle] + b"\xff\0\xff" * 9,
            f"is damaged: its {name} data cannot be decompressed (",
        ),
        (zipped + bytes(7) + b"garbage", f"{other} cut it off there"),
        (COMPRESS[name](b"a" * 5000 + b" caf\xe9 au lait"), f"is not UTF-8: byte {place}", advice),
    ):
        (folder / "f").write_bytes(data)
        line, *hints = refusal("encode -m tokenizer.json -i f -o ids")
        assert line.startswith(f"error: f {message}")
        assert hints == more
        assert not (folder / "ids").exists()


PROGRAM: Final = (
    b"\x7fELF\x02\1\1\0",
    b"MZ\x90\0\3\0",
    b"\xcf\xfa\xed\xfe\x07\0\0\1",
    b"\0asm\1\0\0",
)


@pytest.mark.parametrize(
    ("begin", "advice"),
    [
        (SKIPPABLE, "zstd after a skippable frame; convert it first, with: zstd -dc"),
        (b"PK\x03\x04", "a zip file, which is binary; convert it first, with: unzip -p"),
        (b"PK\x05\x06\0\0", "a zip file, which is binary; convert it first, with: unzip -p"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z file; convert it first, with: 7z x -so"),
        (b"\x04\x22\x4d\x18", "an lz4 file; convert it first, with: lz4 -dc"),
        (b"%PDF-1.7\n", "a PDF file, which is binary; convert it first, with: pdftotext"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image, which is binary; leave it out"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a JPEG image, which is binary; leave it out"),
        (b"GIF89a\x01\0", "a GIF image, which is binary; leave it out"),
        (b"SQLite format 3\0", "an SQLite database, which is binary; leave it out"),
        *((begin, "a program, which is binary; leave it out") for begin in PROGRAM),
    ],
)
def test_other_formats_have_a_way_out(folder: Path, begin: bytes, advice: str) -> None:
    """The message names the program that decompresses a format that bpetite does not read."""
    data = begin + b"\x28\xb5\x2f\xfd\xff"
    _, second = refused(bpetite("encode", "-m", "tokenizer.json", stdin=data))
    assert second == f"it looks like {advice}"


@pytest.mark.parametrize(
    ("module", "name"), [(ZSTD, "zstd"), ("lzma", "xz"), ("bz2", "bzip2"), ("zlib", "gzip")]
)
def test_a_missing_library_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """Without the library of a format, the message says what to install, or what to run."""
    way_out = "use a Python" if name == "zstd" else f"use a Python that has {module}"
    if name == "zstd" and sys.version_info < (3, 14):
        way_out = "install backports.zstd"
    data = b"\x28\xb5\x2f\xfd" if name == "zstd" else COMPRESS[name](b"low")
    package, _, attribute = module.partition(".")
    if attribute and package in sys.modules:  # where `from` looks first
        monkeypatch.delattr(sys.modules[package], attribute, raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    (line,) = refused(bpetite("encode", "-m", "tokenizer.json", stdin=data))
    assert line.startswith(
        f"error: standard input is compressed with {name}; to read it, {way_out}"
    )
    assert line.endswith(f", or decompress it first, with: {name} -dc")


# Limits of memory


WAYS_OUT = {
    "xz": ("256 MiB of memory, the limit for xz", "xz -dc"),
    "zstd": ("a window of 128 MiB, the limit for zstd", "zstd -dc --long=31"),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *(("xz", code) for code in (30, 31, 32, 40)),
        *(pytest.param("zstd", log, marks=pytest.mark.thorough) for log in (10, 27, 28, 41)),
    ],
)
def test_memory_is_limited(name: str, size: int) -> None:
    """Of xz, dictionaries of 192 MiB are accepted; of zstd, windows of 128 MiB; 256 are not."""
    if name == "zstd":
        compress_zstd(b"")
    data = (zstd_with_window if name == "zstd" else xz_with_dictionary)(b"low", size)
    if size <= {"xz": 31, "zstd": 27}[name]:
        assert content_of(data) == b"low"
    else:
        limit, program = WAYS_OUT[name]
        way_out = f"decompress it first, with: {program}"
        assert message_about(data) == f"f needs more than {limit}; {way_out}"


# Damage


@pytest.mark.thorough
def test_zstd_and_xz_may_lack_what_others_have() -> None:
    """A file that needs a dictionary is not damaged; without checksums, damage may change text."""
    assert message_about(compress_with_dictionary(b"low ")) == (
        "f was compressed with a dictionary; decompress it first, with: zstd -dc -D DICT"
    )
    data = compress_zstd(b"0123456789", checksum=False)
    assert content_of(data.replace(b"345", b"543")) == b"0125436789"


RANDOM: Final = random.Random(0)
TEXT: Final = " ".join(f"{RANDOM.randrange(10**9)} words" for _ in range(200)).encode()
HALVES: Final = (TEXT[: len(TEXT) // 2], TEXT[len(TEXT) // 2 :])


def text_of(data: bytes) -> bytes | None:
    """Return the text in a file, or None if it cannot be read or is not UTF-8."""
    try:
        return content_of(data).decode().encode()
    except (Failure, UnicodeDecodeError):
        return None


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_found(name: str) -> None:
    """Of two members with checksums, a cut or a changed byte is an error, or changes nothing.

    A cut between them, or within the first bytes, is none.
    """
    one, two = map(COMPRESS[name], HALVES)
    data = one + two
    places = {*range(20), *(len(data) * number // 200 for number in range(200))}
    few = {"gzip": 1, "bzip2": 9, "xz": 0, "zstd": 1}[name]
    harmless = {0: b"", len(one): HALVES[0]} | {cut: data[:cut] for cut in range(1, few + 1)}
    for cut in sorted({*places, *harmless}):
        assert text_of(data[:cut]) == harmless.get(cut), cut
    for place in sorted(places):
        changed = bytearray(data)
        changed[place] ^= RANDOM.randrange(1, 256)
        assert text_of(bytes(changed)) in {None, TEXT}, place


# Programs


@pytest.mark.thorough
@pytest.mark.posix
@pytest.mark.parametrize(
    "command",
    [
        *("gzip -9c a.txt b.txt", "bzip2 -1c a.txt b.txt", "zstd -c a.txt b.txt"),
        *("xz -9ec a.txt b.txt", "xz -c --block-size=50 --check=sha256 a.txt b.txt"),
        *("cat a.txt b.txt | zstd -c --ultra -22 --long=27", "cat a.txt b.txt | xz -T2 -c"),
    ],
)
def test_files_of_the_programs_are_read(folder: Path, command: str) -> None:
    """The programs' own files, with their highest settings, are read."""
    if "zstd" in command:
        compress_zstd(b"")
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    if done.returncode == 127:
        pytest.skip(f"this system lacks a program: {command}")
    assert done.returncode == 0, done.stderr
    text = (folder / "a.txt").read_bytes() + (folder / "b.txt").read_bytes()
    assert content_of(done.stdout) == text


# Several processes


@pytest.mark.thorough
def test_a_small_file_with_much_text_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The characters of the text decide whether other processes help, not the bytes read."""
    monkeypatch.setattr(pipe, "_WORTH_WORKERS", 1000)
    monkeypatch.setattr(pipe, "_CHARACTERS_OF_A_BATCH", 100)
    for number, expected in ((9, False), (11, True)):
        function: Callable[[list[tuple[str, None]]], int] = len
        with pipe.Pipe(Namespace(jobs=2, text=""), "counting") as way:
            results = list(way.results(function, [(("a" * 100, None), 1)] * number))
            assert (len(results), way._workers is not None) == (number, expected)
