"""`bpetite encode` and `bpetite decode`: every format, several files, results saved to a file."""

import json
import shlex
import signal
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_cli import pipe
from bpetite_cli.commands.decode import Joined
from bpetite_cli.errors import Failure
from bpetite_cli.io import formats
from bpetite_cli.io import inputs as input_files
from bpetite_cli.io.formats import FORMATS
from bpetite_cli.terminal.messages import in_units
from cli_tools import (
    bpetite,
    limited_file_size,
    lines,
    printed,
    refusal,
    refused,
    shown_in_terminal,
    start,
)
from texts import TEXTS

UNKNOWN = "error: unknown token id 999 at position {}; the ids are 0 to 282"


@pytest.mark.parametrize("times", [1, 100_000], ids=["one-batch", "two-batches"])
def test_encode_prints_the_compact_array(model: Path, times: int) -> None:
    """FR-32, FR-34: the output is exactly a compact JSON array of ids and a newline."""
    text = "Hello world" + " Hello world" * (times - 1)
    result = bpetite("encode", "--model", model, stdin=text.encode())
    ids = Tokenizer.load(model).encode(text)
    expected = json.dumps(ids, separators=(",", ":")).encode() + b"\n"
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, b"")


def test_decode_writes_exactly_the_text(model: Path) -> None:
    """FR-32, FR-34: the output is exactly the text, without an added newline."""
    ids = Tokenizer.load(model).encode("Hello ⛵")
    result = bpetite("decode", "--model", model, "--ids", *map(str, ids))
    assert (result.returncode, result.stdout, result.stderr) == (0, "Hello ⛵".encode(), b"")


@pytest.mark.parametrize(
    "words", ["72 101", "72,101", "[72,101]", "' [72, 101] '", "72 [101] []", "[72] --ids 101"]
)
def test_ids_may_have_commas_and_brackets(model: Path, words: str) -> None:
    """Ids may be words, be separated by commas, or be the output of `encode`."""
    call = f"decode --model {shlex.quote(str(model))} --ids {words}"
    assert printed(call) == b"He"
    assert refusal(call, "7,999") == [UNKNOWN.format(3)]


def test_decoding_no_ids(model: Path) -> None:
    """FR-21: no ids decode to the empty text."""
    assert bpetite("decode", "--model", model, "--ids").stdout == b""
    assert bpetite("decode", "--model", model, "--input", "-", stdin=b" [ ]\n").stdout == b""


MERGES = [(0xE2, 0x82), (0xAC, 0xE2), (257, 0x82), (256, 0xAC), (97, 0xC3), (0xA9, 97)]
"""Merges inside characters and across them: 258 ends one euro sign and begins the next."""

TOKENS = {**oracle.vocabulary(MERGES), 256 + len(MERGES): b"<|endoftext|>"}
CHARACTERS = st.sampled_from(
    [
        *([97], [259], [0xE2, 0x82, 0xAC], [256, 0xAC], [262]),
        *([0xE2, 0x82, 258, 0xAC], [256, 258, 258, 0xAC], [260, 0xA9], [0xC3, 261]),
        [*"😀".encode()],
    ]
)
STRAY = st.sampled_from([0x80, 0xAC, 0xC3, 0xE2, 0xF0, 256, 257, 258, 260, 261])


def ids_with(other: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
    """Return lists of ids, most of them text, with a few others at random positions."""
    parts = CHARACTERS | CHARACTERS | CHARACTERS | other.map(lambda token_id: [token_id])
    return st.lists(parts).map(lambda lists: [*chain(*lists)])


@pytest.fixture(scope="module")
def decoded_at_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[int]], str]:
    """Return a function that decodes ids by one call of the core, or returns its error message."""
    path = write_artifact(tmp_path_factory.mktemp("model") / "odd.json", MERGES)
    tokenizer = Tokenizer.load(path)

    def decode(ids: list[int]) -> str:
        try:
            return f"text: {tokenizer.decode(ids)}"
        except KeyError as error:
            return str(error.args[0])
        except UnicodeDecodeError as error:
            advice = "use --bytes to write raw bytes"
            return f"these ids do not decode to UTF-8: {error.reason}; {advice}"

    return decode


def decoded_in_blocks(blocks: list[list[int]]) -> str:
    """Return the text of blocks of ids from the command's own decoder, or its error message."""
    try:
        return f"text: {b''.join(Joined(TOKENS, None).text_of(blocks)).decode()}"
    except Failure as failure:
        return str(failure)


