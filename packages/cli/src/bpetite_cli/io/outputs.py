"""The way out: results go to standard output, or to the file of `--output`.

Data is written completely or not at all; pictures are written as they come. Before the work,
a command checks that its result can be written, and that nothing else is lost by it.
"""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from select import select
from typing import IO, Final, TextIO

from bpetite._inner import check_not_an_input, check_writable, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io.inputs import STANDARD_INPUT

_HELD_IN_MEMORY: Final = 1 << 24
_BLOCK_BYTES: Final = 1 << 20
_WITH_OTHERS: Final = ("vocab.json", "merges.txt", ".model", ".tiktoken")
_CONFIGURATIONS: Final = ("tokenizer_config.json", "added_tokens.json")
_OF_MODELS: Final = ("tokenizer.json", ".gguf", *_WITH_OTHERS, *_CONFIGURATIONS)
"""How names of the files end that a model's folder has; the folder is an input then.

So is that of one of the first, which lack what the others have.
"""

FORMAT: Final = ContextVar[str | None]("output format", default=None)
"""What `--output-format` says, if it is given."""


def check_output() -> None:
    """Raise an error before the work if the result could not be written."""
    if sys.stdout is None:
        raise Failure("standard output is closed; redirect it to a file or a program")


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether standard output or standard error is a terminal."""
    return stream is not None and stream.isatty()


def wants_color(stream: TextIO) -> bool:
    """Return whether a stream shows colors: NO_COLOR and FORCE_COLOR win, in this order."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def wants_json() -> bool:
    """Return whether a result is JSON: a program gets it, and a terminal gets lines for people."""
    chosen = FORMAT.get()
    return chosen == "json" if chosen else not is_terminal(sys.stdout)


def json_line(data: Mapping[str, object]) -> bytes:
    """Return a line of JSON Lines."""
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def write_json(data: Mapping[str, object]) -> None:
    """Write one JSON object and a newline to standard output."""
    write_output([json.dumps(data).encode("ascii"), b"\n"])


def write_object(data: Mapping[str, object], lines: Iterable[str]) -> None:
    """Write one JSON object, or lines for people."""
    if wants_json():
        write_json(data)
    else:
        stream_output(lines)


def write_output(parts: Iterable[bytes]) -> None:
    """Write the parts to standard output once all of them exist.

    So a failure half way writes nothing that another program could mistake for a complete
    result.
    """
    with held(parts) as result:
        send(result)


def held(parts: Iterable[bytes]) -> IO[bytes]:
    """Return a complete result that waits for standard output; a long one is in a file."""
    check_output()
    file = tempfile.SpooledTemporaryFile(max_size=_HELD_IN_MEMORY)  # noqa: SIM115 - it is returned
    try:
        for part in parts:
            try:
                file.write(part)
            except OSError as error:
                raise _no_space(error) from None
        try:
            file.seek(0)  # writes the rest of the buffer
        except OSError as error:
            raise _no_space(error) from None
    except BaseException:
        with suppress(OSError):  # closing tries to write the buffer again
            file.close()
        raise
    return file


def write_rows(rows: Iterable[str], data: Iterable[Mapping[str, object]]) -> None:
    """Write rows for people, or JSON Lines."""
    if wants_json():
        write_output(map(json_line, data))
    else:
        stream_output(rows)


def _no_space(error: OSError) -> Failure:
    return Failure(
        f"cannot hold the result in {quoted(tempfile.gettempdir())}: "
        f"{error.strerror}; set TMPDIR to a folder with more space"
    )


def stream_output(parts: Iterable[str]) -> None:
    """Write each part to standard output as it comes, for a person to look at.

    A failure half way leaves the earlier parts visible.
    """
    for part in parts:
        send(io.BytesIO(part.encode("utf-8")))


def send(data: IO[bytes]) -> None:
    """Write data to standard output."""
    sys.stdout.flush()
    try:
        # Without a buffer, as closing one would wait for the reader, even after a signal.
        with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as output:
            while block := data.read(_BLOCK_BYTES):
                rest = memoryview(block)
                while rest:  # one call may write less, or nothing to a full pipe
                    size = output.write(rest)
                    if size is None:  # it does not block
                        select([], [output], [])
                    else:
                        rest = rest[size:]
    except OSError as error:
        raise _output_lost(error) from None


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


def check_destination(path: str | None, inputs: Sequence[str], *, force: bool) -> None:
    """Reject a path that cannot be written, or that would overwrite an input or other file."""
    if path is None:
        return
    if not os.path.basename(path):
        raise Failure(f"{quoted(path)} does not name a file; add a file name")
    if os.path.exists(path) and not os.path.isfile(path):
        raise Failure(
            f"{quoted(path)} is not a regular file and cannot be replaced; choose another file"
        )
    if os.path.lexists(path):
        for name, stream in (("standard output", sys.stdout), ("standard error", sys.stderr)):
            with suppress(OSError):  # a dangling link, or a stream without a file
                if stream and os.path.samestat(os.stat(path), os.fstat(stream.fileno())):
                    raise Failure(
                        f"{quoted(path)} is also {name} and would be overwritten; choose another "
                        "output"
                    )
        if not force:
            raise Failure(
                f"{quoted(path)} already exists; use --force to replace it, or choose another file"
            )
        name = os.path.basename(path)
        folders = [*inputs, *(os.path.dirname(one) for one in inputs if one.endswith(_WITH_OTHERS))]
        inside = [os.path.join(one, name) for one in folders if name.endswith(_OF_MODELS)]
        sources = [0 if source == STANDARD_INPUT else source for source in inputs]
        check_not_an_input(path, [*sources, *inside])
    destination = os.path.realpath(path)
    folder = os.path.dirname(destination)
    if not os.path.isdir(folder):
        raise Failure(f"{quoted(path)}: folder {quoted(folder)} does not exist; create it first")
    with suppress(FileNotFoundError):
        os.stat(destination)  # raises an error if a name is too long
    try:
        check_writable(path, overwrite=force)
    except OSError as error:
        raise Failure(
            f"{quoted(path)}: cannot create a file in {quoted(folder)}: {error.strerror}; "
            "choose another folder"
        ) from None


def check_destination_folder(path: str, *, force: bool) -> None:
    """Reject a path that cannot be a folder, or whose files would be overwritten."""
    if not os.path.lexists(path):
        return
    if not os.path.isdir(path):
        raise Failure(
            f"{quoted(path)} is not a folder and cannot be replaced; choose another output"
        )
    if os.listdir(path) and not force:
        raise Failure(f"{quoted(path)} is not empty; use --force to replace files in it")
