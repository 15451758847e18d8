"""Count the tokens of files in a model and in several encodings of tiktoken.

The figures show how many tokens these files have. They do not show how good a tokenizer is
for anything else.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import tiktoken

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._encodings import cuts_safely, encode, get_encoding, ranks_of
from bpetite_compare._text import blocks

__all__ = ["REPORT_ENCODINGS", "Report", "ReportRow", "report"]

REPORT_ENCODINGS: Final = ("gpt2", "cl100k_base", "o200k_base")
"""The encodings of a report, unless others are asked for."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """How one tokenizer does.

    name: whose row it is; the model's is "bpetite".
    tokens: how many tokens the files have.
    bytes_per_token, tokens_per_character: their ratios, or None where there is no text.
    single_byte_share: which share of the tokens are single bytes.
    vocab_size: how many mergeable tokens there are.
    shared: how many of them the model has too.
    """

    name: str
    tokens: int
    bytes_per_token: float | None
    tokens_per_character: float | None
    single_byte_share: float | None
    vocab_size: int
    shared: int


@dataclass(frozen=True, slots=True)
class Report:
    """How several tokenizers do on files of so many bytes and characters."""

    files: int
    bytes: int
    characters: int
    rows: tuple[ReportRow, ...]


def report(
    model: str | os.PathLike[str],
    paths: Sequence[str | os.PathLike[str]],
    encodings: Sequence[str] = REPORT_ENCODINGS,
) -> Report:
    """Count the tokens of files by a model and by encodings of tiktoken.

    `<|endoftext|>` is one token on all sides, and any other special token is ordinary text.

    Args:
        model: the path of an artifact.
        paths: files of UTF-8 text; "-" is standard input. Each is read once.
        encodings: names of encodings of tiktoken.

    Raises:
        KeyError, ValueError, OSError: the model or a file cannot be read, or tiktoken has
            no such encoding, or cannot get it.
    """
    artifact = Artifact.read(model)
    others = list(map(get_encoding, encodings))
    counts = [
        _Count("bpetite", _ranks(artifact), Tokenizer._of(artifact).encode),
        *(_Count(other.name, ranks_of(other), _encoder(other, artifact)) for other in others),
    ]
    total_bytes = characters = 0
    for path in paths:
        for block in _blocks(path, others):
            total_bytes += len(block.encode("utf-8"))
            characters += len(block)
            for count in counts:
                count.add(block)
    rows = tuple(count.row(total_bytes, characters, artifact.tokens) for count in counts)
    return Report(len(paths), total_bytes, characters, rows)


def _blocks(path: str | os.PathLike[str], encodings: Iterable[tiktoken.Encoding]) -> Iterator[str]:
    """Yield a file in blocks, or whole if a pattern might not cut where the blocks end."""
    if all(map(cuts_safely, encodings)):
        return blocks(path)
    return iter(["".join(blocks(path))])


def _ranks(artifact: Artifact) -> dict[bytes, int]:
    return {token: token_id for token_id, token in enumerate(artifact.tokens)}


def _encoder(encoding: tiktoken.Encoding, artifact: Artifact) -> Callable[[str], list[int]]:
    return lambda text: encode(encoding, text, artifact.special_token)


class _Count:
    """The tokens of one tokenizer, counted block by block."""

    def __init__(
        self, name: str, ranks: Mapping[bytes, int], ids_of: Callable[[str], list[int]]
    ) -> None:
        self._name = name
        self._vocabulary = ranks.keys()
        self._ids_of = ids_of
        self._ids_of_bytes = frozenset(
            token_id for token, token_id in ranks.items() if len(token) == 1
        )
        self._tokens = self._single_bytes = 0

    def add(self, text: str) -> None:
        ids = self._ids_of(text)
        self._tokens += len(ids)
        self._single_bytes += sum(map(self._ids_of_bytes.__contains__, ids))

    def row(self, total_bytes: int, characters: int, of_model: Iterable[bytes]) -> ReportRow:
        return ReportRow(
            name=self._name,
            tokens=self._tokens,
            bytes_per_token=total_bytes / self._tokens if self._tokens else None,
            tokens_per_character=self._tokens / characters if characters else None,
            single_byte_share=self._single_bytes / self._tokens if self._tokens else None,
            vocab_size=len(self._vocabulary),
            shared=len(self._vocabulary & set(of_model)),
        )
