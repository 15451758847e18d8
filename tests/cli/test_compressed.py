"""Compressed text: read like the text itself, from files and pipes, or rejected."""

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from cli_tools import bpetite, call, refusal, tuned, without_times
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
from help_tools import READING_TEXT, call_of, having


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], bytes | str]:
    """Return a function that returns the text of a file, read by `encode`, or the error."""
    folder = tmp_path_factory.mktemp("read")
    Tokenizer.train("", 256).save(folder / "bytes.json")

    def read(data: bytes) -> bytes | str:
        (folder / "f").write_bytes(data)
        result = call("encode -m bytes.json f --format u16", cwd=folder)
        return result.stdout[::2] if result.returncode == 0 else result.stderr.decode().rstrip()

    return read


Read = Callable[[bytes], bytes | str]


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
    for command in READING_TEXT if name == "gzip" else ["count"]:
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


@pytest.mark.usefixtures("folder")
def test_ids_are_not_decompressed() -> None:
    """Any bytes are ids of 16 bits, also those that begin a gzip file."""
    (line,) = refusal("decode -m tokenizer.json --format u16 --bytes", stdin=b"\x1f\x8b")
    assert line.startswith("error: unknown token id 35615 at position 0,")


# Formats


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_members_are_read_one_after_another(read: Read, name: str, data: st.DataObject) -> None:
    """The text is that of all members; padding, blocks and their sizes change nothing."""
    texts = data.draw(st.lists(st.text(max_size=100).map(str.encode), min_size=1, max_size=5))
    padding = st.binary(max_size=0) | st.integers(1, 20).map(bytes)
    after = padding | st.just(SKIPPABLE) if name == "zstd" else padding
    zipped = b"".join(COMPRESS[name](text) + data.draw(after) for text in texts)
    with tuned(block=data.draw(st.integers(1, 2000))):
        assert read(zipped) == b"".join(texts)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_damage_never_surprises(read: Read, name: str, data: st.DataObject) -> None:
    """Whatever follows the first bytes, there is a content or a message of one line or two."""
    zipped = COMPRESS[name](data.draw(st.binary(max_size=200)))
    cut = data.draw(st.integers(0, len(zipped)))
    wrong = zipped[:cut] + data.draw(st.binary(max_size=30)) + zipped[data.draw(st.integers(0)) :]
    found = read(wrong)
    assert isinstance(found, bytes) or found.startswith("error: f ")


@pytest.mark.parametrize("name", FORMATS)
def test_members_may_be_many(read: Read, name: str) -> None:
    """Thousands of empty members take little time each, and no stack."""
    assert read(COMPRESS[name](b"") * 10_000 + COMPRESS[name](b"end")) == b"end"


def test_only_what_is_compressed_is_decompressed(read: Read) -> None:
    """A header may have megabytes; ten characters of bzip2, and only the outer compression."""
    member = gzip_member(b"low", b"name" * 1_000_000)
    assert read(gzip_member(b"low", b"a.txt") + member) == b"lowlow"
    for plain in (b"BZh", b"BZh91AY&S", b"BZh91AY&S is not enough", b"\x1f"):
        assert read(plain) == plain
    short = "error: f is cut off: its bzip2 data ends too early; copy or download it again"
    assert read(b"BZh91AY&SY") == short
    twice = read(COMPRESS["gzip"](COMPRESS["gzip"](b"text")))
    assert str(twice).endswith(
        "it looks like compressed data, which is binary; decompress it first"
    )


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


OTHERS: Final = {
    SKIPPABLE: "zstd after a skippable frame; convert it first, with: zstd -dc",
    b"PK\x03\x04": "a zip file, which is binary; convert it first, with: unzip -p",
    b"PK\x05\x06\0\0": "a zip file, which is binary; convert it first, with: unzip -p",
    b"7z\xbc\xaf\x27\x1c": "a 7z file; convert it first, with: 7z x -so",
    b"\x04\x22\x4d\x18": "an lz4 file; convert it first, with: lz4 -dc",
    b"%PDF-1.7\n": "a PDF file, which is binary; convert it first, with: pdftotext",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "a PNG image, which is binary; leave it out",
    b"\xff\xd8\xff\xe0\0\x10JFIF\0": "a JPEG image, which is binary; leave it out",
    b"GIF87a\x01\0": "a GIF image, which is binary; leave it out",
    b"GIF89a\x01\0": "a GIF image, which is binary; leave it out",
    b"SQLite format 3\0": "an SQLite database, which is binary; leave it out",
    b"\x7fELF\x02\1\1\0": "a program, which is binary; leave it out",
    b"MZ\x90\0\3\0": "a program, which is binary; leave it out",
    b"\xcf\xfa\xed\xfe\x07\0\0\1": "a program, which is binary; leave it out",
    b"\0asm\1\0\0": "a program, which is binary; leave it out",
}


