"""Compare token ids for whole files with tiktoken's, for the same vocabulary.

Different ids do not always mean that the tokenizers differ. If the Unicode tables of the two
regex engines differ for a character, the pattern splits the text differently before any
merge. A part with such a character is compared again, with one engine splitting it for
both tokenizers. Only a difference that remains is a true one.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from bpetite._inner import Artifact, cut_safely, tokenizer_of
from bpetite_compare._comparison import (
    Difference,
    blocks,
    first_difference,
    in_tiktoken,
    tokenize_both,
)
from bpetite_compare._encodings import make_encoding, ranks_of, specials_of
from bpetite_compare._engines import drift
from bpetite_compare._to_tiktoken import SELF, of_artifact

_CONTEXT_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The first difference that the Unicode tables do not explain.

    path: the file.
    byte, line: its byte offset in the file, and its line, counted from 1.
    before, after: some of the text before it and from it on.
    ours, theirs: the tokens there, as in `Difference`.
    """

    path: str
    byte: int
    line: int
    before: str
    after: str
    ours: tuple[int, bytes] | None
    theirs: tuple[int, bytes] | None


@dataclass(slots=True)
class Parity:
    """The result of comparing token ids for whole files.

    files, bytes, characters, tokens: the amounts compared; the tokens are bpetite's.
    difference: where the comparison stops, or None.
    engine_characters: how often each character occurs that the regex engines classify differently.
    engine_differences: how many parts differ only because of these.
    """

    files: int = 0
    bytes: int = 0
    characters: int = 0
    tokens: int = 0
    difference: FileDifference | None = None
    engine_characters: Counter[str] = field(default_factory=Counter)
    engine_differences: int = 0


def parity(model: str | os.PathLike[str], paths: Sequence[str | os.PathLike[str]]) -> Parity:
    """Compare the token ids of whole files with tiktoken's, for the same vocabulary.

    Args:
        model: the path of a tokenizer file.
        paths: files of UTF-8 text.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        ValueError, OSError: a file cannot be read, or tiktoken cannot load the vocabulary.
    """
    return parity_of_texts(
        Artifact.read(model), ((os.fspath(path), blocks(path)) for path in paths)
    )


def parity_of_texts(artifact: Artifact, texts: Iterable[tuple[str, Iterable[str]]]) -> Parity:
    """Compare like `parity`, given the name of each file and its text in such blocks."""
    comparer = _Comparer(artifact)
    result = Parity()
    for path, text in texts:
        result.files += 1
        line, begin = 1, result.bytes
        for block in text:
            before = result.bytes - begin
            if found := comparer.look_at(block, result):
                at = found.character
                result.difference = FileDifference(
                    path=path,
                    byte=before + found.byte,
                    line=line + block.count("\n", 0, at),
                    before=block[max(0, at - _CONTEXT_CHARACTERS) : at],
                    after=block[at : at + _CONTEXT_CHARACTERS],
                    ours=found.ours,
                    theirs=found.theirs,
                )
                return result
            line += block.count("\n")
    return result


class _Comparer:
    """The two tokenizers, side by side."""

    def __init__(self, artifact: Artifact) -> None:
        encoding = of_artifact(artifact, SELF)
        self._artifact = artifact
        self._tokenize = partial(tokenize_both, artifact, tokenizer_of(artifact), encoding)
        # The pattern matches any text as a whole, so tiktoken encodes it as one chunk.
        self._chunk_encoding = make_encoding(
            "chunk", r"(?s:.+)", ranks_of(encoding), specials_of(encoding)
        )

    def look_at(self, block: str, result: Parity) -> Difference | None:
        """Compare the ids of a block, and add its figures to the result.

        Returns:
            The true difference in the first part that has one; its number of tokens and its
            tokens are of that part.
        """
        ours, theirs = self._tokenize(block)
        result.bytes += len(block.encode("utf-8"))
        result.characters += len(block)
        result.tokens += len(ours.ids)
        if not block.isascii():
            odd = drift(self._artifact.pattern)
            result.engine_characters.update(filter(odd.__contains__, block))
        if ours.ids == theirs.ids:
            return None
        start, explained = 0, result.engine_differences
        for part in cut_safely(block):
            if found := self._look_closer(part, result):
                byte = len(block[:start].encode("utf-8")) + found.byte
                return replace(found, byte=byte, character=start + found.character)
            start += len(part)
        if result.engine_differences > explained:
            return None
        return first_difference(ours, theirs, by_id=True)

    def _look_closer(self, part: str, result: Parity) -> Difference | None:
        """Return the true difference in a part, if there is one."""
        ours, theirs = self._tokenize(part)
        difference = first_difference(ours, theirs, by_id=True)
        if difference is None or part.isascii() or drift(self._artifact.pattern).isdisjoint(part):
            return difference
        result.engine_differences += 1
        # bpetite's ids of a part are those of its chunks, joined.
        special = self._artifact.special_names
        theirs = in_tiktoken(self._chunk_encoding, self._chunks(part), special)
        return first_difference(ours, theirs, by_id=True)

    def _chunks(self, part: str) -> Iterator[str]:
        """Yield the chunks of a part, split by bpetite's engine, and its special tokens."""
        for place, text in enumerate(self._artifact.cut(part)):
            yield from [text] if place % 2 else self._artifact.pattern.split(text)
