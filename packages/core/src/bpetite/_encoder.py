"""Turn text into ids: split it into chunks, and look up the ids of each.

Most chunks of a text have occurred before, so a cache has their ids. Merges give the ids of
a new chunk. Units larger than chunks are not cached: in real corpora they rarely occur again.

Special tokens are found first, wherever their exact text occurs, but not in ordinary parts.

Not here: splitting text (`_patterns`), finding special tokens (`_special_tokens`), merges
(`_merges`), decoding (`_decoder`).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Final

from bpetite._boundaries import blocks
from bpetite._patterns import Pattern
from bpetite._special_tokens import SpecialTokens, ordinary_parts

_BLOCK_CHARACTERS: Final = 1 << 14
"""Few enough that their chunks are still in the processor's cache when they are looked up."""

_CACHED_CHARACTERS: Final = 64
_CACHE_ROOM: Final = 1 << 21
_ROOM_OF_A_CHUNK: Final = 7
"""A generation of the cache keeps chunks of up to 64 characters until it is full.

A chunk counts as its characters and 7 more. A character takes at most 36 bytes: 4 for
itself, and 32 for references to the ids of its four bytes, which are objects of the merges. So
the two generations take at most 151 MB, and a third of that for ordinary text.
"""

_Ids = tuple[int, ...]


class Encoder:
    """Encodes text with one tokenizer.

    Args:
        ids_of_chunk: gives the ids of the bytes of a chunk.
        pattern: what splits text into chunks.
        special_tokens: the id of each special token.
    """

    def __init__(
        self,
        ids_of_chunk: Callable[[bytes], list[int]],
        pattern: Pattern,
        special_tokens: Mapping[str, int],
    ) -> None:
        self._pattern = pattern
        self._special_tokens = SpecialTokens(special_tokens)
        self._cache = _Cache(ids_of_chunk)

    def encode(self, text: str, *, ordinary: bool | Sequence[tuple[int, int]] = False) -> list[int]:
        """Return the ids of a text; see `Tokenizer.encode`."""
        if not isinstance(text, str):
            raise TypeError(f"text must be str, got {type(text).__name__}")
        parts = [] if isinstance(ordinary, bool) else ordinary_parts(ordinary, len(text))
        cut = [text] if ordinary is True else self._special_tokens.cut(text, parts)
        ids: list[int] = []
        split, ids_of_chunk = self._pattern.split, self._cache.__getitem__
        try:
            for place, part in enumerate(cut):
                if place % 2:
                    ids.append(self._special_tokens.ids[part])
                    continue
                for block in blocks(part, _BLOCK_CHARACTERS):
                    ids.extend(chain.from_iterable(map(ids_of_chunk, split(block))))
        except UnicodeEncodeError:
            text.encode("utf-8")  # the same error, with the index in the whole text
            raise
        return ids


class _Cache(dict[str, _Ids]):
    """A bounded cache with the ids of chunks, in two generations.

    If a chunk is not in the young generation, its ids come from the old one or from the
    merges. When the young generation is full, it becomes the old one: frequent chunks stay,
    and chunks that have not occurred since the last change are dropped.

    Threads can share it: the ids of a chunk never change, so computing them twice, or
    dropping them, changes no result.
    """

    def __init__(self, ids_of_chunk: Callable[[bytes], list[int]]) -> None:
        super().__init__()
        self._ids_of_chunk = ids_of_chunk
        self._old: dict[str, _Ids] = {}
        self._room = _CACHE_ROOM

    def __missing__(self, chunk: str) -> _Ids:
        ids = self._old.get(chunk)
        if ids is None:
            ids = tuple(self._ids_of_chunk(chunk.encode("utf-8")))
            if len(chunk) > _CACHED_CHARACTERS:
                return ids
        room = len(chunk) + _ROOM_OF_A_CHUNK
        if room > self._room:
            self._old = self.copy()
            self.clear()
            self._room = _CACHE_ROOM
        self._room -= room
        self[chunk] = ids
        return ids
