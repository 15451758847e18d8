"""Read the list of files that `--files-from` names."""

import os

from bpetite_cli.streams.failure import Failure
from bpetite_cli.streams.inputs import name_of, open_input, read_blocks, split_at


def read_list(path: str, *, null: bool) -> list[str]:
    r"""Return the paths in a list, decoded like command-line arguments.

    Args:
        path: the list; `-` is standard input.
        null: whether paths end with a NUL byte instead of `\n` or `\r\n`.
    """
    paths: list[str] = []
    with open_input(path) as file:
        parts = split_at(b"\0" if null else b"\n", read_blocks(path, file))
        for number, part in enumerate(parts, 1):
            if listed := part if null else part.removesuffix(b"\r"):
                _check(listed, path, number)
                paths.append(os.fsdecode(listed))
    if not paths:
        message = f"{name_of(path)} lists no files; add at least one"
        raise Failure(message)
    return paths


def _check(listed: bytes, path: str, number: int) -> None:
    """Reject a path that could not be an argument."""
    if b"\0" in listed:
        message = f"{name_of(path)}, line {number} contains a NUL byte; use --null"
        raise Failure(message)
    try:
        listed.decode("utf-8")
    except UnicodeDecodeError:
        message = f"{name_of(path)}, entry {number} is not UTF-8: {listed[:80]!r}; rename the file"
        raise Failure(message) from None
