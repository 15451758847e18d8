"""A tokenizer as data: read it from a tokenizer file, make it from merges, write it.

Not here: the content of the file (`_schema`), safe files (`_reading`, `_writing`), encoding
and decoding (`_tokenizer`).
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from bpetite._collector import garbage_collector_paused
from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, MAX_FILE_BYTES
from bpetite._merges import Merges, unreachable
from bpetite._patterns import GPT2, Pattern
from bpetite._quoting import quoted, shortened
from bpetite._reading import InvalidFileError, MissingKeyError, read_file
from bpetite._schema.canonical import FileSize, to_json
from bpetite._schema.checks import check_content, parse
from bpetite._schema.versions import lowest_version, needs_numbering, refuse
from bpetite._special_tokens import SpecialTokens
from bpetite._strict_json import NotJSONError
from bpetite._writing import write_parts


@dataclass(frozen=True)
class Artifact:
    """A tokenizer as data.

    merges: pairs of indexes; the merge at rank r makes the index 256 + r.
    tokens: the bytes of the tokens that are not special; the position of each is its index.
        Those after the merges are whole tokens, which only a numbering allows.
    pattern: the split pattern.
    special_names: the special tokens; their indexes follow those of the tokens.
    numbering: the id of each index, if it is another one.
    """

    merges: Sequence[tuple[int, int]]
    tokens: Sequence[bytes]
    pattern: Pattern = GPT2
    special_names: tuple[str, ...] = (END_OF_TEXT_TOKEN,)
    numbering: tuple[int, ...] | None = None

    @classmethod
    def of_merges(
        cls,
        merges: Iterable[tuple[int, int]],
        pattern: Pattern = GPT2,
        special_names: tuple[str, ...] = (END_OF_TEXT_TOKEN,),
    ) -> Self:
        """Return the artifact with these merges.

        Raises:
            ValueError: a merge joins an id that is not below its own, or the file would be
                too large to read back. No token is made beyond that size.

        >>> Artifact.of_merges([(97, 98), (256, 97)]).tokens[257]
        b'aba'
        """
        pairs = list(merges)
        tokens = [bytes([value]) for value in range(BASE_VOCAB_SIZE)]
        size = FileSize([], pattern, special_names)
        for rank, (left, right) in enumerate(pairs):
            if not (0 <= left < len(tokens) and 0 <= right < len(tokens)):
                refuse(f"merges[{rank}]", f"two ids below {len(tokens)}", [left, right])
            if not size.add(left, right):
                raise ValueError(
                    f"the tokenizer file would be larger than {MAX_FILE_BYTES} bytes, the maximum, "
                    f"from merge {rank} on; it has too many tokens, or too long ones"
                )
            tokens.append(tokens[left] + tokens[right])
        return cls(pairs, tokens, pattern, special_names)

    @classmethod
    def of_ids(
        cls,
        merges: Sequence[tuple[int, int]],
        tokens: Sequence[bytes],
        pattern: Pattern,
        special_names: tuple[str, ...],
        ids: tuple[int, ...],
    ) -> Self:
        """Return the artifact with these ids, for the lowest schema version that can hold it."""
        needed = needs_numbering((merges, tokens, pattern, special_names, ids))
        return cls(merges, tokens, pattern, special_names, ids if needed else None)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer file. For the errors, see `Tokenizer.load`."""
        name = _checked_path(path)
        return cls.of_bytes(read_file(name, MAX_FILE_BYTES), name)

    @classmethod
    def of_bytes(cls, data: bytes, name: str) -> Self:
        """Return the tokenizer in the content of a file with this name."""
        try:
            with garbage_collector_paused():
                return cls(*check_content(parse(data)))
        except KeyError as error:
            raise MissingKeyError(f"{quoted(name)}: {error.args[0]}", name) from None
        except ValueError as error:
            raise InvalidFileError(
                f"{quoted(name)}: {error}",
                name,
                "json" if isinstance(error, NotJSONError) else "content",
            ) from None

    def write(self, path: str | os.PathLike[str], *, overwrite: bool, keep: bool = False) -> str:
        """Write the tokenizer file and return its hash. For the errors, see `Tokenizer.save`."""
        name = _checked_path(path)
        data = self.to_bytes()
        write_parts(name, [data], overwrite=overwrite, keep=keep)
        return hashlib.sha256(data).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the content of the tokenizer file, always the same for the same tokenizer."""
        return to_json((self.merges, self.tokens, self.pattern, self.special_names, self.numbering))

    def checked_bytes(self) -> bytes:
        """Return the content of the tokenizer file of an artifact made from elsewhere.

        Raises:
            ValueError: it would be too large, or read back as another tokenizer.
        """
        data = self.to_bytes()
        if len(data) > MAX_FILE_BYTES:
            raise ValueError(f"its file would have more than {MAX_FILE_BYTES:,} bytes, the maximum")
        if type(self)(*check_content(parse(data))) != self:
            raise ValueError("its file would be read back as another tokenizer")
        return data

    @property
    def schema_version(self) -> int:
        """The lowest schema version that can hold it."""
        return lowest_version(self.pattern, self.special_names, self.numbering)

    @property
    def table(self) -> list[bytes]:
        """The bytes of all tokens; the position of each is its index."""
        return [*self.tokens, *(name.encode("utf-8") for name in self.special_names)]

    @property
    def ids(self) -> Sequence[int]:
        """The id of each index."""
        return self.numbering or range(len(self.tokens) + len(self.special_names))

    @cached_property
    def indexes(self) -> dict[int, int]:
        """The index of each id."""
        return {token_id: index for index, token_id in enumerate(self.ids)}

    def is_special(self, token_id: int) -> bool:
        """Return whether this is the id of a special token."""
        return self.indexes[token_id] >= len(self.tokens)

    def merge_of(self, token_id: int) -> tuple[int, tuple[int, int]] | None:
        """Return the rank of the merge that makes an id, and the two ids that it joins, if any."""
        rank = self.indexes[token_id] - BASE_VOCAB_SIZE
        if not 0 <= rank < len(self.merges):
            return None
        left, right = self.merges[rank]
        return rank, (self.ids[left], self.ids[right])

    @property
    def whole_tokens(self) -> Sequence[bytes]:
        """The bytes of the whole tokens."""
        return self.tokens[BASE_VOCAB_SIZE + len(self.merges) :]

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """The id of each special token."""
        return dict(zip(self.special_names, self.ids[len(self.tokens) :], strict=True))

    @cached_property
    def vocab(self) -> dict[int, bytes]:
        """The bytes of each id, in the order of ids."""
        vocab = zip(self.ids, self.table, strict=True)
        return dict(sorted(vocab) if self.numbering else vocab)

    @property
    def unreachable(self) -> list[int]:
        """The indexes of the merges whose bytes do not encode to them."""
        return unreachable(self.merges)

    @cached_property
    def completed(self) -> set[int]:
        """The indexes of the merges that completed whole tokens (see `_extending`).

        The merges of an extension are the last ones. Each makes the highest id so far, or
        completes a token: its parts contain such a newer id.
        """
        ids, found, newest = self.ids, set[int](), dict[int, int]()
        if not self.numbering:
            return found
        merged = range(BASE_VOCAB_SIZE, BASE_VOCAB_SIZE + len(self.merges))
        highest = max(*ids[: merged.start], *ids[merged.stop : len(self.tokens)])
        for index, (left, right) in zip(merged, self.merges, strict=True):
            inside = max(newest.get(left, -1), newest.get(right, -1))
            if ids[index] > highest:
                newest[index] = highest = ids[index]
            elif ids[index] < inside:
                newest[index] = inside
                found.add(index)
            else:  # what an extension does not do: it began later, if at all
                newest.clear()
                found.clear()
        return found

    @property
    def smallest(self) -> int:
        """The size without merges, where completed tokens are whole again."""
        return len(self.tokens) - len(self.merges) + len(self.completed)

    def truncated(self, size: int) -> Self:
        """Return the tokenizer of this size with its first merges; completed tokens are whole.

        With a numbering, all ids that are left stay.
        """
        last = end = BASE_VOCAB_SIZE + len(self.merges)
        left = len(self.tokens)
        while left > size:
            last -= 1
            left -= last not in self.completed
        merges = self.merges[: last - BASE_VOCAB_SIZE]
        whole = [*range(end, len(self.tokens)), *(one for one in self.completed if one >= last)]
        indexes = [*range(last), *sorted(whole, key=self.ids.__getitem__)]
        tokens = [self.tokens[one] for one in indexes]
        if not self.numbering:
            return replace(self, merges=merges, tokens=tokens)
        ids = (*(self.ids[one] for one in indexes), *self.special_tokens.values())
        return self.of_ids(merges, tokens, self.pattern, self.special_names, ids)

    def times_needed(self, counts: Sequence[int]) -> list[int]:
        """Return how often a text needs each token, from how often its ids have it, by indexes.

        It needs a token that a chunk has at any time while merges apply. That is part of a token
        that the chunk has at the end, and each token is always made of the same two.
        """
        times = [*counts]
        for index, parts in reversed([*enumerate(self.merges, BASE_VOCAB_SIZE)]):
            for part in parts:
                times[part] += times[index]
        return times

    def shrunk(self, kept: Container[int]) -> Self:
        """Return the tokenizer with some tokens; bytes, special tokens and all ids stay.

        A text that needs no other token keeps its ids: no pass of another merge finds its pair,
        so every chunk makes the same passes (`Shrinking.text_kept` in docs/proof). The bytes of a
        token that a text needs encode to it, so no two of them are equal, as in no file of schema
        version 3.

        Args:
            kept: the indexes of the tokens, with both parts of each.
        """
        first, end, table = BASE_VOCAB_SIZE, len(self.tokens), self.table
        stay = [one for one in range(len(table)) if not first <= one < end or one in kept]
        places = {index: place for place, index in enumerate(stay)}
        merged = enumerate(self.merges, first)
        merges = [(places[a], places[b]) for index, (a, b) in merged if index in places]
        tokens, ids = [table[one] for one in stay if one < end], (*(self.ids[one] for one in stay),)
        return self.of_ids(merges, tokens, self.pattern, self.special_names, ids)

    def renumbered(self) -> Self:
        """Return the tokenizer with the ids from 0 on, in the order of its ids."""
        new = {old: one for one, old in enumerate(sorted(self.ids))}
        ids = (*map(new.__getitem__, self.ids),)
        return self.of_ids(self.merges, self.tokens, self.pattern, self.special_names, ids)

    def keeping_ids(self) -> Self:
        """Return the same tokenizer with a numbering, so that training keeps its ids.

        Raises:
            ValueError: two of its tokens have the same bytes.
        """
        ((token, times),) = Counter(self.table).most_common(1)
        if times > 1:
            raise ValueError(
                f"cannot keep the ids of start: {times} of its tokens have the bytes "
                f"{shortened(token)}; no two may be equal"
            )
        return replace(self, numbering=(*self.ids,))

    def cut(self, text: str) -> list[str]:
        """Return ordinary text and special tokens in turn, as `SpecialTokens.cut` does."""
        return self._cutter.cut(text)

    @cached_property
    def _cutter(self) -> SpecialTokens:
        return SpecialTokens(self.special_tokens)

    def steps_of_chunks(self) -> Callable[[bytes], Iterator[tuple[int, list[int]]]]:
        """Return a function that yields the merges of a chunk, in indexes: see `Merges.steps`."""
        return Merges(self.merges).steps

    def ids_of_chunks(self) -> Callable[[bytes], list[int]]:
        """Return a function that gives the ids of a chunk."""
        apply, first = Merges(self.merges).apply, BASE_VOCAB_SIZE + len(self.merges)
        if not self.numbering:
            return apply
        id_of = self.numbering.__getitem__
        whole = {token: [id_of(index)] for index, token in enumerate(self.whole_tokens, first)}
        return lambda chunk: whole.get(chunk) or list(map(id_of, apply(chunk)))


def _checked_path(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise TypeError(f"path must be str or os.PathLike[str], got {type(name).__name__}")
    return name
