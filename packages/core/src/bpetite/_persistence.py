"""`save` and `load` as the specification defines them: `_artifact`, in separate parts."""

import os
from collections.abc import Mapping, Sequence

from bpetite._artifact import Artifact

__all__ = ["load", "save"]


def save(
    path: str | os.PathLike[str],
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[int, int]],
    special_tokens: Mapping[str, int],
    overwrite: bool = False,
) -> None:
    """Write a tokenizer file, whole or not at all; `Tokenizer.save` says more.

    Raises:
        ValueError: the vocabulary or the special tokens are not those of these merges.
    """
    artifact = Artifact.of_merges(merges)
    if artifact.vocab != dict(vocab) or artifact.special_tokens != dict(special_tokens):
        message = "the vocabulary and the special tokens must match the merges"
        raise ValueError(message)
    artifact.write(path, overwrite=overwrite)


def load(
    path: str | os.PathLike[str],
) -> tuple[dict[int, bytes], Sequence[tuple[int, int]], dict[str, int]]:
    """Return vocab, merges and special tokens of a file; `Tokenizer.load` says more."""
    artifact = Artifact.read(path)
    return artifact.vocab, artifact.merges, artifact.special_tokens
