"""JSON fields that several commands print, and the functions that make them.

A command declares each object that it prints as a `TypedDict`, with the fields in the order of
printing. Its parser has them as `prints`, by the options that select them, such as "--json"; ""
is the object printed without any. One declaration of a field is annotated with the meaning; others
only repeat the type. If the meaning does not fit another command, widen it. Inherited fields are
printed first. A tuple in the annotation is a keyword of JSON Schema and its value.
`scripts/generate` makes `docs/reference/output.md` and its schema from the declarations.
"""

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias, TypedDict

from bpetite._inner import Artifact

Hex: TypeAlias = Annotated[str, ("pattern", "^([0-9a-f]{2})*$")]
Digest: TypeAlias = Annotated[str, ("pattern", "^[0-9a-f]{64}$")]


CONTINUING: Final = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that continue a character."""


class Files(TypedDict):
    """How many inputs."""

    files: Annotated[int, "files read; the figures are their sum"]


class Documents(Files):
    """How many inputs, and the documents in them that were left out."""

    skipped: Annotated[
        Mapping[str, int] | None,
        "documents left out by `--skip-invalid`, by reason; null without it",
    ]


class InputSize(Documents):
    """How many inputs, and how many bytes."""

    bytes: int


class TextSize(TypedDict):
    """How much text."""

    bytes: Annotated[int, "bytes of the text in UTF-8; with `decode --bytes`, of the tokens"]
    tokens: Annotated[int, "tokens of the text"]
    bytes_per_token: Annotated[float | None, "`bytes` / `tokens`"]


class Encoded(TypedDict):
    """What encoded the text."""

    engine: Annotated[str, "what encoded the text: bpetite, tiktoken and its version, or both"]


class Outputs(TypedDict):
    """What was written."""

    outputs: Annotated[list[str], "the paths of the files written"]


class Token(TypedDict):
    """A token."""

    id: Annotated[int, "the id of the token"]
    hex: Annotated[Hex, "the bytes of the token"]
    text: Annotated[str | None, "the text of the token or chunk; null for incomplete characters"]


class VocabSize(TypedDict):
    """The size of a vocabulary."""

    vocab_size: Annotated[int, "mergeable tokens: 256 bytes, the merges and any whole tokens"]


class TokenizerContent(TypedDict):
    """The ids, merges, pattern, special tokens and hash of a tokenizer file."""

    rows: Annotated[int, "rows that a model needs: the highest id plus one"]
    merges: Annotated[int, "merges of the tokenizer"]
    pattern: Annotated[str, "the name of the split pattern"]
    special_tokens: Annotated[Mapping[str, int], "the id of each special token"]
    sha256: Annotated[Digest, "the hash of the tokenizer file in hex; with `chunks`, of the output"]


class TokenizerFile(VocabSize, TokenizerContent):
    """The same, and the number of mergeable tokens."""


def ratio(part: int, whole: int) -> float | None:
    """Return a quotient with four decimals, or None if there is nothing to divide by.

    >>> ratio(10, 3), ratio(0, 0)
    (3.3333, None)
    """
    return round(part / whole, 4) if whole else None


def text_fields(size: int, tokens: int) -> TextSize:
    """Return the numbers of bytes and tokens of a text, and their ratio."""
    return {"bytes": size, "tokens": tokens, "bytes_per_token": ratio(size, tokens)}


def text_of(token: bytes) -> str | None:
    """Return the text of a token, or None if it is not complete characters."""
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def token_fields(token_id: int, token: bytes) -> Token:
    """Return a token: its id, its bytes in hex, and its text."""
    return {"id": token_id, "hex": token.hex(), "text": text_of(token)}


def tokenizer_fields(artifact: Artifact, sha256: str) -> TokenizerFile:
    """Return the fields of a tokenizer and the hash of its file."""
    return {"vocab_size": len(artifact.tokens), **content_fields(artifact, sha256)}


def content_fields(artifact: Artifact, sha256: str) -> TokenizerContent:
    """Return the same without the number of mergeable tokens."""
    return {
        "rows": max(artifact.ids) + 1,
        "merges": len(artifact.merges),
        "pattern": artifact.pattern.name,
        "special_tokens": artifact.special_tokens,
        "sha256": sha256,
    }