@pytest.mark.parametrize("begin", OTHERS)
def test_other_formats_have_a_way_out(read: Read, begin: bytes) -> None:
    """The message names the program that decompresses a format that bpetite does not read."""
    told = str(read(begin + b"\x28\xb5\x2f\xfd\xff"))
    assert told.splitlines()[1:] == [f"it looks like {OTHERS[begin]}"]


@pytest.mark.parametrize(
    ("module", "name"), [(ZSTD, "zstd"), ("lzma", "xz"), ("bz2", "bzip2"), ("zlib", "gzip")]
)
def test_a_missing_library_is_named(
    read: Read, monkeypatch: pytest.MonkeyPatch, module: str, name: str
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
    told = str(read(data))
    assert told.startswith(f"error: f is compressed with {name}; to read it, {way_out}")
    assert told.endswith(f", or decompress it first, with: {name} -dc")


# Limits of memory


WAYS_OUT = {
    "xz": ("256 MiB of memory, the limit for xz", "xz -dc"),
    "zstd": ("a window of 128 MiB, the limit for zstd", "zstd -dc --long=31"),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("xz", 31),
        ("xz", 32),
        ("xz", 40),
        pytest.param("zstd", 10, marks=pytest.mark.thorough),
        pytest.param("zstd", 27, marks=pytest.mark.thorough),
        pytest.param("zstd", 28, marks=pytest.mark.thorough),
        pytest.param("zstd", 41, marks=pytest.mark.thorough),
    ],
)
def test_memory_is_limited(read: Read, name: str, size: int) -> None:
    """Of xz, dictionaries of 192 MiB are accepted; of zstd, windows of 128 MiB; 256 are not."""
    if name == "zstd":
        compress_zstd(b"")
    data = (zstd_with_window if name == "zstd" else xz_with_dictionary)(b"low", size)
    if size <= {"xz": 31, "zstd": 27}[name]:
        assert read(data) == b"low"
    else:
        limit, program = WAYS_OUT[name]
        way_out = f"decompress it first, with: {program}"
        assert read(data) == f"error: f needs more than {limit}; {way_out}"


# Damage


@pytest.mark.thorough
def test_zstd_and_xz_may_lack_what_others_have(read: Read) -> None:
    """A file that needs a dictionary is not damaged; without checksums, damage may change text."""
    assert read(compress_with_dictionary(b"low ")) == (
        "error: f was compressed with a dictionary; decompress it first, with: zstd -dc -D DICT"
    )
    data = compress_zstd(b"0123456789", checksum=False)
    assert read(data.replace(b"345", b"543")) == b"0125436789"


RANDOM: Final = random.Random(0)
TEXT: Final = " ".join(f"{RANDOM.randrange(10**9)} words" for _ in range(200)).encode()
HALVES: Final = (TEXT[: len(TEXT) // 2], TEXT[len(TEXT) // 2 :])


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_found(read: Read, name: str) -> None:
    """Of two members with checksums, a cut or a changed byte is an error, or changes nothing.

    A cut between them, or within the first bytes, is none.
    """
    one, two = map(COMPRESS[name], HALVES)
    data = one + two
    places = {*range(20), *(len(data) * number // 200 for number in range(200))}
    few = {"gzip": 1, "bzip2": 9, "xz": 0, "zstd": 1}[name]
    harmless = {0: b"", len(one): HALVES[0]} | {cut: data[:cut] for cut in range(1, few + 1)}
    for cut in sorted({*places, *harmless}):
        found = read(data[:cut])
        assert isinstance(found, str) if cut not in harmless else found == harmless[cut], cut
    for place in sorted(places):
        changed = bytearray(data)
        changed[place] ^= RANDOM.randrange(1, 256)
        found = read(bytes(changed))
        assert isinstance(found, str) or found == TEXT, place


# Programs


@pytest.mark.thorough
@pytest.mark.posix
@pytest.mark.parametrize(
    "command",
    [
        "gzip -9c a.txt b.txt",
        "bzip2 -1c a.txt b.txt",
        "zstd -c a.txt b.txt",
        "xz -9ec a.txt b.txt",
        "xz -c --block-size=50 --check=sha256 a.txt b.txt",
        "cat a.txt b.txt | zstd -c --ultra -22 --long=27",
        "cat a.txt b.txt | xz -T2 -c",
    ],
)
def test_files_of_the_programs_are_read(read: Read, folder: Path, command: str) -> None:
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
    assert read(done.stdout) == text


# Several processes


@pytest.mark.thorough
def test_a_small_file_with_much_text_is_shared(small: Path) -> None:
    """The characters of the text decide whether other processes help, not the bytes read."""
    for number, expected in ((9, False), (11, True)):
        (small / "docs").write_bytes(
            COMPRESS["gzip"](f'{{"text": "{"a" * 100}"}}\n'.encode() * number)
        )
        with tuned(worth=1000, batch=100), pytest.MonkeyPatch.context() as patch:
            patch.setattr(BaseProcess, "start", fail_to_start)
            result = call("count -m m.json docs --jsonl text --jobs 2")
        assert (b"cannot start another process" in result.stderr) == expected


def fail_to_start(_: BaseProcess) -> None:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
