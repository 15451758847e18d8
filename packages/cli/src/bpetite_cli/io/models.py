"""Load and save tokenizer files, with errors that explain what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from bpetite._inner import Artifact, FileError, quoted, read_file
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.kinds import other_file_message
from bpetite_cli.tips import FOR_A_MODEL


def load_artifact(path: str) -> Artifact:
    """Load a tokenizer file."""
    return load_file(path)[0]


def load_file(path: str) -> tuple[Artifact, bytes]:
    """Load a tokenizer file, and return its content, too."""
    with about_model(path):
        data = read_file(path)
        return Artifact.of_bytes(data, path), data


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> str:
    """Save a tokenizer and return the digest of its file."""
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


@contextmanager
def about_model(path: str) -> Iterator[None]:
    """Turn the core's errors about a tokenizer file into messages with advice.

    Other errors pass through.
    """
    try:
        yield
    except (FileNotFoundError, IsADirectoryError) as error:
        if error.filename != path:
            raise
        wrong, way_out = "tokenizer file not found", " (create one with `bpetite train`)"
        if isinstance(error, IsADirectoryError):
            wrong = "not a tokenizer file but a folder"
            way_out = " (create one with `bpetite import`)"
        elif not path.endswith(".json"):
            way_out = f"\n{FOR_A_MODEL}"
        raise Failure(f"{wrong}: {quoted(path)}{way_out}") from None
    except FileError as error:
        if error.path != path:
            raise
        if error.fault != "file" and (other := other_file_message(path)):
            raise Failure(other) from None
        message = f"cannot use this tokenizer file: {error.args[0]}"
        if error.fault == "json":
            data = read_file(path).strip()
            if not data or (data.startswith(b"{") and not data.endswith(b"}")):
                message += "\nit ends too early: copy it again, or train it again"
        raise Failure(message) from None
