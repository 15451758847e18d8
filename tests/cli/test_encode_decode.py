"""`bpetite encode` and `bpetite decode`: every format, several files, results saved to a file."""

import errno
import json
import os
import shlex
import struct
import tempfile
import tracemalloc
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import (
    bpetite,
    call,
    in_words,
    limited_file_size,
    printed,
    refusal,
    refused,
    rows_of,
    shown_in_terminal,
    tuned,
)
from texts import TEXTS

TEXT: Final = "Hello 船夫 world\n⛵ <|endoftext|> the end \x1c é\r\n" * 40
ENCODE: Final = "encode --model m.json"
DECODE: Final = "decode --model m.json"
NAMES: Final = ("json", "text", "u16", "u32")


@pytest.fixture
def folder(small: Path) -> Path:
    """Return the working directory with a tokenizer, a text and its ids."""
    (small / "text").write_bytes(TEXT.encode())
    (small / "ids.json").write_bytes(printed(f"{ENCODE} text"))
    return small


def written(name: str, ids: list[int]) -> bytes:
    """Return the ids in a format, written by independent code."""
    if name == "json":
        return json.dumps(ids, separators=(",", ":")).encode() + b"\n"
    if name == "text":
        return b"".join(b"%d\n" % one for one in ids)
    return struct.pack(f"<{len(ids)}{'H' if name == 'u16' else 'I'}", *ids)


@pytest.mark.usefixtures("small")
def test_encode_prints_the_compact_array() -> None:
    """FR-32, FR-34: the output is exactly a compact JSON array of ids and a newline."""
    text = "Hello world " * 100
    ids = Tokenizer.load("m.json").encode(text)
    with tuned(batch=100):
        result = call(ENCODE, stdin=text.encode())
    found = result.returncode, result.stdout, result.stderr
    assert found == (0, written("json", ids), b"")


@pytest.mark.usefixtures("small")
def test_decode_writes_exactly_the_text() -> None:
    """FR-32, FR-34: the output is exactly the text, without an added newline."""
    ids = Tokenizer.load("m.json").encode("Hello ⛵")
    result = call(f"{DECODE} --ids", *map(str, ids))
    assert (result.returncode, result.stdout, result.stderr) == (0, "Hello ⛵".encode(), b"")
    assert printed(f"{DECODE} --ids") == printed(f"{DECODE} -i -", stdin=b" [ ]\n") == b""  # FR-21


ADVICE: Final = "use --bytes to write raw bytes"
UNKNOWN = "error: unknown token id {} at position {}; the ids are 0 to 282".format


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "words", ["72 101", "72,101", "' [72, 101] '", "72 [101] []", "[72] --ids 101"]
)
def test_ids_may_have_commas_and_brackets(words: str) -> None:
    """Ids may be words, be separated by commas, or be the output of `encode`."""
    assert printed(f"{DECODE} --ids {words}") == b"He"
    assert refusal(f"{DECODE} --ids {words}", "7,999") == [UNKNOWN(999, 3)]


MERGES = [(0xE2, 0x82), (0xAC, 0xE2), (257, 0x82), (256, 0xAC), (97, 0xC3), (0xA9, 97)]
"""Merges inside characters and across them: 258 ends one euro sign and begins the next."""

TOKENS = oracle.vocabulary(MERGES)
CHARACTERS = st.sampled_from(
    [
        [259],
        [0xE2, 0x82, 0xAC],
        [256, 0xAC],
        [262],
        [0xE2, 0x82, 258, 0xAC],
        [256, 258, 258, 0xAC],
        [260, 0xA9],
        [0xC3, 261],
        [*"😀".encode()],
    ]
)
OTHERS = st.sampled_from([0x80, 0xAC, 0xC3, 0xE2, 0xF0, 256, 257, 258, 260, 261, 263, 10**29])


