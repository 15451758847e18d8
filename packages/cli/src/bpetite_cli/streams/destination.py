"""Check before a long job that its result can be saved."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from bpetite._files import quoted
from bpetite_cli.streams.failure import Failure
from bpetite_cli.streams.inputs import STANDARD_INPUT

__all__ = ["check_destination", "check_destination_folder"]


def check_destination(path: str, inputs: Sequence[str], *, force: bool) -> None:
    """Refuse a path at which no result could be saved, or at which something would be lost."""
    if not os.path.basename(path):
        message = f"{quoted(path)} names no file; give --output the name of one"
        raise Failure(message)
    if os.path.exists(path) and not os.path.isfile(path):
        message = f"{quoted(path)} is not a regular file and cannot be replaced; name another file"
        raise Failure(message)
    if os.path.lexists(path):
        if not force:
            message = f"{quoted(path)} exists; use --force to replace it, or name another file"
            raise Failure(message)
        _check_no_input(path, inputs)
    destination = os.path.realpath(path)
    folder = os.path.dirname(destination)
    if not os.path.isdir(folder):
        message = f"{quoted(path)}: there is no folder {quoted(folder)}; make it first"
        raise Failure(message)
    with suppress(FileNotFoundError):
        os.stat(destination)  # finds a name that is too long
    # Whether a file can be made there only the system knows: make one, and take it away.
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
    """Refuse a path at which no folder can be made, or whose files would be lost."""
    if not os.path.lexists(path):
        return
    if not os.path.isdir(path):
        message = f"{quoted(path)} is not a folder and cannot be replaced by one; name another"
        raise Failure(message)
    if os.listdir(path) and not force:
        message = f"{quoted(path)} exists; use --force to replace files in it, or name another"
        raise Failure(message)


def _check_no_input(path: str, inputs: Sequence[str]) -> None:
    """Refuse to replace what is about to be read."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return  # a dangling link
    for source in inputs:
        try:
            source_status = os.fstat(0) if source == STANDARD_INPUT else os.stat(source)
        except FileNotFoundError:
            continue  # a model that is missing, as whoever loads it will say
        if os.path.samestat(status, source_status):
            message = f"{quoted(path)} is also an input and would be lost; name another output"
            raise Failure(message)
