"""Write bytes to standard output: data completely or not at all, pictures as they come."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from io import FileIO
from select import select
from typing import IO, Final

from bpetite._files import quoted
from bpetite_cli.streams.failure import Failure
from bpetite_cli.streams.inputs import Advance

_HELD_IN_MEMORY: Final = 1 << 24
_BLOCK_BYTES: Final = 1 << 20


def check_output() -> None:
    """Raise an error before the work if the result could not be written."""
    if sys.stdout is None:
        message = "standard output is closed; redirect it to a file or a program"
        raise Failure(message)


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def write_output(parts: Iterable[bytes]) -> None:
    """Write the parts to standard output once all of them exist.

    So a failure half way writes nothing that another program could mistake for a complete
    result. A long result waits in a temporary file.
    """
    send_output(hold_output(parts))


def write_json(data: Mapping[str, object]) -> None:
    """Write one JSON object and a newline to standard output."""
    write_output([json.dumps(data).encode("ascii"), b"\n"])


def json_line(data: Mapping[str, object]) -> bytes:
    """Return a line of JSON Lines."""
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def hold_output(parts: Iterable[bytes]) -> IO[bytes]:
    """Return the parts as a file, once all of them exist."""
    check_output()
    with ExitStack() as stack:
        held = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=_HELD_IN_MEMORY))
        for part in parts:
            try:
                held.write(part)
            except OSError as error:
                message = (
                    f"cannot hold the result in {quoted(tempfile.gettempdir())}: "
                    f"{error.strerror}; set TMPDIR to a folder with more space"
                )
                raise Failure(message) from None
        held.seek(0)
        stack.pop_all()
        return held


def send_output(held: IO[bytes], advance: Advance | None = None) -> None:
    """Write a held result to standard output, and close it; `advance` gets each size."""
    with held:
        _send(held, advance)


def stream_output(parts: Iterable[str]) -> None:
    """Write each part to standard output as it comes, for a person to look at.

    A failure half way leaves the earlier parts visible.
    """
    check_output()
    for part in parts:
        _send(io.BytesIO(part.encode("utf-8")))


def _send(data: IO[bytes], advance: Advance | None = None) -> None:
    sys.stdout.flush()
    try:
        # Without a buffer, as closing one would wait for the reader, even after a signal.
        with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as output:
            while block := data.read(_BLOCK_BYTES):
                _write_all(output, block)
                if advance is not None:
                    advance(len(block))
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