@pytest.fixture(scope="module")
def decoded_at_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[int]], str]:
    """Return a function that decodes ids by one call of the core, or returns its error message."""
    path = write_artifact(tmp_path_factory.getbasetemp() / "odd.json", MERGES)
    tokenizer = Tokenizer.load(path)

    def decode(ids: list[int]) -> str:
        try:
            return f"text: {tokenizer.decode(ids)}"
        except KeyError as error:
            return f"error: {error.args[0]}"
        except UnicodeDecodeError as error:
            return f"error: these ids do not decode to UTF-8: {error.reason}; {ADVICE}"

    return decode


# Most ids are text, with a few others at random positions.
@example([0xE2, 0x82, 258, 0xAC, 0x80], 7)
@given(
    st.lists(CHARACTERS | CHARACTERS | CHARACTERS | OTHERS.map(lambda one: [one])).map(
        lambda parts: [*chain(*parts)]
    ),
    st.integers(1, 20),
)
def test_ids_decode_alike_and_the_first_error_is_reported(
    tmp_path_factory: pytest.TempPathFactory,
    decoded_at_once: Callable[[list[int]], str],
    ids: list[int],
    size: int,
) -> None:
    """FR-22, FR-23: wherever blocks end, the text or an error is that of a single decode.

    If a block has an unknown id after a wrong byte, the id is reported.
    """
    words, data = "decode -m odd.json --format text", written("text", ids)
    folder = tmp_path_factory.getbasetemp()
    with tuned(block=size):
        result = call(words, stdin=data, cwd=folder)
        raw = call(f"{words} --bytes", stdin=data, cwd=folder)
    shown = result.stderr.decode().rstrip("\n") or f"text: {result.stdout.decode()}"
    so_far = [decoded_at_once(ids[:end]) for end in range(len(ids) + 1)]
    errors = [told for told in so_far if told[:6] != "text: " and "end of data" not in told]
    assert shown in {*errors[:1], so_far[-1]}
    if {*ids} <= {*TOKENS}:
        assert raw.stdout == b"".join(map(TOKENS.__getitem__, ids))


def test_decoding_needs_little_memory(here: Path) -> None:
    """Long tokens are decoded in parts, and only an unfinished character waits for more ids."""
    merges = [(0x82, 0xAC), (256, 0xE2), *((n, n) for n in range(257, 267))]
    write_artifact(here / "m.json", merges)  # 267 ends and begins with a part of a euro sign
    (here / "ids").write_bytes(written("u16", [0xE2, *[267] * 32_000, 0x82, 0xAC]))
    tracemalloc.start()
    printed(f"{DECODE} ids --format u16 --output text")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (here / "text").stat().st_size == 3 + 32_000 * 3072
    assert most < 75_000_000  # the room for a tokenizer file has 64 MiB


def test_decode_writes_bytes_that_are_not_text(small: Path) -> None:
    """`--bytes` writes invalid UTF-8, also to a file, and still rejects unknown ids."""
    assert printed(f"{DECODE} --bytes --ids 72 226 155") == b"H\xe2\x9b"
    result = call(f"{DECODE} --bytes --input - --output out", stdin=b"[255,128]")
    assert (small / "out").read_bytes() == b"\xff\x80"
    figures = {"bytes": 2, "tokens": 2, "bytes_per_token": 1.0}
    assert json.loads(result.stdout) == figures | {"outputs": ["out"]}
    told = in_words(f"{DECODE} --bytes --input - --output out --force", stdin=b"[255,128]")
    assert told == ["saved: out, 2 bytes"]
    assert refusal(f"{DECODE} --bytes --ids 255 999") == [UNKNOWN(999, 1)]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("place", range(8))
def test_an_array_may_have_any_amount_of_whitespace(place: int) -> None:
    """Whitespace around an id is accepted, and inside an id rejected, however long it is."""
    for size in (1, 25_000):
        ids = "[72,10]"[:place] + " \t\n\r" * size + "[72,10]"[place:]
        result = call(DECODE, stdin=ids.encode())
        inside = place in {2, 5}
        assert (result.returncode, result.stdout) == ((1, b"") if inside else (0, b"H\n"))


