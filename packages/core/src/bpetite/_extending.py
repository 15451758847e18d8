"""Extend a tokenizer: learn more tokens, and keep the id of every token that it has.

A new token gets the id after the highest one. A chunk that is a whole token is one symbol, as
when it is encoded, so nothing is learned from it.

When new merges make a whole token two symbols, it is completed: their merge is the next one, with
the id of the token. Otherwise engines that merge by bytes would join these symbols in longer
chunks, where bpetite would not.

Truncating makes completed tokens whole again. Their ids show which they are (`Artifact.completed`).

The core loads it only for tokenizers with a numbering.
"""

from collections import defaultdict
from dataclasses import replace
from heapq import heappop, heappush
from operator import add

from bpetite._artifact import Artifact
from bpetite._constants import ID_LIMIT, MAX_FILE_BYTES
from bpetite._merges import Merges
from bpetite._pairs import Pairs


class Extension:
    """What training has to know to keep the ids of its start.

    Args:
        start: the tokenizer to extend; its last special tokens may have no ids yet.
        merges, tokens: the merges, and the bytes of each index. Training adds new ones, and
            this class those of completed tokens.

    taken: the bytes of all tokens of the start.
    """

    def __init__(self, start: Artifact, merges: list[tuple[int, int]], tokens: list[bytes]) -> None:
        self.taken = {*start.table}
        self._start, self._merges, self._tokens = start, merges, tokens
        self._ids = [*start.ids[: len(tokens)]]
        self._next_id = max(start.ids) + 1
        added = range(ID_LIMIT - len(start.table) + len(start.ids), ID_LIMIT)
        self._end_of_ids = added.start
        if self._next_id > self._end_of_ids:
            raise ValueError(
                f"special_tokens: no id below {ID_LIMIT:,} is left after those of start"
            )
        # The largest file: added special tokens, and the size, have the most digits.
        largest = replace(start, numbering=(*start.ids, *added))
        self._file_size = len(largest.to_bytes()) + len(str(ID_LIMIT)) - len(str(len(tokens)))
        self._whole = dict(zip(start.ids[len(tokens) :], start.whole_tokens, strict=False))
        self._symbols: dict[int, str] = {}
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        apply = Merges(merges).apply
        for token_id, token in self._whole.items():
            self._note(token_id, "".join(map(chr, apply(token))))

    def add(self, left: int, right: int) -> bool:
        """Give the next merge an id; `complete` checks the size of the file.

        Returns:
            True.

        Raises:
            ValueError: no id is left.
        """
        if self._next_id == self._end_of_ids:
            raise ValueError(f"vocab_size is too large: no id below {ID_LIMIT:,} is left")
        self._append(left, right, self._next_id)
        self._file_size += len(f',"{self._next_id}":[]')
        self._file_size += _characters(self._tokens[left]) + 1 + _characters(self._tokens[right])
        self._next_id += 1
        return True

    def complete(self, pair: str, pairs: Pairs) -> bool:
        """Complete whole tokens after the merge of a pair, the one with the lowest id first.

        Returns:
            Whether the file could still be read back.
        """
        ready: list[int] = []
        self._merge(pair, ready)
        while ready:
            token_id = heappop(ready)
            pair = self._symbols.pop(token_id)
            pairs.apply(pair, chr(len(self._ids)))
            left, right = ord(pair[0]), ord(pair[1])
            self._append(left, right, token_id)
            self._merges.append((left, right))
            self._tokens.append(self._whole.pop(token_id))
            self._merge(pair, ready)
        return self._file_size <= MAX_FILE_BYTES

    def artifact(self) -> Artifact:
        """Return the tokenizer."""
        start = self._start
        special_ids = start.ids[len(start.tokens) :]
        added = range(self._next_id, self._next_id + len(start.special_names) - len(special_ids))
        ids = (*self._ids, *self._whole, *special_ids, *added)
        tokens = [*self._tokens, *self._whole.values()]
        return start.of_ids(self._merges, tokens, start.pattern, start.special_names, ids)

    def _append(self, left: int, right: int, new_id: int) -> None:
        self._file_size += len(f",[{self._ids[left]},{self._ids[right]},{new_id}]")
        self._ids.append(new_id)

    def _note(self, token_id: int, symbols: str) -> None:
        """Note the symbols of a whole token, and which pairs it holds."""
        self._symbols[token_id] = symbols
        for pair in map(add, symbols, symbols[1:]):
            self._holders[pair].append(token_id)

    def _merge(self, pair: str, ready: list[int]) -> None:
        """Apply the last merge to whole tokens; those that have two symbols then are ready."""
        new = chr(len(self._ids) - 1)
        for token_id in {*self._holders.pop(pair, ())} & self._symbols.keys():
            symbols = self._symbols[token_id].replace(pair, new)
            if new in symbols:  # an earlier merge may have taken one of the two
                self._note(token_id, symbols)
                if len(symbols) == 2:
                    heappush(ready, token_id)


def _characters(token: bytes) -> int:
    """Return the length of the bytes of a token in the file."""
    return len(",".join(map(str, token)))
