"""Load and save tokenizer files, with errors that explain what is wrong."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Self

from bpetite._inner import Artifact, FileError, quoted, read_file
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.kinds import other_file_message
from bpetite_cli.tips import model_tip


class Model(Artifact):
    """A tokenizer as people see it: its tokens by id, and the file that it comes from.

    file_bytes: the size of the file in bytes.
    sha256: the digest of the file, in hex.
    """

    file_bytes: int
    sha256: str

    @classmethod
    def of(cls, artifact: Artifact) -> Self:
        """Return an artifact that comes from no file."""
        pattern, names = artifact.pattern, artifact.special_names
        return cls(artifact.merges, artifact.tokens, pattern, names, artifact.numbering)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each id."""
        return {token_id: number for number, token_id in enumerate(self.ids)}

    @property
    def smallest(self) -> int:
        """The size without merges, where completed tokens are whole again."""
        return len(self.tokens) - len(self.merges) + len(self.completed)

    def is_special(self, token_id: int) -> bool:
        """Return whether this is the id of a special token."""
        return self.numbers[token_id] >= len(self.tokens)

    def merge_of(self, token_id: int) -> tuple[int, tuple[int, int]] | None:
        """Return the rank of the merge that makes an id, and the two ids that it joins, if any."""
        rank = self.numbers[token_id] - 256
        if not 0 <= rank < len(self.merges):
            return None
        left, right = self.merges[rank]
        return rank, (self.ids[left], self.ids[right])


def load_artifact(path: str) -> Model:
    """Load a tokenizer with its merges and tokens."""
    with about_model(path):
        data = read_file(path)
        model = Model.of_bytes(data, path)
    model.file_bytes, model.sha256 = len(data), hashlib.sha256(data).hexdigest()
    return model


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> str:
    """Save a tokenizer and return the digest of its file."""
    try:
        return artifact.write(path, overwrite=force, keep=True)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot save the tokenizer: {explain(error)}") from None


def check_size(artifact: Model, size: int, cannot: str) -> None:
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
            way_out = f"\n{model_tip(path)}"
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
