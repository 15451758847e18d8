"""tiktoken as the engine of a tokenizer: the same ids, several times as fast.

Its ids are the same for a tokenizer that `_soundness` finds no fault with, and for a text that both
regex engines split alike. So tiktoken gets ordinary text only, as special tokens are found here, in
blocks that end at safe boundaries. Other blocks are encoded here:

    characters  those with a character that the two engines put into different classes of the
                pattern; with a lone surrogate, which tiktoken would replace
    length      those without a safe boundary for long: with a million spaces, tiktoken's regex
                engine gives up, and before 0.13 the time for a chunk grows with its square

Characters are compared when they first occur, as a table of all of them takes a second to make, in
rows of 256. In UTF-32, one byte of a character is its plane and one its row, so a slice of a block
has all planes, and one all rows.
"""

from dataclasses import replace
from itertools import product
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
_SURROGATES: Final = range(0xD800, 0xE000)


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
        self._planes = self._rows = b""
        # The rows without a different character in any of these planes, and those of the others.
        self._alike = b""
        self._different = dict[tuple[int, int], frozenset[str]]()

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
        try:
            data = block.encode("utf-32-le")
        except UnicodeEncodeError:  # a lone surrogate
            return False
        planes, rows = data[2::4], data[1::4]
        if planes.translate(None, self._planes) or rows.translate(None, self._rows):
            self._compare({*planes}, {*rows})
        found = filter(planes.__contains__, self._planes)
        doubtful = product(found, {*rows.translate(None, self._alike)})
        return not any(one in block for place in doubtful for one in self._different[place])

    def _compare(self, planes: set[int], rows: set[int]) -> None:
        """Compare what is new in all of these rows of all of these planes."""
        planes |= {*self._planes}
        rows |= {*self._rows}
        for plane, row in product(planes, rows):
            if (plane, row) not in self._different:
                start = plane << 16 | row << 8
                # No block here has a surrogate.
                characters = [] if start in _SURROGATES else range(start, start + 256)
                found = differing(self.artifact.pattern, map(chr, characters))
                self._different[plane, row] = found
        self._planes, self._rows = bytes(planes), bytes(rows)
        doubtful = {row for (_, row), found in self._different.items() if found}
        self._alike = bytes(rows - doubtful)


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
