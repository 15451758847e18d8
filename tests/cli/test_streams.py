"""Standard streams that do not block, as some programs leave them: nothing is lost."""

import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import pytest

from cli_tools import bpetite, start, wait_for, without_times

if sys.platform != "win32":
    import fcntl
    import termios

pytestmark = pytest.mark.posix

PARTS: Final = ("low é", "⛵ low\r\nlowest ", "船夫 low\n")
ROWS: Final = ('{"text": "low ', 'é⛵", "count": 2}\n{"text": "low', '", "count": 3}\n')
MODEL: Final = "--model tokenizer.json"
CALLS: Final = {
    f"count {MODEL}": PARTS,
    f"count {MODEL} --files-from -": ("te", "xt.txt\nids.json", "\n"),
    f"decode {MODEL}": ("[72,1", "01,256", "]"),
    f"decode {MODEL} --format u16": ("H", "\0", "e\0"),
    "train --vocab-size 262 --force --output new --counts -": ROWS,
}
"""Calls that read standard input, each with what arrives there, part by part."""
EVERYDAY: Final = (f"count {MODEL}", f"decode {MODEL}")


@contextmanager
def pipe_without_blocking(end: int) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Make a pipe with one end, 0 or 1, that does not block."""
    ends = os.pipe()
    os.set_blocking(ends[end], False)
    with open(ends[0], "rb", buffering=0) as read, open(ends[1], "wb", buffering=0) as write:
        yield read, write


def unread(pipe: BinaryIO) -> int:
    """Return how many bytes wait in a pipe."""
    number: int = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
    return number


@pytest.mark.parametrize(
    "words",
    [pytest.param(words, marks=[pytest.mark.thorough][words in EVERYDAY :]) for words in CALLS],
)
def test_input_that_does_not_block_is_read_to_its_end(folder: Path, words: str) -> None:
    """A part that comes after the earlier ones were read counts as if all had come at once."""
    expected = bpetite(*words.split(), stdin="".join(CALLS[words]).encode())
    with (
        pipe_without_blocking(0) as (theirs, ours),
        start(*words.split(), cwd=folder, stdin=theirs) as process,
    ):
        for part in CALLS[words]:
            ours.write(part.encode())
            wait_for(lambda: not unread(theirs))
        ours.close()
        output, errors = process.communicate(timeout=60)
    assert process.returncode == expected.returncode
    assert without_times(output) == without_times(expected.stdout) != b""
    assert without_times(errors) == without_times(expected.stderr)


def test_output_that_does_not_block_is_complete(folder: Path) -> None:
    """A command waits for a full pipe that does not block, and every byte of its result arrives."""
    (folder / "long").write_text("lowest é⛵ " * 8_000)
    call = ("encode", "--model", "tokenizer.json", "long")
    expected = bpetite(*call).stdout
    with (
        pipe_without_blocking(1) as (ours, theirs),
        start(*call, cwd=folder, stdout=theirs) as process,
    ):
        theirs.close()
        wait_for(lambda: unread(ours) >= 4096)
        output = ours.read()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert output == expected