def blocks_of(ids: list[int], sizes: list[int]) -> list[list[int]]:
    """Return ids in blocks of these sizes, some of them empty, and the rest in one."""
    blocks = []
    for size in sizes:
        blocks.append(ids[:size])
        ids = ids[size:]
    return [*blocks, ids]


@example([0xE2, 0x82, 258, 0xAC, 0x80], [3])
@given(ids_with(STRAY | st.sampled_from([263, -1, 10**29])), st.lists(st.integers(0, 4)))
def test_ids_decode_alike_and_the_first_error_is_reported(
    decoded_at_once: Callable[[list[int]], str], ids: list[int], sizes: list[int]
) -> None:
    """FR-22, FR-23: wherever blocks end, the text or the first error is that of a single decode."""
    blocks = blocks_of(ids, sizes)
    shown = decoded_in_blocks(blocks)
    so_far = [decoded_at_once([*chain(*blocks[:end])]) for end in range(1, len(blocks) + 1)]
    errors = [told for told in so_far if told[:6] != "text: " and "end of data" not in told]
    assert shown == (errors[0] if errors else so_far[-1])


@pytest.mark.parametrize(
    ("begin", "again", "end"),
    [
        ([], [0xE8, 0x88, 0xB9], []),  # no token is a complete character
        ([0xE2, 0x82], [258], [0xAC]),  # each token ends a character and begins the next
    ],
)
def test_only_an_unfinished_character_waits_for_more_ids(
    begin: list[int], again: list[int], end: list[int]
) -> None:
    """However long the text, at most three bytes wait for the next ids."""
    read = decoded = 0

    def blocks() -> Iterator[list[int]]:
        nonlocal read
        for ids in (begin, *[again * 100] * 100, end):
            assert read - decoded <= 3
            read += sum(len(TOKENS[token_id]) for token_id in ids)
            yield ids

    for part in Joined(TOKENS, None).text_of(blocks()):
        decoded += len(part)
    assert decoded == read


@given(ids_with(STRAY), st.lists(st.integers(0, 4)))
def test_bytes_do_not_depend_on_block_size(ids: list[int], sizes: list[int]) -> None:
    """With `--bytes`, each block gives all its bytes, complete characters or not."""
    blocks = blocks_of(ids, sizes)
    expected = [b"".join(map(TOKENS.__getitem__, block)) for block in blocks if block]
    assert list(filter(None, Joined(TOKENS, None).bytes_of(blocks))) == expected


def test_decode_writes_bytes_that_are_not_text(model: Path, here: Path) -> None:
    """`--bytes` writes invalid UTF-8, also to a file, and still rejects unknown ids."""
    words = ("decode", "--model", model, "--bytes")
    result = bpetite(*words, "--ids", "72", "226", "155")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"H\xe2\x9b", b"")
    result = bpetite(*words, "--input", "-", "--output", "out", stdin=b"[255,128]")
    assert (here / "out").read_bytes() == b"\xff\x80"
    figures = {"bytes": 2, "tokens": 2, "bytes_per_token": 1.0}
    assert json.loads(result.stdout) == figures | {"outputs": ["out"]}
    assert lines(result.stderr) == ["saved: out, 2 bytes"]
    assert refused(bpetite(*words, "--ids", "255", "999")) == [UNKNOWN.format(1)]


