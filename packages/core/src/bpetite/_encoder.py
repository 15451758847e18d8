"""Turn text into ids: split it into chunks, and look up the ids of each.

Most chunks of a text have occurred before, so a cache has their ids. Merges give the ids of
a new chunk. Units larger than chunks are not cached: in real corpora they rarely occur again.

The special token is extracted first, wherever its exact text occurs. For untrusted text, see
`ordinary_parts`.

Not here: splitting text (`_pretokenizer`), merges (`_merges`), decoding (`_decoder`).
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._merges import Merges
from bpetite._pretokenizer import blocks, split

_BLOCK_CHARACTERS: Final = 1 << 14
"""Few enough that their chunks are still in the processor's cache when they are looked up."""

_CACHED_CHARACTERS: Final = 64
_CACHE_ROOM: Final = 1 << 21
_ROOM_OF_A_CHUNK: Final = 7
"""A generation of the cache keeps chunks of up to 64 characters until it is full.

A chunk counts as its characters and 7 more. A character takes at most 36 bytes: 4 for
itself, and 32 for the ids of its four bytes. So the two generations take at most 151 MB,
and a third of that for ordinary text.
"""

_INSIDE_SPECIAL_TOKEN: Final = re.compile(r"(?<=<\|)(?=endoftext\|>)")

_Ids = tuple[int, ...]


def ordinary_parts(text: str) -> list[str]:
    """Cut a text so that no part contains the special token.

    The parts have the ids that the text has as ordinary text: a chunk always ends between the
    punctuation `<|` and the letter `e`.

    >>> ordinary_parts("a<|endoftext|>b")
    ['a<|', 'endoftext|>b']
    """
    return _INSIDE_SPECIAL_TOKEN.split(text)


class Encoder:
    """Encodes text with one list of merges."""

    def __init__(self, merges: Sequence[tuple[int, int]], special_id: int) -> None:
        self._special_id = special_id
        self._cache = _Cache(Merges(merges))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; see `Tokenizer.encode`."""
        if not isinstance(text, str):
            raise TypeError(f"text must be str, got {type(text).__name__}")
        ids: list[int] = []
        ids_of_chunk = self._cache.__getitem__
        try:
            for number, segment in enumerate(text.split(END_OF_TEXT_TOKEN)):
                if number:
                    ids.append(self._special_id)
                for block in blocks(segment, _BLOCK_CHARACTERS):
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

    def __init__(self, merges: Merges) -> None:
        super().__init__()
        self._merges = merges
        self._old: dict[str, _Ids] = {}
        self._room = _CACHE_ROOM

    def __missing__(self, chunk: str) -> _Ids:
        ids = self._old.get(chunk)
        if ids is None:
            ids = tuple(self._merges.apply(chunk.encode("utf-8")))
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
