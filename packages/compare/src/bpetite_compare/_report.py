"""Count the tokens of texts with several tokenizers: bpetite's and tiktoken's.

The figures apply to these texts only. They do not show how good a tokenizer is for anything
else.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from bpetite._inner import Artifact, tokenizer_of
from bpetite_compare._encodings import cuts_safely, encode, get_encoding, ranks_of
from bpetite_compare._text import blocks

REPORT_ENCODINGS: Final = ("gpt2", "cl100k_base", "o200k_base")
"""The default encodings of a report on one tokenizer file."""

_Tokenizer: TypeAlias = tuple[str, Mapping[bytes, int], Callable[[str], list[int]]]
"""A name, the ids of the tokens that are not special, and a function that encodes."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """The figures of one tokenizer.

    name: the name of the encoding, or the path of the tokenizer file; "bpetite" for an only one.
    per_text: the number of tokens in each text.
    single_bytes: the number of tokens in all texts that are single bytes.
    vocab_size: the number of mergeable tokens in the vocabulary.
    shared: the number of these tokens that the first tokenizer also has.
    """

    name: str
    per_text: tuple[int, ...]
    single_bytes: int
    vocab_size: int
    shared: int


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of several tokenizers for the same texts.

    sizes: the number of bytes of each text.
    characters: the number of characters of all texts.
    rows: the figures of each tokenizer.
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
        KeyError, ValueError, OSError: a file cannot be read, or tiktoken does not have an
            encoding or cannot download it.
    """
    several = [models] if isinstance(models, (str, os.PathLike)) else models
    artifacts = {os.fspath(path): Artifact.read(path) for path in several}
    return report_on_texts(artifacts, list(map(blocks, paths)), encodings)


def report_on_texts(
    artifacts: Mapping[str, Artifact], texts: Sequence[Iterable[str]], encodings: Sequence[str]
) -> Report:
    """Count like `report`, given each text in blocks that end where every known pattern splits."""
    others = list(map(get_encoding, encodings))
    name = "bpetite" if len(artifacts) == 1 else None
    tokenizers: list[_Tokenizer] = [
        (name or path, dict(zip(one.tokens, one.ids, strict=False)), tokenizer_of(one).encode)
        for path, one in artifacts.items()
    ]
    for other in others:
        ids_of = partial(encode, other, special=other.special_tokens_set)
        tokenizers.append((other.name, ranks_of(other), ids_of))
    single = [{ids.get(bytes([value])) for value in range(256)} for _, ids, _ in tokenizers]
    counts = [[0] * len(texts) for _ in tokenizers]
    single_bytes, sizes, characters = [0] * len(tokenizers), [0] * len(texts), 0
    whole = not all(map(cuts_safely, others))  # a pattern might not split where blocks end
    for number, text in enumerate(texts):
        for block in ["".join(text)] if whole else text:
            sizes[number] += len(block.encode("utf-8"))
            characters += len(block)
            for place, (_, _, ids_of_text) in enumerate(tokenizers):
                found = ids_of_text(block)
                counts[place][number] += len(found)
                single_bytes[place] += sum(map(single[place].__contains__, found))
    rows = (
        ReportRow(name, tuple(per_text), singles, len(ids), len(ids.keys() & tokenizers[0][1]))
        for (name, ids, _), per_text, singles in zip(tokenizers, counts, single_bytes, strict=True)
    )
    return Report(tuple(sizes), characters, tuple(rows))
