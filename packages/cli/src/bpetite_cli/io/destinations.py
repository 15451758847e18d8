"""Check before the work that a file can be written, and that nothing else is lost by it."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from bpetite._inner import check_no_input, check_writable, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io.inputs import STANDARD_INPUT


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
        _check_no_output(path)
        if not force:
            raise Failure(
                f"{quoted(path)} already exists; use --force to replace it, or choose another file"
            )
        check_no_input(path, (0 if source == STANDARD_INPUT else source for source in inputs))
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


def _check_no_output(path: str) -> None:
    """Reject the file that a standard stream goes to: what is printed would be lost."""
    for name, stream in (("standard output", sys.stdout), ("standard error", sys.stderr)):
        with suppress(OSError):  # a dangling link, or a stream without a file
            if stream and os.path.samestat(os.stat(path), os.fstat(stream.fileno())):
                raise Failure(
                    f"{quoted(path)} is also {name} and would be overwritten; choose another output"
                )
