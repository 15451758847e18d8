"""Load and save tokenizer files, and report what is wrong with them."""

from collections.abc import Iterator
from contextlib import contextmanager

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_cli.streams.failure import Failure, explain, quoted

__all__ = ["load_artifact", "load_model", "save_artifact"]


def load_model(path: str) -> Tokenizer:
    """Load a tokenizer, or say why it cannot be."""
    with _reporting(path):
        return Tokenizer.load(path)


def load_artifact(path: str) -> Artifact:
    """Load a tokenizer with its merges and tokens, or say why it cannot be."""
    with _reporting(path):
        return Artifact.read(path)


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> None:
    """Save a tokenizer, or say why it cannot be."""
    try:
        artifact.write(path, overwrite=force)
    except (OSError, ValueError) as error:
        message = f"saving the tokenizer: {explain(error)}"
        raise Failure(message) from None


@contextmanager
def _reporting(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        message = f"there is no model {quoted(path)}; `bpetite train` makes one"
        raise Failure(message) from None
    except (KeyError, ValueError) as error:
        message = f"this model cannot be used: {explain(error)}"
        raise Failure(message) from None
