"""Compressed text: read like the text itself, from files and pipes, or rejected."""

import bz2
import gzip
import lzma
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from cli_tools import bpetite, call, printed, refusal, tuned, without_times
from help_tools import READING_TEXT, call_of

ZSTD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The name of the module that reads zstd."""


def compress_zstd(data: bytes) -> bytes:
    """Compress as the program does, which adds a checksum; skip if there is no zstd."""
    zstd: Any = pytest.importorskip(ZSTD)
    options = {zstd.CompressionParameter.checksum_flag: 1}
    compressed: bytes = zstd.compress(data, options=options)
    return compressed


COMPRESS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": compress_zstd,
}

SKIPPABLE: Final = b"\x50\x2a\x4d\x18" + struct.pack("<I", 5) + b"extra"
"""A frame of zstd without content."""

FORMATS: Final = [
    pytest.param(name, marks=[pytest.mark.thorough] * (name == "zstd")) for name in COMPRESS
]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], bytes | str]:
    """Return a function that returns the text of a file, read by `encode`, or the error."""
    folder = tmp_path_factory.mktemp("read")
    Tokenizer.train("", 256, special_tokens=[]).save(folder / "bytes.json")

    def read(data: bytes) -> bytes | str:
        (folder / "f").write_bytes(data)
        result = call("encode -m bytes.json f --format u16", cwd=folder)
        return result.stdout[::2] if result.returncode == 0 else result.stderr.decode().rstrip()

    return read


Read = Callable[[bytes], bytes | str]


# Every command


@pytest.mark.parametrize("command", READING_TEXT)
def test_every_command_reads_compressed_text(folder: Path, command: str) -> None:
    """From a file with any name and from standard input, the result is that of the text."""
    words = call_of(command)
    piped = ["-" if word == "text.txt" else word for word in words]
    text = (folder / "text.txt").read_bytes()
    results = set()
    for data in (text, gzip.compress(text)):
        (folder / "text.txt").write_bytes(data)
        for given_words in (words, piped):
            (folder / "new.json").unlink(missing_ok=True)
            result = bpetite(*given_words, stdin=data)
            assert result.returncode == 0, result.stderr
            saved = (folder / "new.json").read_bytes() if "--output" in words else None
            told = without_times(result.stdout).replace(b"text.txt", b"-")
            results.add((told, without_times(result.stderr), saved))
    assert len(results) == 1


def test_compressed_lines_are_read(folder: Path) -> None:
    """JSON Lines, counts and lists of files may be compressed, and so may listed files."""
    rows = b'{"text": "Hello", "count": 3}\n{"text": " a", "count": 1}'
    for words in ("count -m tokenizer.json --jsonl text --files-from list", "chunks --counts docs"):
        (folder / "docs").write_bytes(rows)
        (folder / "list").write_bytes(b"docs\n")
        expected = printed(words)
        (folder / "docs").write_bytes(gzip.compress(rows))
        (folder / "list").write_bytes(gzip.compress(b"docs\n"))
        assert printed(words) == expected


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
    # What is read before the damage may be odd, too.
    assert isinstance(found, bytes) or "error: f " in found


@pytest.mark.parametrize("name", FORMATS)
def test_members_may_be_many(read: Read, name: str) -> None:
    """Thousands of empty members take little time each, and no stack."""
    assert read(COMPRESS[name](b"") * 10_000 + COMPRESS[name](b"end")) == b"end"


def test_only_what_is_compressed_is_decompressed(read: Read) -> None:
    """Ten characters are a bzip2 file, and only the outer compression is undone."""
    for plain in (b"BZh91AY&S", b"BZh91AY&S is not enough", b"\x1f"):
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


@pytest.mark.parametrize(
    ("begin", "advice"),
    [
        (SKIPPABLE, "zstd after a skippable frame; convert it first, with: zstd -dc"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z file; convert it first, with: 7z x -so"),
        (b"%PDF-1.7\n", "a PDF file, which is binary; convert it first, with: pdftotext"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a JPEG image, which is binary; leave it out"),
        (b"GIF87a\x01\0", "a GIF image, which is binary; leave it out"),
        (b"GIF89a\x01\0", "a GIF image, which is binary; leave it out"),
        (b"MZ\x90\0\3\0", "a program, which is binary; leave it out"),
        (b"\xcf\xfa\xed\xfe\x07\0\0\1", "a program, which is binary; leave it out"),
    ],
)
def test_other_formats_have_a_way_out(read: Read, begin: bytes, advice: str) -> None:
    """The message names the program that decompresses a format that bpetite does not read."""
    told = str(read(begin + b"\x28\xb5\x2f\xfd\xff"))
    assert told.splitlines()[1:] == [f"it looks like {advice}"]


A_PYTHON: Final = "use a Python that has"
FOR_ZSTD: Final = "install" if sys.version_info < (3, 14) else A_PYTHON


@pytest.mark.parametrize(
    ("module", "name", "begin", "verb"),
    [
        (ZSTD, "zstd", b"\x28\xb5\x2f\xfd", FOR_ZSTD),
        ("lzma", "xz", b"\xfd7zXZ\0", A_PYTHON),
        ("bz2", "bzip2", b"BZh91AY&SY", A_PYTHON),
        ("zlib", "gzip", b"\x1f\x8b", A_PYTHON),
    ],
)
def test_a_missing_library_is_named(
    read: Read, monkeypatch: pytest.MonkeyPatch, module: str, name: str, begin: bytes, verb: str
) -> None:
    """Without the library of a format, the message says what to install, or what to run."""
    package, _, attribute = module.partition(".")
    if attribute and package in sys.modules:  # where `from` looks first
        monkeypatch.delattr(sys.modules[package], attribute, raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    assert read(begin) == (
        f"error: f is compressed with {name}; to read it, {verb} {module}, or decompress it first, "
        f"with: {name} -dc"
    )


# Limits of memory


def xz_with_dictionary(content: bytes, code: int) -> bytes:
    """Return an xz file that declares a dictionary of a size; 40 is 4 GiB, 26 is 32 MiB."""
    data = bytearray(lzma.compress(content))
    size = 4 * (data[12] + 1)
    data[data.index(b"\x21\x01", 12, 12 + size) + 2] = code
    data[8 + size : 12 + size] = struct.pack("<I", zlib.crc32(bytes(data[12 : 8 + size])))
    return bytes(data)


@pytest.mark.parametrize(("size", "fits"), [(31, True), (32, False)])
def test_memory_for_xz_is_limited(read: Read, size: int, fits: bool) -> None:
    """Dictionaries of 192 MiB are accepted, and larger ones are not."""
    limit = "256 MiB of memory, the limit for xz; decompress it first, with: xz -dc"
    expected = b"low" if fits else f"error: f needs more than {limit}"
    assert read(xz_with_dictionary(b"low", size)) == expected


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "fits"), [(27, True), (28, False)])
def test_memory_for_zstd_is_limited(read: Read, size: int, fits: bool) -> None:
    """Windows of 128 MiB are accepted, given as a binary logarithm, and larger ones are not."""
    pytest.importorskip(ZSTD)
    data = b"\x28\xb5\x2f\xfd\0" + bytes([(size - 10) << 3]) + b"\x19\0\0low"
    limit = "a window of 128 MiB, the limit for zstd"
    refused = f"error: f needs more than {limit}; decompress it first, with: zstd -dc --long=31"
    assert read(data) == (b"low" if fits else refused)


@pytest.mark.thorough
def test_a_zstd_file_may_need_a_dictionary(read: Read) -> None:
    """It is not damaged, and the message names the option for one."""
    zstd: Any = pytest.importorskip(ZSTD)
    samples = [b"low " * number for number in range(1, 100)]
    data = zstd.compress(b"low ", zstd_dict=zstd.train_dict(samples, 1000))
    assert read(data) == (
        "error: f was compressed with a dictionary; decompress it first, with: zstd -dc -D DICT"
    )
