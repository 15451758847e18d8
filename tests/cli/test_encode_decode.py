"""`bpetite encode` and `bpetite decode`, from the command line."""

import json
import shlex
import signal
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
from bpetite_cli.commands.decode import Joined
from bpetite_cli.errors import Failure
from bpetite_cli.io import formats
from cli_tools import bpetite, limited_file_size, lines, printed, refusal, refused, start

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
    found = Joined(TOKENS, None).bytes_of(blocks)
    assert list(filter(None, found)) == expected


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
    """An argument that is not text is an error; no surrogate gets in."""
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
