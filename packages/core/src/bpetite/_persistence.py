"""`save` and `load` with the signatures of the specification, on top of `_artifact`."""

import os
from collections.abc import Mapping, Sequence

from bpetite._artifact import Artifact
from bpetite._constants import SCHEMA_VERSION
from bpetite._schema.versions import refuse


def save(
    path: str | os.PathLike[str],
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[int, int]],
    special_tokens: Mapping[str, int],
    overwrite: bool = False,
) -> None:
    """Write a tokenizer file, whole or not at all; see `Tokenizer.save`.

    Raises:
        ValueError: the vocabulary or the special tokens do not match the merges.
    """
    artifact = Artifact.of_merges(merges)
    if artifact.vocab != dict(vocab) or artifact.special_tokens != dict(special_tokens):
        raise ValueError("the vocabulary and the special tokens must match the merges")
    artifact.write(path, overwrite=overwrite)


def load(
    path: str | os.PathLike[str],
) -> tuple[dict[int, bytes], Sequence[tuple[int, int]], dict[str, int]]:
    """Return the vocabulary, merges and special tokens of a file; see `Tokenizer.load`.

    Raises:
        ValueError: the file has another schema version than 1; its pattern would be lost.
    """
    artifact = Artifact.read(path)
    version = artifact.schema_version
    if version != SCHEMA_VERSION:
        refuse("schema_version", f"{SCHEMA_VERSION}; Tokenizer.load reads the others", version)
    return artifact.vocab, artifact.merges, artifact.special_tokens
