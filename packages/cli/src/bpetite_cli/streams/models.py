"""Load and save tokenizer files, and report what is wrong with them."""

from collections.abc import Iterator
from contextlib import contextmanager

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._files import quoted
from bpetite_cli.streams.failure import Failure, explain
from bpetite_cli.streams.other_files import other_file_message

__all__ = ["about_model", "load_artifact", "load_model", "save_artifact"]


def load_model(path: str) -> Tokenizer:
    """Load a tokenizer, or say why it cannot be."""
    with about_model(path):
        return Tokenizer.load(path)


def load_artifact(path: str) -> Artifact:
    """Load a tokenizer with its merges and tokens, or say why it cannot be."""
    with about_model(path):
        return Artifact.read(path)


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> str:
    """Save a tokenizer and return the digest of its file, or say why it cannot be."""
    try:
        return artifact.write(path, overwrite=force)
    except (OSError, ValueError) as error:
        message = f"saving the tokenizer: {explain(error)}"
        raise Failure(message) from None


@contextmanager
def about_model(path: str) -> Iterator[None]:
    """Turn what the core raises of a tokenizer file into failures that say what to do.

    Errors about anything else pass.
    """
    try:
        yield
    except FileNotFoundError as error:
        if error.filename != path:
            raise
        message = f"there is no model {quoted(path)}; `bpetite train` makes one"
        raise Failure(message) from None
    except (KeyError, ValueError) as error:
        told = str(next(iter(error.args), ""))
        reason = told.removeprefix(quoted(path))  # the core's messages begin with the path
        if reason == told:
            raise
        if reason.startswith(": ") and (other := other_file_message(path)):
            raise Failure(other) from None
        message = f"this model cannot be used: {quoted(path)}{reason}"
        raise Failure(message) from None