def test_long_tokens_are_decoded_in_parts() -> None:
    """A block of ids with long tokens is decoded in parts that fit in memory."""
    parts = list(Joined({0: b"a" * 1_000_000}, None).text_of([[0] * 50]))
    assert max(map(len, parts)) <= 1 << 20
    assert sum(map(len, parts)) == 50_000_000


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("place", range(8))
def test_an_array_may_have_any_amount_of_whitespace(
    model: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """Whitespace around an id is accepted, and inside an id rejected, however long it is."""
    monkeypatch.setattr(formats, "_LONGEST_HELD", 100)
    for size in (1, 25, 26, 5000):
        ids = "[72,10]"[:place] + " \t\n\r" * size + "[72,10]"[place:]
        result = bpetite("decode", "--model", model, stdin=ids.encode())
        inside = place in {2, 5}
        assert (result.returncode, result.stdout) == ((1, b"") if inside else (0, b"H\n"))


def test_non_utf_8_text_is_a_usage_error(model: Path) -> None:
    """An argument that is not text is an error; no surrogate gets in. A text is no file."""
    (line,) = refused(bpetite("encode", "--model", model, "Hello world"))
    advice = "No such file or directory (for a text, use --text); check the path"
    assert line == f"error: 'Hello world': {advice}"
    shown = refused(bpetite("encode", "--model", model, "--text", b"a\xff"), 2)
    assert "expected UTF-8 in an argument, found b'a\\xff'; use a file" in shown[0]


@pytest.mark.posix
@pytest.mark.usefixtures("small_memory_buffer")
@pytest.mark.parametrize("words", [300, 100_000])
def test_a_long_result_without_disk_space_is_a_failure(
    model: Path, here: Path, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    """A result in a temporary file fits into Python's buffer or not; the error suggests a fix."""
    (here / "text").write_bytes(b"abc " * words)
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    with limited_file_size(1000):
        result = bpetite("encode", "--model", model, "--input", here / "text")
    way_out = "set TMPDIR to a folder with more space"
    assert refused(result) == [
        f"error: cannot hold the result in {here}: File too large; {way_out}"
    ]
    assert [path.name for path in here.iterdir()] == ["text"]


def test_a_signal_while_being_written_leaves_partial_output(model: Path, here: Path) -> None:
    """The exit status tells a result cut off by a signal from a complete one."""
    (here / "text").write_bytes(b"Hello world " * 100_000)
    words = ["encode", "--model", str(model), "--input", str(here / "text")]
    whole = bpetite(*words).stdout
    with start(*words, cwd=here) as process:
        assert process.stdout is not None
        first = process.stdout.read(1)  # it writes, and waits for the pipe to be read
        process.terminate()
        output = first + process.stdout.read()
    assert process.returncode == 128 + signal.SIGTERM
    assert output != whole
    assert whole.startswith(output)


TEXT = "Hello 船夫 world\n⛵ <|endoftext|> the end \x1c é\r\n" * 40
NAMES = list(FORMATS)


@pytest.fixture
def folder(small: Path) -> Path:
    """Return the working directory with a tokenizer, a text and its ids."""
    (small / "text").write_bytes(TEXT.encode())
    (small / "ids.json").write_bytes(run("encode", "--input", "text").stdout)
    return small


def run(command: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with the folder's model."""
    return bpetite(command, "--model", "m.json", *words)


def written(name: str, ids: list[int]) -> bytes:
    """Return the ids in a format, written by independent code."""
    match name:
        case "json":
            return json.dumps(ids, separators=(",", ":")).encode() + b"\n"
        case "text":
            return b"".join(b"%d\n" % token_id for token_id in ids)
        case _:
            kind = {"u16": "H", "u32": "I"}[name]
            return struct.pack(f"<{len(ids)}{kind}", *ids)


# What is written, and that it is read back


def test_any_whitespace_separates_ids(folder: Path) -> None:
    """Ids in decimal are read from one line or many."""
    (folder / "ids").write_bytes(b" 72 101\t108\r\n\n108\v111\f")
    assert run("decode", "--input", "ids", "--format", "text").stdout == b"Hello"
    (folder / "ids").write_bytes(b"72")
    assert run("decode", "--input", "ids", "--format", "text").stdout == b"H"


@given(text=TEXTS, size=st.integers(1, 14))
@example(text="a<|endoftext|><|endoftext|> <|endoftext <|endo<|endoftext|>b\n<|endoftext|>", size=5)
@pytest.mark.parametrize("name", NAMES)
def test_blocks_change_nothing(
    model: Path, tmp_path_factory: pytest.TempPathFactory, name: str, text: str, size: int
) -> None:
    """FR-25: however small blocks are, the ids are those of the whole text, and decode to it."""
    folder = tmp_path_factory.getbasetemp()
    (folder / "text").write_bytes(text.encode())
    words = ("--model", str(model), "--format", name, "--force", "--output")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(input_files, "_BLOCK_BYTES", size)
        patch.setattr(pipe, "_CHARACTERS_OF_A_BATCH", size)
        printed("encode text", *words, "ids")
        printed("decode ids", *words, "back")
    assert (folder / "ids").read_bytes() == written(name, Tokenizer.load(model).encode(text))
    assert (folder / "back").read_bytes() == text.encode()


# Several files


@pytest.mark.posix
def test_disk_errors_name_the_file(folder: Path) -> None:
    """The error names the input that cannot be read, though the system does not."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("no /proc/self/mem on this system")
    result = run("encode", "--input", "text", "/proc/self/mem", "--output", "ids")
    assert refused(result) == ["error: /proc/self/mem cannot be read: Input/output error"]
    assert not (folder / "ids").exists()


# What a format cannot represent, and invalid input


@pytest.mark.posix
@pytest.mark.parametrize("name", ["u16", "u32"])
def test_bytes_are_not_sent_to_a_terminal(folder: Path, name: str) -> None:
    """Binary ids could garble a terminal; the error suggests alternatives, and they work."""
    words = ["encode", "--model", "m.json", "--text", "Hi", "--format"]
    message = f"error: refusing to write binary {name} data to a terminal; use --output or redirect"
    assert shown_in_terminal([*words, name], folder) == (1, f"{message}\n")
    assert shown_in_terminal([*words, "text"], folder) == (0, "72\n105\n")


UNKNOWN_ID = "unknown token id {} at position {}; the ids are 0 to 282".format
STRAY_BYTE = "invalid start byte (token id 128 at position 1"
NO_TEXT = "these ids do not decode to UTF-8: {}; use --bytes to write raw bytes".format


@pytest.mark.parametrize(
    ("name", "ids", "complaint"),
    [
        ("--ids", [-1], UNKNOWN_ID(-1, 0)),
        ("--ids", [72, 128], NO_TEXT(f"{STRAY_BYTE})")),
        ("--ids", [226, 155], NO_TEXT("unexpected end of data (token id 226 at position 0)")),
        *((name, [72, 999], UNKNOWN_ID(999, 1)) for name in ("--ids", "json", "text")),
        ("u16", [72, 999], UNKNOWN_ID(999, "1, byte offset 2")),
        ("u32", [72] * 3000 + [4 * 10**9], UNKNOWN_ID(4 * 10**9, "3000, byte offset 12000")),
        ("u16", [72, 128], NO_TEXT(f"{STRAY_BYTE}, byte offset 2)")),
    ],
)
@pytest.mark.usefixtures("block")
def test_invalid_ids_are_rejected(folder: Path, name: str, ids: list[int], complaint: str) -> None:
    """FR-22, FR-23, FR-33: the error names the id, its position, and its offset in a file."""
    if name == "--ids":
        words = [name, *map(str, ids)]
    else:
        (folder / "ids").write_bytes(written(name, ids))
        words = ["--input", "ids", "--format", name]
    for more in ([], ["--output", "back"]):
        assert refused(run("decode", *words, *more)) == [f"error: {complaint}"]
        assert not (folder / "back").exists()


NO_ARRAYS = [
    *((content, content.decode()) for content in (b"", b"72 101", b"{}")),
    *((b"[%b]" % word, word.decode()) for word in (b"true", b"72.0", b'"72"', b"007", b"[72]")),
    *((bad, "nothing between two commas or brackets") for bad in (b"[72,]", b"[72,,1]", b"[,]")),
    *((content, "the end, without a ]") for content in (b"[72", b"[", b"[" * 100_000)),
    *((b"[72]]", "72]"), (b"[72] 5", "5"), (b"[72] [5,6]", "72] [5")),
    *((b"[72,-0]", "-0"), (b"[72,-00]", "-00"), (b"[" + b"1" * 31 + b"]", "1" * 31)),
    *((b"[" + b"9" * 5000 + b"]", "9" * 40), (b"[" + b"9" * 3_000_000, "9" * 40)),
    *((b"[\xff]", "\xff"), ("[é]".encode(), "\xc3\xa9")),
]
ARRAY = "expected a JSON array of token ids such as [72,101], found {}"
NO_DECIMALS = [
    *((b"[72,101]", "[72,101]", 0), (b"72 101, 108", "101,", 3), (b"72 -1", "-1", 3)),
    *((b"72 1_0", "1_0", 3), (b"72\n+7", "+7", 3), (b"72 \xd9\xa3", "\\xd9\\xa3", 3)),
    *((b"72 1.0 x", "1.0", 3), (b"0" * 31, "0" * 31, 0), (b"H\0e\0", "H\\x00e\\x00", 0)),
    *((b"72 " * 5000 + word * 20_000, word.decode() * 40, 15_000) for word in (b"x", b"9")),
]
DECIMALS = "expected decimal token ids separated by whitespace, found '{}' at byte offset {}"
CUT = "the last id, at byte offset {}, is incomplete: {} takes {} bytes per id, and there are"
ADVICE = {
    "json": "`bpetite encode` writes such an array; to read its other formats, use --format",
    "text": "`bpetite encode --format text` writes this format",
}
COMPLETE = "check that the file is complete and was written with --format "


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        *(
            ("json", content, ARRAY.format(repr(found.encode("latin-1"))[1:]))
            for content, found in NO_ARRAYS
        ),
        *(("text", content, DECIMALS.format(*found)) for content, *found in NO_DECIMALS),
        *(
            (name, b"\0" * size, f"{CUT.format(offset, name, width)} {size:,} bytes")
            for name, size, width, offset in (
                *(("u16", 7, 2, 6), ("u16", 20_001, 2, 20_000)),
                *(("u32", 3, 4, 0), ("u32", 6, 4, 4)),
            )
        ),
    ],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.usefixtures("block")
def test_files_without_ids_are_rejected(
    folder: Path, name: str, content: bytes, error: str
) -> None:
    """FR-33: the error names what was expected, what was found, and suggests a way out."""
    (folder / "ids").write_bytes(content)
    words = ("decode", "--input", "ids", "--format", name)
    assert refused(run(*words)) == [f"error: ids: {error}", ADVICE.get(name, COMPLETE + name)]


@pytest.mark.posix
def test_endless_input_ends(folder: Path) -> None:
    """A device without an end is rejected in each format."""
    for name in ("json", "text"):
        (line, _) = refused(run("decode", "--input", "/dev/zero", "--format", name))
        assert "standard input" not in line


# Results that go to a file


def test_output_files_get_ids_and_stdout_a_summary(folder: Path) -> None:
    """With `--output`, the file has the bytes of standard output, which gets a summary."""
    plain = run("encode", "--input", "text", "--format", "u16").stdout
    result = run("encode", "--input", "text", "--format", "u16", "--output", "ids")
    assert result.returncode == 0
    assert (folder / "ids").read_bytes() == plain
    assert run("encode", f"--text={TEXT}", "--format", "u16").stdout == plain
    tokens, size = len(plain) // 2, len(TEXT.encode())
    figures = {"bytes": size, "tokens": tokens, "bytes_per_token": round(size / tokens, 4)}
    more = {"separators": 0, "format": "u16", "file_bytes": len(plain)}
    assert json.loads(result.stdout) == {"files": 1, **figures, "outputs": ["ids"], **more}
    assert lines(result.stderr) == [f"saved: ids, {tokens:,} tokens as u16, {in_units(2 * tokens)}"]
    result = run("decode", "--input", "ids", "--format", "u16", "--output", "back")
    assert json.loads(result.stdout) == {**figures, "outputs": ["back"]}
    assert lines(result.stderr) == [f"saved: back, {in_units(size)} of text"]


COMMANDS = {"encode": ("--input", "text", "--format", "u32"), "decode": ("--input", "ids.json")}


@pytest.mark.parametrize("command", [*COMMANDS, "chunks"])
@pytest.mark.parametrize("output", ["", "--output out", "--output out --force"])
@pytest.mark.usefixtures("block")
def test_failing_half_way_leaves_nothing(folder: Path, command: str, output: str) -> None:
    """An error in the last byte of a file prints nothing, and leaves the old file, or none."""
    (folder / "text").write_bytes(b"Hello world " * 1000 + b"\xff")
    (folder / "ids.json").write_bytes(b"[" + b"72," * 5000 + b"999]")
    if "--force" in output:
        (folder / "out").write_bytes(b"old")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    words = ("--model", "m.json", *COMMANDS[command]) if command in COMMANDS else ("b.txt", "text")
    assert refused(bpetite(command, *words, *output.split()))[0].startswith("error: ")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.posix
def test_full_disk_leaves_no_output(folder: Path) -> None:
    """An output file that cannot grow is named and removed."""
    (folder / "text").write_bytes(b"abc " * 1000)
    before = sorted(folder.iterdir())
    with limited_file_size(1000):
        result = run("encode", *COMMANDS["encode"], "--output", "out")
    assert refused(result) == ["error: out: File too large; choose a disk that allows larger files"]
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("small_memory_buffer")
@pytest.mark.parametrize("command", COMMANDS)
def test_long_files_need_no_temporary_files(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saving needs space only for the output: the folder for temporary files may be missing."""
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
    result = run(command, *COMMANDS[command])
    assert (result.returncode, result.stdout) == (1, b"")
    result = run(command, *COMMANDS[command], "--output", "out")
    assert (result.returncode, (folder / "out").exists()) == (0, True), result.stderr.decode()
