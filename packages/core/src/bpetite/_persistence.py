"""The specification's `save` and `load`, on top of `Artifact`; for errors, see `Tokenizer`."""

import os
from collections.abc import Mapping, Sequence

from bpetite._artifact import Artifact


def save(
    path: str | os.PathLike[str],
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[int, int]],
    special_tokens: Mapping[str, int],
    overwrite: bool = False,
) -> None:
    """Write a tokenizer file, if its parts agree."""
    artifact = Artifact.of_merges(merges)
    if artifact.vocab != dict(vocab) or artifact.special_tokens != dict(special_tokens):
        raise ValueError("the vocabulary and the special tokens must match the merges")
    artifact.write(path, overwrite=overwrite)


def load(
    path: str | os.PathLike[str],
) -> tuple[dict[int, bytes], Sequence[tuple[int, int]], dict[str, int]]:
    """Return the vocabulary, merges and special tokens of a file of schema version 1."""
    artifact = Artifact.read(path)
    if (version := artifact.schema_version) != 1:  # its pattern would be lost
        raise ValueError(
            f"schema_version: expected 1; Tokenizer.load reads the others, found {version}"
        )
    return artifact.vocab, artifact.merges, artifact.special_tokens
