"""Check before a long job whether its result can be saved."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from bpetite._files import quoted
from bpetite_cli.streams.failure import Failure
from bpetite_cli.streams.inputs import STANDARD_INPUT

__all__ = ["check_destination", "check_destination_folder"]


def check_destination(path: str, inputs: Sequence[str], *, force: bool) -> None:
    """Reject a path that cannot be written, or that would overwrite an input or other file."""
    if not os.path.basename(path):
        message = f"{quoted(path)} does not name a file; add a file name"
        raise Failure(message)
    if os.path.exists(path) and not os.path.isfile(path):
        message = (
            f"{quoted(path)} is not a regular file and cannot be replaced; choose another file"
        )
        raise Failure(message)
    if os.path.lexists(path):
        if not force:
            message = (
                f"{quoted(path)} already exists; use --force to replace it, or choose another file"
            )
            raise Failure(message)
        _check_no_input(path, inputs)
    destination = os.path.realpath(path)
    folder = os.path.dirname(destination)
    if not os.path.isdir(folder):
        message = f"{quoted(path)}: folder {quoted(folder)} does not exist; create it first"
        raise Failure(message)
    with suppress(FileNotFoundError):
        os.stat(destination)  # raises an error if a name is too long
    # Only the system knows whether a file can be created there: create one and delete it.
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".bpetite-", suffix=".tmp"):
            pass
    except OSError as error:
        message = (
            f"{quoted(path)}: cannot create a file in {quoted(folder)}: {error.strerror}; "
            "choose another folder"
        )
        raise Failure(message) from None


def check_destination_folder(path: str, *, force: bool) -> None:
    """Reject a path that cannot be a folder, or whose files would be overwritten."""
    if not os.path.lexists(path):
        return
    if not os.path.isdir(path):
        message = f"{quoted(path)} is not a folder and cannot be replaced; choose another output"
        raise Failure(message)
    if os.listdir(path) and not force:
        message = f"{quoted(path)} is not empty; use --force to replace files in it"
        raise Failure(message)


def _check_no_input(path: str, inputs: Sequence[str]) -> None:
    """Reject an output that is also an input."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return  # a dangling link
    for source in inputs:
        try:
            source_status = os.fstat(0) if source == STANDARD_INPUT else os.stat(source)
        except FileNotFoundError:
            continue  # loading it reports the missing file
        if os.path.samestat(status, source_status):
            message = (
                f"{quoted(path)} is also an input and would be overwritten; choose another output"
            )
            raise Failure(message)
