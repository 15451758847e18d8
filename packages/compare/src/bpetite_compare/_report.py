"""Count the tokens of texts with several tokenizers: bpetite's and tiktoken's.

The figures apply to these texts only. They do not show how good a tokenizer is for anything
else.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import tiktoken

from bpetite._inner import Artifact, tokenizer_of
from bpetite_compare._comparison import blocks
from bpetite_compare._encodings import cuts_safely, encode, get_encoding, ranks_of
from bpetite_compare._engine import Engine
from bpetite_compare._soundness import ids_by_bytes

REPORT_ENCODINGS: Final = ("gpt2", "cl100k_base", "o200k_base")
"""The default encodings of a report on one tokenizer file."""

Tokenizing: TypeAlias = Artifact | Engine | tiktoken.Encoding
"""A tokenizer of a report."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """The figures of one tokenizer.

    name: the name of the encoding, or the path of the tokenizer file; "bpetite" for an only one.
    per_text: the tokens in each text.
    single_bytes: how many tokens of all texts are single bytes.
    vocab_size: the number of mergeable tokens.
    shared: how many of these the first tokenizer also has.
    """

    name: str
    per_text: tuple[int, ...]
    single_bytes: int
    vocab_size: int
    shared: int


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of several tokenizers for the same texts.

    sizes: the bytes of each text.
    characters: those of all texts.
    rows: a row for each tokenizer.
    """

    sizes: tuple[int, ...]
    characters: int
    rows: tuple[ReportRow, ...]


def report(
    models: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    paths: Sequence[str | os.PathLike[str]],
    encodings: Sequence[str] = REPORT_ENCODINGS,
) -> Report:
    """Count the tokens of files with tokenizer files and with tiktoken encodings.

    Each tokenizer finds its own special tokens.

    Args:
        models: the path of a tokenizer file, or several.
        paths: files of UTF-8 text. Each is read once.
        encodings: names of tiktoken encodings.

    Raises:
        KeyError, ValueError, OSError: a tokenizer file cannot be loaded.
        ValueError, OSError: a file cannot be read, or tiktoken does not have an encoding or
            cannot download it.
    """
    several = [models] if isinstance(models, (str, os.PathLike)) else models
    artifacts = {os.fspath(path): Artifact.read(path) for path in several}
    ours = [("bpetite" if len(artifacts) == 1 else path, one) for path, one in artifacts.items()]
    others = [(one.name, one) for one in map(get_encoding, encodings)]
    return report_on_texts([*ours, *others], [[blocks(path)] for path in paths])


def report_on_texts(
    tokenizers: Sequence[tuple[str, Tokenizing]], texts: Sequence[Iterable[Iterable[str]]]
) -> Report:
    """Count like `report`, given each tokenizer with its name, and the documents of each text.

    A document is in blocks that end where every known pattern splits.
    """
    tallies = [_Tally(name, tokenizer) for name, tokenizer in tokenizers]
    encodings = [one for _, one in tokenizers if isinstance(one, tiktoken.Encoding)]
    whole = not all(map(cuts_safely, encodings))  # a pattern might not split where blocks end
    sizes, characters = [0] * len(texts), 0
    for number, documents in enumerate(texts):
        for tally in tallies:
            tally.per_text.append(0)
        for document in documents:
            for block in ["".join(document)] if whole else document:
                sizes[number] += len(block.encode("utf-8"))
                characters += len(block)
                for tally in tallies:
                    tally.add(block)
    rows = (
        ReportRow(
            one.name,
            tuple(one.per_text),
            one.single_bytes,
            vocab_size=len(one.ids),
            shared=len(one.ids.keys() & tallies[0].ids),
        )
        for one in tallies
    )
    return Report(tuple(sizes), characters, tuple(rows))


class _Tally:
    """A tokenizer, and what it has counted so far.

    name: its name in the report.
    ids: the ids of the tokens that are not special.
    per_text: the number of tokens in each text; the last one is being counted.
    single_bytes: the number of tokens that are single bytes.
    """

    def __init__(self, name: str, tokenizer: Tokenizing) -> None:
        self.name = name
        self.per_text: list[int] = []
        self.single_bytes = 0
        self.ids: Mapping[bytes, int]
        self._encode: Callable[[str], list[int]]
        if isinstance(tokenizer, Engine):
            self.ids, self._encode = ids_by_bytes(tokenizer.artifact), tokenizer.encode
        elif isinstance(tokenizer, Artifact):
            self.ids, self._encode = ids_by_bytes(tokenizer), tokenizer_of(tokenizer).encode
        else:
            self.ids = ranks_of(tokenizer)
            self._encode = partial(encode, tokenizer, special=tokenizer.special_tokens_set)
        self._bytes = {self.ids.get(bytes([value])) for value in range(256)}

    def add(self, block: str) -> None:
        """Count the tokens of a block of the last text."""
        found = self._encode(block)
        self.per_text[-1] += len(found)
        self.single_bytes += sum(map(self._bytes.__contains__, found))
