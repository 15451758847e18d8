"""Load and save tokenizer files, with errors that explain what is wrong."""

import shlex

from bpetite._inner import Artifact, FileError, quoted, read_file
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.kinds import PLAIN_TEXT, other_kind
from bpetite_cli.tips import FOR_A_MODEL


class OtherFileError(Failure):
    """A folder, or a file that may be a tokenizer of another library."""


def load_file(path: str) -> tuple[Artifact, bytes]:
    """Load a tokenizer file, and return its content, too.

    Raises:
        OtherFileError: it may be another kind of file.
        Failure: it cannot be used; the message has advice.
        OSError: it cannot be read.
    """
    try:
        data = read_file(path)
        return Artifact.of_bytes(data, path), data
    except FileNotFoundError:
        way_out = " (create one with `bpetite train`)"
        if not path.endswith(".json"):
            way_out = f"\n{FOR_A_MODEL}"
        raise Failure(f"tokenizer file not found: {quoted(path)}{way_out}") from None
    except IsADirectoryError:
        raise OtherFileError(f"{quoted(path)} is not a tokenizer file but a folder") from None
    except FileError as error:
        _check_kind(path)
        message = f"cannot use this tokenizer file: {error.args[0]}"
        if error.fault == "json":
            data = data.strip()
            if not data or (data.startswith(b"{") and not data.endswith(b"}")):
                message += "\nit ends too early: copy it again, or train it again"
        raise Failure(message) from None


def _check_kind(path: str) -> None:
    """Raise an error if a file seems to be of another kind."""
    kind = other_kind(path)
    if kind == PLAIN_TEXT:
        command = f"train --input {shlex.quote(path)} --vocab-size 512 --output NEW.json"
        raise Failure(
            f"{quoted(path)} is not a tokenizer file; it looks like plain text\nmake one from it "
            f"with `bpetite {command}`"
        )
    if kind:
        raise OtherFileError(f"{quoted(path)} is not a tokenizer file but {kind}")


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> str:
    """Save a tokenizer and return the hash of its file."""
    try:
        return artifact.write(path, overwrite=force, keep=True)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot save the tokenizer: {explain(error)}") from None


def check_size(artifact: Artifact, size: int, cannot: str) -> None:
    """Check that a tokenizer has a smaller vocabulary of this size."""
    largest = len(artifact.tokens)
    if size > largest:
        raise Failure(f"{cannot} has {largest:,} (train a larger tokenizer with `bpetite train`)")
    if size < (smallest := artifact.smallest):
        raise Failure(
            f"{cannot} keeps its bytes and whole tokens (the smallest size is {smallest:,})"
        )
