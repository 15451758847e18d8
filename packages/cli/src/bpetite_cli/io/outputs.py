"""The way out: results go to standard output, or to the file of `--output`.

Data is written completely or not at all; pictures are written as they come.
"""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from select import select
from typing import IO, Final, NamedTuple

from bpetite._inner import quoted, write_parts
from bpetite_cli.errors import Failure

_HELD_IN_MEMORY: Final = 1 << 24
_BLOCK_BYTES: Final = 1 << 20


def check_output() -> None:
    """Raise an error before the work if the result could not be written."""
    if sys.stdout is None:
        raise Failure("standard output is closed; redirect it to a file or a program")


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def write_output(parts: Iterable[bytes]) -> None:
    """Write the parts to standard output once all of them exist.

    So a failure half way writes nothing that another program could mistake for a complete
    result. A long result waits in a temporary file.
    """
    complete(parts).send()


def write_json(data: Mapping[str, object]) -> None:
    """Write one JSON object and a newline to standard output."""
    write_output([json.dumps(data).encode("ascii"), b"\n"])


def json_line(data: Mapping[str, object]) -> bytes:
    """Return a line of JSON Lines."""
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def write_rows(rows: Iterable[str], data: Iterable[Mapping[str, object]], *, in_json: bool) -> None:
    """Write rows to a terminal, and JSON Lines elsewhere or on request."""
    if in_json or not is_terminal():
        write_output(map(json_line, data))
    else:
        stream_output(rows)


class Result(NamedTuple):
    """A complete result.

    size: the number of its bytes.
    held: where it waits for standard output, or None if it is in a file.
    end: its last byte if it waits, or nothing.
    """

    size: int
    held: IO[bytes] | None = None
    end: bytes = b""

    def send(self) -> None:
        """Write what waits to standard output, and close it."""
        if self.held is not None:
            with self.held:
                _send(self.held)


def complete(parts: Iterable[bytes], path: str | None = None, *, force: bool = False) -> Result:
    """Return the parts as one result, once all of them exist.

    Args:
        parts: the parts.
        path: the file to write, or None to hold the result for standard output.
        force: whether to replace an existing file.
    """
    if path is not None:
        return Result(write_parts(path, parts, overwrite=force, keep=True))
    check_output()
    size = 0
    end = b""
    file = tempfile.SpooledTemporaryFile(max_size=_HELD_IN_MEMORY)  # noqa: SIM115 - it is returned
    try:
        for part in parts:
            size += len(part)
            end = part[-1:] or end
            with _explained():
                file.write(part)
        with _explained():
            file.seek(0)  # writes the rest of the buffer
    except BaseException:
        with suppress(OSError):  # closing tries to write the buffer again
            file.close()
        raise
    return Result(size, file, end)


@contextmanager
def _explained() -> Iterator[None]:
    """Explain the error of a full disk."""
    try:
        yield
    except OSError as error:
        raise Failure(
            f"cannot hold the result in {quoted(tempfile.gettempdir())}: "
            f"{error.strerror}; set TMPDIR to a folder with more space"
        ) from None


def stream_output(parts: Iterable[str]) -> None:
    """Write each part to standard output as it comes, for a person to look at.

    A failure half way leaves the earlier parts visible.
    """
    check_output()
    for part in parts:
        _send(io.BytesIO(part.encode("utf-8")))


def _send(data: IO[bytes]) -> None:
    sys.stdout.flush()
    try:
        # Without a buffer, as closing one would wait for the reader, even after a signal.
        with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as output:
            while block := data.read(_BLOCK_BYTES):
                _write_all(output, block)
    except OSError as error:
        raise _output_lost(error) from None


def _write_all(output: FileIO, block: bytes) -> None:
    """Write a block; one call may write less, or nothing to a full pipe that does not block."""
    rest = memoryview(block)
    while rest:
        size = output.write(rest)
        if size is None:
            select([], [output], [])
        else:
            rest = rest[size:]


def flush_output() -> None:
    """Flush standard output; at exit, the interpreter would hide a failure."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        # Discard the rest, or the interpreter would try to write it again at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise _output_lost(error) from None


def _output_lost(error: OSError) -> Exception:
    if isinstance(error, BrokenPipeError):
        return error
    return Failure(f"cannot write to standard output: {error.strerror}")
