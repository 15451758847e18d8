"""tiktoken as the engine of a tokenizer: the same ids, several times as fast.

Its ids are the same for a tokenizer that `_soundness` finds no fault with, and for a text that both
regex engines split alike. So tiktoken gets ordinary text only, as special tokens are found here, in
blocks that end at safe boundaries. Other blocks are encoded here:

    characters  those with a character that the two engines put into different classes of the
                pattern; with a lone surrogate, which tiktoken would replace
    length      those without a safe boundary for long: with a million spaces, tiktoken's regex
                engine gives up, and before 0.13 the time for a chunk grows with its square

Characters are compared when they first occur, as a table of all of them takes a second to make:
those of the first plane in pages of 256, because every second byte of UTF-16 is their page.
"""

from dataclasses import replace
from typing import Final

import tiktoken

from bpetite._inner import Artifact, cut_safely, tokenizer_of
from bpetite_compare._encodings import make_encoding
from bpetite_compare._engines import differing
from bpetite_compare._soundness import (
    find_duplicate,
    find_unordered,
    find_unreachable,
    ids_by_bytes,
)

_BLOCK_CHARACTERS: Final = 1 << 14
_LONGEST_BLOCK: Final = 1 << 15
"""For a chunk of this length, tiktoken 0.12 takes three times as long as bpetite."""


_SURROGATES: Final = range(0xD8, 0xE0)
"""The pages of surrogates: in UTF-16, two of them are a character above the first plane."""


class Engine:
    """Encodes text as one tokenizer does.

    name: tiktoken and its version.
    artifact: the tokenizer, which `make_engine` has checked.

    Args:
        artifact: the tokenizer.
        encoding: its tokens and its pattern, without special tokens.
    """

    name: Final = f"tiktoken {tiktoken.__version__}"

    def __init__(self, artifact: Artifact, encoding: tiktoken.Encoding) -> None:
        self.artifact = artifact
        self._encoding = encoding
        self._tokenizer = tokenizer_of(artifact)
        # Pages of 256 characters that were compared: those without a different one, and these.
        self._alike = bytearray()
        self._different = dict.fromkeys(_SURROGATES, frozenset[str]())
        # Characters of blocks with surrogates that were compared.
        self._known, self._odd = set[str](), set[str]()

    def encode(self, text: str, *, ordinary: bool = False) -> list[int]:
        """Return the ids of a text, as `Tokenizer.encode` does."""
        ids: list[int] = []
        cut = [text] if ordinary else self.artifact.cut(text)
        for place, part in enumerate(cut):
            if place % 2:
                ids.append(self.artifact.special_tokens[part])
                continue
            starts = range(0, len(part), _BLOCK_CHARACTERS)
            for block in cut_safely(part[start : start + _BLOCK_CHARACTERS] for start in starts):
                if len(block) <= _LONGEST_BLOCK and self._is_split_alike(block):
                    ids += self._encoding.encode_ordinary(block)
                else:
                    ids += self._tokenizer.encode(block, ordinary=True)
        return ids

    def _is_split_alike(self, block: str) -> bool:
        """Return whether both engines put all characters of a block into the same classes."""
        if block.isascii():
            return True
        pattern = self.artifact.pattern
        pages = {*block.encode("utf-16-le", "surrogatepass")[1::2].translate(None, self._alike)}
        for page in pages - self._different.keys():
            found = differing(pattern, map(chr, range(page << 8, page + 1 << 8)))
            self._different[page] = found
            if not found:
                self._alike.append(page)
        if any(one in block for page in pages for one in self._different[page]):
            return False
        if pages.isdisjoint(_SURROGATES) or self._known.issuperset(block):
            return True
        new = {*block} - self._known - self._odd
        surrogates = {one for one in new if "\ud800" <= one <= "\udfff"}
        self._odd |= surrogates | differing(pattern, new - surrogates)
        self._known |= new - self._odd
        return self._known.issuperset(block)


def make_engine(artifact: Artifact) -> Engine:
    """Return the engine for a tokenizer.

    Raises:
        ValueError: tiktoken would have other ids.
    """
    count = len(artifact.tokens)
    ordinary = replace(artifact, special_names=(), numbering=(*artifact.ids[:count],))
    fault = find_duplicate(ordinary) or find_unreachable(ordinary) or find_unordered(ordinary)
    if fault:
        raise ValueError(
            f"tiktoken cannot encode with this tokenizer: {fault}\nleave out --engine tiktoken"
        )
    ranks = ids_by_bytes(artifact)
    return Engine(artifact, make_encoding("engine", artifact.pattern.text, ranks, {}))
