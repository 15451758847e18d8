"""The functions that docs/proof proves, called with Python's own types.

`extracted` has them as Coq writes them: recursive, on linked lists of code points. This module
only converts arguments and results. The proof leaves the classes of characters open; here they
are those of `regex`.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import extracted
import regex
from extracted import List, Option

Pair = tuple[int, int]
Split = Callable[[str], list[str]]

END_OF_TEXT = ("<|endoftext|>",)
_FRAMES = 100_000


def _call(function: Callable[..., List], *arguments: object) -> List:
    """Call a function that recurses as deep as a list is long."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        return function(*arguments)
    finally:
        sys.setrecursionlimit(limit)


def _linked(items: Iterable[object]) -> List:
    """Return Coq's list of some items."""
    result: List = ()
    for item in reversed(list(items)):
        result = (item, result)
    return result


def _listed(linked: List) -> list[Any]:
    """Return the items of Coq's list."""
    result = []
    while linked != ():
        item, linked = linked
        result.append(item)
    return result


def _codes(text: str) -> List:
    return _linked(map(ord, text))


def _text(codes: List) -> str:
    return "".join(map(chr, _listed(codes)))


def _class(name: str) -> Callable[[int], bool]:
    """Return the test for a class of characters."""
    matches = regex.compile(name).match
    return cache(lambda code: matches(chr(code)) is not None)


_LETTER, _NUMBER, _SPACE = (_class(name) for name in (r"\p{L}", r"\p{N}", r"\s"))
_CLASSES = (_LETTER, _NUMBER, _SPACE)


def split(text: str) -> list[str]:
    """Return `Pattern.split_gpt2`: the chunks."""
    return [_text(chunk) for chunk in _listed(_call(extracted.split_gpt2, *_CLASSES, _codes(text)))]


def _on_codes(split: Split) -> Callable[[List], List]:
    return lambda codes: _linked(map(_codes, split(_text(codes))))


def split_ascii(data: bytes) -> list[bytes]:
    """Return `Ascii.split_ascii`: the chunks of GPT-4's pattern."""
    return [bytes(_listed(chunk)) for chunk in _listed(_call(extracted.split_ascii, _linked(data)))]


def pieces(text: str) -> list[str]:
    """Return `Pattern.pieces`."""
    return [_text(piece) for piece in _listed(_call(extracted.pieces, _SPACE, _codes(text)))]


def blocks(text: str, size: int) -> list[str]:
    """Return `Pattern.blocks`."""
    return [_text(block) for block in _listed(_call(extracted.blocks, _SPACE, size, _codes(text)))]


def passes(chunk: bytes, merges: Sequence[Pair]) -> list[int]:
    """Return `Encoders.passes`: one pass for each merge."""
    return _listed(_call(extracted.passes, 0, _linked(merges), _linked(chunk)))


def encode_chunk(chunk: bytes, merges: Mapping[Pair, int], shuffle: Sequence[int]) -> list[int]:
    """Return `General.encode_chunk`: permute the bytes, then merge any table of pairs."""

    def lookup(left: int, right: int) -> Option:
        new_id = merges.get((left, right))
        return None if new_id is None else (new_id,)

    return _listed(_call(extracted.encode_chunk, lookup, shuffle.__getitem__, _linked(chunk)))


def train(documents: Iterable[str], wanted: int) -> list[Pair]:
    """Return `Tokenizer.train_text`: at most this many merges."""
    linked = _linked(map(_codes, documents))
    return _listed(_call(extracted.train_text, _on_codes(split), wanted, linked))


def encode(
    text: str, merges: Sequence[Pair], names: Sequence[str] = END_OF_TEXT, split: Split = split
) -> list[int]:
    """Return `Tokenizer.encode`."""
    special = _linked(map(_codes, names))
    ids = _call(extracted.encode, _on_codes(split), (), special, _linked(merges), _codes(text))
    return _listed(ids)


def encode_outside(
    text: str, parts: Iterable[Pair], merges: Sequence[Pair], names: Sequence[str], split: Split
) -> list[int]:
    """Return `OrdinaryParts.encode_outside`: no special token overlaps one of these parts."""
    special, chunks = _linked(map(_codes, names)), _on_codes(split)
    arguments = (chunks, (), special, _linked(merges), _linked(parts), _codes(text))
    return _listed(_call(extracted.encode_outside, *arguments))


def encode_ordinary(text: str, merges: Sequence[Pair], split: Split = split) -> list[int]:
    """Return `Tokenizer.ordinary`: the ids without special tokens."""
    return _listed(_call(extracted.ordinary, _on_codes(split), (), _linked(merges), _codes(text)))


def decode(
    ids: Sequence[int], merges: Sequence[Pair], names: Sequence[str] = END_OF_TEXT
) -> str | None:
    """Return `Tokenizer.decode_text`: None for an unknown id or invalid UTF-8."""
    special = _linked(map(_codes, names))
    result = _call(extracted.decode_text, (), special, _linked(merges), _linked(ids))
    return None if result is None else _text(result[0])


class Numbered(NamedTuple):
    """What `Numbering` is about: merges, whole and special tokens, and the id of each token."""

    merges: Sequence[Pair]
    whole: Sequence[bytes]
    names: Sequence[str]
    numbering: Sequence[int]

    def encode(
        self, text: str, split: Split, *, ordinary: bool | Iterable[Pair] = False
    ) -> list[int]:
        """Return `Numbering`'s ids of a text, or `OrdinaryParts.encode_ids_outside`."""
        whole, names, merges, numbering = self._linked()
        chunks, codes = _on_codes(split), _codes(text)
        if ordinary is True:
            return _listed(_call(extracted.ordinary_ids, chunks, whole, merges, numbering, codes))
        tables = (chunks, whole, names, merges, numbering)
        if ordinary is False:
            return _listed(_call(extracted.encode_ids, *tables, codes))
        return _listed(_call(extracted.encode_ids_outside, *tables, _linked(ordinary), codes))

    def decode(self, ids: Sequence[int]) -> str | None:
        """Return `Numbering.decode_ids_text`: None for an unknown id or invalid UTF-8."""
        whole, names, merges, numbering = self._linked()
        result = _call(extracted.decode_ids_text, whole, names, merges, numbering, _linked(ids))
        return None if result is None else _text(result[0])

    def extend(
        self, documents: Iterable[str], wanted: int, names: Sequence[str], split: Split
    ) -> "Numbered":
        """Return `Extending.extension`: at most this many new tokens, and new special tokens."""
        first = 256 + len(self.merges)
        special = first + len(self.whole)
        whole = zip(self.numbering[first:special], map(_linked, self.whole), strict=True)
        named = zip(self.numbering[special:], map(_codes, self.names), strict=True)
        model = (_linked(self.merges), _linked(self.numbering[:first])), _linked(whole)
        corpus = _linked(_linked(chunk.encode()) for text in documents for chunk in split(text))
        linked = _linked(map(_codes, names))
        extended = _call(extracted.extension, wanted, linked, corpus, _linked(named), model)
        every_name, ((merges, ids), left) = extended
        ids_of_whole, ids_of_names = dict(_listed(left)), dict(_listed(every_name))
        return Numbered(
            _listed(merges),
            [bytes(_listed(token)) for token in ids_of_whole.values()],
            [_text(name) for name in ids_of_names.values()],
            [*_listed(ids), *ids_of_whole, *ids_of_names],
        )

    def _linked(self) -> tuple[List, List, List, List]:
        whole, names = _linked(map(_linked, self.whole)), _linked(map(_codes, self.names))
        return whole, names, _linked(self.merges), _linked(self.numbering)
