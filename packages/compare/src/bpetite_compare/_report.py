"""Count the tokens of files with bpetite and with several tiktoken encodings.

The figures apply to these files only. They do not show how good a tokenizer is for anything
else.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._encodings import cuts_safely, encode, get_encoding, ranks_of
from bpetite_compare._text import blocks

REPORT_ENCODINGS: Final = ("gpt2", "cl100k_base", "o200k_base")
"""The default encodings of a report."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """The figures of one tokenizer.

    name: the name of the encoding, or "bpetite" for the tokenizer file.
    tokens: the number of tokens in the files.
    bytes_per_token, tokens_per_character: the ratios, or None if there is no text.
    single_byte_share: the share of tokens that are single bytes.
    vocab_size: the number of mergeable tokens in the vocabulary.
    shared: the number of these tokens that the tokenizer file also has.
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
    """The figures of several tokenizers for the same files."""

    files: int
    bytes: int
    characters: int
    rows: tuple[ReportRow, ...]


def report(
    model: str | os.PathLike[str],
    paths: Sequence[str | os.PathLike[str]],
    encodings: Sequence[str] = REPORT_ENCODINGS,
) -> Report:
    """Count the tokens of files with bpetite and with tiktoken encodings.

    Only the special tokens of the tokenizer file are special, in every tokenizer.

    Args:
        model: the path of a tokenizer file.
        paths: files of UTF-8 text. Each is read once.
        encodings: names of tiktoken encodings.

    Raises:
        KeyError, ValueError, OSError: a file cannot be read, or tiktoken does not have an
            encoding or cannot download it.
    """
    return report_on_texts(model, list(map(blocks, paths)), encodings)


def report_on_texts(
    model: str | os.PathLike[str], texts: Sequence[Iterable[str]], encodings: Sequence[str]
) -> Report:
    """Count like `report`, given each text in blocks that end where every known pattern splits."""
    artifact = Artifact.read(model)
    others = list(map(get_encoding, encodings))
    own = {token: token_id for token_id, token in enumerate(artifact.tokens)}
    counts = [_Count("bpetite", own, Tokenizer._of(artifact).encode)]
    for other in others:
        ids_of = partial(encode, other, special=artifact.special_names)
        counts.append(_Count(other.name, ranks_of(other), ids_of))
    total_bytes = characters = 0
    whole = not all(map(cuts_safely, others))  # a pattern might not split where blocks end
    for text in texts:
        for block in ["".join(text)] if whole else text:
            total_bytes += len(block.encode("utf-8"))
            characters += len(block)
            for count in counts:
                count.add(block)
    rows = tuple(count.row(total_bytes, characters, artifact.tokens) for count in counts)
    return Report(len(texts), total_bytes, characters, rows)


@dataclass(slots=True)
class _Count:
    """The number of tokens of one tokenizer, block by block."""

    name: str
    ranks: Mapping[bytes, int]
    ids_of: Callable[[str], list[int]]
    tokens: int = 0
    single_bytes: int = 0

    def add(self, text: str) -> None:
        ids = self.ids_of(text)
        single = {self.ranks.get(bytes([value])) for value in range(256)}
        self.tokens += len(ids)
        self.single_bytes += sum(map(single.__contains__, ids))

    def row(self, total_bytes: int, characters: int, of_model: Iterable[bytes]) -> ReportRow:
        return ReportRow(
            name=self.name,
            tokens=self.tokens,
            bytes_per_token=total_bytes / self.tokens if self.tokens else None,
            tokens_per_character=self.tokens / characters if characters else None,
            single_byte_share=self.single_bytes / self.tokens if self.tokens else None,
            vocab_size=len(self.ranks),
            shared=len(self.ranks.keys() & set(of_model)),
        )