@pytest.mark.usefixtures("small")
def test_non_utf_8_text_is_a_usage_error() -> None:
    """An argument that is not text is an error; no surrogate gets in. A text is no file."""
    advice = "No such file or directory (for a text, use --text); check the path"
    assert refusal(ENCODE, "Hello world") == [f"error: 'Hello world': {advice}"]
    shown = refused(bpetite(*ENCODE.split(), "--text", b"a\xff"), 2)
    assert "expected UTF-8 in an argument, found b'a\\xff'; use a file" in shown[0]


@pytest.mark.posix
@pytest.mark.parametrize("words", [300, 100_000], ids=["in the buffer", "beyond the buffer"])
def test_a_long_result_without_disk_space_is_a_failure(
    small: Path, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    """A result in a temporary file fits into Python's buffer or not; the error suggests a fix."""
    (small / "text").write_bytes(b"abc " * words)
    (small / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", "tmp")
    with limited_file_size(1000), tuned(held=1000):
        told = refusal(f"{ENCODE} text")
    way_out = "set TMPDIR to a folder with more space"
    assert told == [f"error: cannot hold the result in tmp: File too large; {way_out}"]
    assert not [*(small / "tmp").iterdir()]


@given(text=TEXTS, size=st.integers(1, 14), name=st.sampled_from(NAMES))
@example("a<|endoftext|><|endoftext|> <|endoftext <|endo<|endoftext|>b\n<|endoftext|>", 5, "u16")
def test_blocks_change_nothing(
    model: Path, tmp_path_factory: pytest.TempPathFactory, text: str, size: int, name: str
) -> None:
    """FR-25: however small blocks are, the ids are those of the whole text, and decode to it."""
    folder = tmp_path_factory.getbasetemp()
    (folder / "text").write_bytes(text.encode())
    words = f"--model {shlex.quote(str(model))} --format {name} --force --output"
    with tuned(block=size, batch=size):
        printed(f"encode text {words} ids", cwd=folder)
        printed(f"decode ids {words} back", cwd=folder)
    assert (folder / "ids").read_bytes() == written(name, Tokenizer.load(model).encode(text))
    assert (folder / "back").read_bytes() == text.encode()


@pytest.mark.posix
def test_disk_errors_name_the_file(folder: Path) -> None:
    """The error names the input that cannot be read, though the system does not."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("no /proc/self/mem on this system")
    told = refusal(f"{ENCODE} --input text /proc/self/mem --output ids")
    assert told == ["error: /proc/self/mem cannot be read: Input/output error"]
    assert not (folder / "ids").exists()


# What a format cannot represent, and invalid input


@pytest.mark.posix
def test_bytes_are_not_sent_to_a_terminal(folder: Path) -> None:
    """Binary ids could garble a terminal; the error suggests alternatives, and they work."""
    words = [*ENCODE.split(), "--text", "Hi", "--format"]
    message = "error: refusing to write binary u32 data to a terminal; use --output or redirect"
    shown = shown_in_terminal([*words, "u32"], folder, {"NO_COLOR": "1"}, columns=100)
    assert shown == (1, f"{message}\n")
    assert shown_in_terminal([*words, "text"], folder) == (0, "72\n105\n")


STRAY: Final = "these ids do not decode to UTF-8: invalid start byte (token id 128 at position 1"


@pytest.mark.parametrize(
    ("name", "ids", "complaint"),
    [
        ("--ids", [-1], UNKNOWN(-1, 0)),
        ("json", [72, 999], UNKNOWN(999, 1)),
        ("u32", [72] * 20_000 + [4 * 10**9], UNKNOWN(4 * 10**9, "20000, byte offset 80000")),
        ("u16", [72, 128], f"error: {STRAY}, byte offset 2); {ADVICE}"),
    ],
    ids=["a negative id", "unknown in JSON", "unknown in u32", "a stray byte in u16"],
)
def test_invalid_ids_are_rejected(folder: Path, name: str, ids: list[int], complaint: str) -> None:
    """FR-22, FR-23, FR-33: the error names the id, its position, and its offset in a file."""
    words = f"--ids {' '.join(map(str, ids))}"
    if name != "--ids":
        (folder / "ids").write_bytes(written(name, ids))
        words = f"--input ids --format {name}"
    assert refusal(f"{DECODE} {words} --output back") == [complaint]
    assert not (folder / "back").exists()


NO_IDS: Final = {
    ("json", b""): "''",
    ("json", b"72 101"): "'72 101'",
    ("json", b"[true]"): "'true'",
    ("json", b"[007]"): "'007'",
    ("json", b"[72,]"): "'nothing between two commas or brackets'",
    ("json", b"[72"): "'the end, without a ]'",
    ("json", b"[72] 5"): "'5'",
    ("json", b"[72,-0]"): "'-0'",
    ("json", b"[" + b"1" * 31 + b"]"): f"'{'1' * 31}'",
    ("json", b"[" + b"[" * 100_000 + b"]"): f"'{'[' * 40}'",
    ("json", b"[" + b"9" * 3_000_000): f"'{'9' * 40}'",
    ("json", b"[\xff]"): r"'\xff'",
    ("text", b" 72\t101, 108"): "'101,' at byte offset 4",
    ("text", b"72 \xd9\xa3"): r"'\xd9\xa3' at byte offset 3",
    ("text", b"0" * 31): f"'{'0' * 31}' at byte offset 0",
    ("text", b"72 " * 30_000 + b"x" * 70_000): f"'{'x' * 40}' at byte offset 90000",
    ("u16", bytes(70_001)): (
        "the last id, at byte offset 70000, is incomplete: u16 takes 2 bytes per id, "
        "and there are 70,001 bytes"
    ),
    ("u32", bytes(6)): (
        "the last id, at byte offset 4, is incomplete: u32 takes 4 bytes per id, "
        "and there are 6 bytes"
    ),
}
WANTED: Final = {
    "json": (
        "expected a JSON array of token ids such as [72,101], found ",
        "`bpetite encode` writes such an array; to read its other formats, use --format",
    ),
    "text": (
        "expected decimal token ids separated by whitespace, found ",
        "`bpetite encode --format text` writes this format",
    ),
    "u16": ("", "check that the file is complete and was written with --format u16"),
    "u32": ("", "check that the file is complete and was written with --format u32"),
}


@pytest.mark.parametrize(("name", "content"), NO_IDS, ids=lambda value: repr(value)[:20])
def test_files_without_ids_are_rejected(folder: Path, name: str, content: bytes) -> None:
    """FR-33: the error names what was expected, what was found, and suggests a way out."""
    (folder / "ids").write_bytes(content)
    expected, advice = WANTED[name]
    told = refusal(f"{DECODE} --input ids --format {name}")
    assert told == [f"error: ids: {expected}{NO_IDS[name, content]}", advice]


# Results that go to a file


def test_output_files_get_ids_and_stdout_a_summary(folder: Path) -> None:
    """With `--output`, the file has the bytes of standard output, which gets a summary."""
    plain = printed(f"{ENCODE} text --format u16")
    result = call(f"{ENCODE} text --format u16 --output ids")
    assert (folder / "ids").read_bytes() == plain
    assert printed(f"{ENCODE} --format u16", f"--text={TEXT}") == plain
    tokens, size = len(plain) // 2, len(TEXT.encode())
    figures = {"bytes": size, "tokens": tokens, "bytes_per_token": round(size / tokens, 4)}
    more = {
        "skipped": None,
        "engine": "bpetite",
        "separators": 0,
        "format": "u16",
        "file_bytes": len(plain),
    }
    assert json.loads(result.stdout) == {"files": 1, **figures, "outputs": ["ids"], **more}
    told = in_words(f"{ENCODE} text --format u16 --output ids --force")
    assert told == [f"saved: ids, {tokens:,} tokens as u16, {len(plain) / 1000:.1f} kB"]
    (data,) = rows_of(f"{DECODE} ids --format u16 --output back")
    assert data == {**figures, "outputs": ["back"]}
    told = in_words(f"{DECODE} ids --format u16 --output back --force")
    assert told == [f"saved: back, {size / 1000:.1f} kB of text"]


COMMANDS = {
    "encode": f"{ENCODE} text --format u32",
    "decode": f"{DECODE} ids.json",
    "chunks": "chunks b.txt text",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output", ["", "--output out", "--output out --force"])
def test_failing_half_way_leaves_nothing(folder: Path, command: str, output: str) -> None:
    """An error in the last byte of a file prints nothing, and leaves the old file, or none."""
    (folder / "text").write_bytes(b"Hello world " * 6000 + b"\xff")
    (folder / "ids.json").write_bytes(b"[" + b"72," * 25_000 + b"999]")
    if "--force" in output:
        (folder / "out").write_bytes(b"old")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert refusal(f"{COMMANDS[command]} {output}")[0].startswith("error: ")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.posix
def test_full_disk_leaves_no_output(folder: Path) -> None:
    """An output file that cannot grow is named and removed."""
    (folder / "text").write_bytes(b"abc " * 1000)
    before = sorted(folder.iterdir())
    with limited_file_size(1000):
        told = refusal(f"{COMMANDS['encode']} --output out")
    assert told == ["error: out: File too large; choose a disk that allows larger files"]
    assert sorted(folder.iterdir()) == before


ADVICE_ON_DISKS = {
    errno.ENOSPC: "free some space, or choose another disk",
    errno.EDQUOT: "free some space, or choose another disk",
    errno.EROFS: "choose another path",
    errno.EACCES: "change its permissions, or choose another path",
}


@pytest.mark.usefixtures("folder", "synced_by_fsync")
@pytest.mark.parametrize("code", ADVICE_ON_DISKS, ids=errno.errorcode.get)
def test_errors_of_the_disk_have_advice(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """What the system says about the output is followed by a way out."""

    def fail(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    told = refusal(f"{COMMANDS['encode']} --output out")
    assert told == [f"error: out: {os.strerror(code)}; {ADVICE_ON_DISKS[code]}"]


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_long_files_need_no_temporary_files(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saving needs space only for the output: the folder for temporary files may be missing."""
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
    with tuned(held=1000):
        assert call(COMMANDS[command]).returncode == 1
        printed(f"{COMMANDS[command]} --output out")
    assert (folder / "out").exists()


# Separators


def make(names: list[str]) -> None:
    """Save a tokenizer with some special tokens."""
    Tokenizer.train("", 256, special_tokens=names).save("m.json", overwrite=True)


def test_the_separator_is_clear_or_named(folder: Path) -> None:
    """It is the only special token, or `<|endoftext|>`, or the one of `--separator`."""
    (folder / "docs").write_text('{"text": "<|a|>"}\n{"text": "b"}\n')
    one, two = [*b"<|a|>"], [*b"b"]
    for other, option, ids in (
        ([], "--separator-token", [*one, 256, *two]),
        (["<|endoftext|>"], "--separator-token", [*one, 257, *two]),
        (["<|endoftext|>"], "--separator '<|a|>'", [*one, 256, *two]),
        (["<|b|>"], "--separator '<|b|>' --separator-at after", [*one, 257, *two, 257]),
    ):
        make(["<|a|>", *other])
        assert rows_of(f"{ENCODE} docs --jsonl text --ordinary {option}") == [ids]


@pytest.mark.usefixtures("folder")
def test_an_unclear_separator_is_an_error() -> None:
    """The error lists the special tokens, but not thousands of them."""
    none = "has no special token to separate documents; `bpetite train` and `bpetite import` add"
    several = "has several special tokens; name one with --separator:"
    other = "has no special token '<|b|>'; name one with --separator: <|a|>"
    most = [f"<|{number}|>" for number in range(4096)]
    for names, option, error in (
        ([], "--separator-token", f"{none} some with --special"),
        (["<|a|>", "<|b|>"], "--separator-token", f"{several} <|a|>, <|b|>"),
        (["<|a|>"], "--separator '<|b|>'", other),
        (most, "--separator-token", f"{several} {', '.join(most[:10])} and 4,086 more"),
    ):
        make(names)
        assert refusal(f"{ENCODE} text text {option}") == [f"error: m.json {error}"]
