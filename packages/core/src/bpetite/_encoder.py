"""Turn text into ids: cut it into pieces, and look up the ids of each piece.

Most pieces have occurred before, so there are two caches, one of pieces and one of
chunks. The ids of a new text are computed from known ones:

    piece   the ids of its chunks, one after the other
    chunk   the ids of a known prefix and of the rest, if no merge crosses the boundary
            between them; if there is no such prefix, the merges are applied to its bytes

The cache of chunks begins with the self-encoding tokens. `_merges` explains why the rule
for chunks is correct.

The special token is extracted first, wherever its exact text occurs. Untrusted text may
contain it: if that must not happen, remove it before encoding.

Not here: where a chunk ends (`_pretokenizer`), ids back into text (`_decoder`).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Final

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._merges import Merges
from bpetite._pretokenizer import blocks, cut, split

__all__ = ["Encoder"]

_BLOCK_CHARACTERS: Final = 1 << 14
"""So few that their pieces are still in the processor's cache when they are looked up."""

_CACHED_CHARACTERS: Final = 64
_CACHE_ROOM: Final = 1 << 22
_ROOM_OF_A_TEXT: Final = 7
"""A cache keeps texts of up to 64 characters until its room is used up, then starts anew.

A text takes room for each character and for 7 more. That room stands for 36 bytes at
most: 4 for the character, 32 for the ids of its four bytes. So a cache takes at most
151 MB, and a third of that on text as it is.
"""

_SHORT_CHARACTERS: Final = 24
"""The longest chunk of which parts are looked up: of a longer one too many would be tried."""

_Ids = tuple[int, ...]


class Encoder:
    """Text to ids, by one vocabulary."""

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[int, int]],
        special_tokens: Mapping[str, int],
    ) -> None:
        self._special_id = special_tokens[END_OF_TEXT_TOKEN]
        self._merges = Merges(merges)
        self._ids_of_chunk = _Cache(self._encode_chunk, self._known_tokens(vocab))
        self._ids_of_piece = _Cache(self._encode_piece, {})

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; `Tokenizer.encode` says more."""
        if not isinstance(text, str):
            message = f"text must be str, got {type(text).__name__}"
            raise TypeError(message)
        ids: list[int] = []
        try:
            for number, segment in enumerate(text.split(END_OF_TEXT_TOKEN)):
                if number:
                    ids.append(self._special_id)
                for block in blocks(segment, _BLOCK_CHARACTERS):
                    for ids_of_piece in map(self._ids_of_piece.__getitem__, cut(block)):
                        ids += ids_of_piece
        except UnicodeEncodeError:
            text.encode("utf-8")  # the same error, with the index in the whole text
            raise
        return ids

    def _encode_piece(self, piece: str) -> _Ids:
        chunks = split(piece)
        if len(chunks) == 1:
            return self._ids_of_chunk[piece]
        return tuple(chain.from_iterable(map(self._ids_of_chunk.__getitem__, chunks)))

    def _encode_chunk(self, chunk: str) -> _Ids:
        if len(chunk) <= _SHORT_CHARACTERS:
            known = self._ids_of_chunk
            for end in range(len(chunk) - 1, 0, -1):
                if front := known.get(chunk[:end]):
                    rest = known[chunk[end:]]
                    if self._merges.keep_apart(front[-1], rest[0]):
                        return front + rest
        return tuple(self._merges.apply(chunk.encode("utf-8")))

    def _known_tokens(self, vocab: Mapping[int, bytes]) -> dict[str, _Ids]:
        """Return the self-encoding tokens that are made of whole characters."""
        tokens: dict[str, _Ids] = {}
        for token_id in self._merges.self_encoding_tokens():
            try:
                tokens[vocab[token_id].decode("utf-8")] = (token_id,)
            except UnicodeDecodeError:
                continue
        return tokens


class _Cache(dict[str, _Ids]):
    """What has been worked out for texts that are likely to come again, within bounds.

    Threads may share it: what it holds for a text never changes, so a second thread that
    works out the same, or empties the whole, changes no result.
    """

    def __init__(self, work_out: Callable[[str], _Ids], known: Mapping[str, _Ids]) -> None:
        super().__init__(known)
        self._work_out = work_out
        self._known = known
        self._room = _CACHE_ROOM

    def __missing__(self, text: str) -> _Ids:
        ids = self._work_out(text)
        if len(text) <= _CACHED_CHARACTERS:
            self._room -= len(text) + _ROOM_OF_A_TEXT
            if self._room < 0:
                self.clear()
                self.update(self._known)
                self._room = _CACHE_ROOM
            self[text] = ids
        return ids
