"""Load and save tokenizer files, with errors that explain what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._quoting import quoted
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.guesses import other_file_message


def load_model(path: str) -> Tokenizer:
    """Load a tokenizer."""
    return Tokenizer._of(load_artifact(path))


def load_artifact(path: str) -> Artifact:
    """Load a tokenizer with its merges and tokens."""
    with about_model(path):
        return Artifact.read(path)


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> str:
    """Save a tokenizer and return the digest of its file."""
    try:
        return artifact.write(path, overwrite=force)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot save the tokenizer: {explain(error)}") from None


@contextmanager
def about_model(path: str) -> Iterator[None]:
    """Turn the core's errors about a tokenizer file into messages with advice.

    Other errors pass through.
    """
    try:
        yield
    except FileNotFoundError as error:
        if error.filename != path:
            raise
        raise Failure(
            f"tokenizer file not found: {quoted(path)} (create one with `bpetite train`)"
        ) from None
    except (KeyError, ValueError) as error:
        text = str(next(iter(error.args), ""))
        reason = text.removeprefix(quoted(path))  # the core's messages start with the path
        if reason == text:
            raise
        if reason.startswith(": ") and (other := other_file_message(path)):
            raise Failure(other) from None
        raise Failure(f"cannot use this tokenizer file: {quoted(path)}{reason}") from None
