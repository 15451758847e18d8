"""A tokenizer as data: read it from a tokenizer file, make it from merges, write it.

A file is opened once, so its merges, tokens, size and digest come from the same bytes.

Not here: the content of the file (`_schema`), safe files (`_reading`, `_writing`), encoding
and decoding (`_tokenizer`).
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, MAX_FILE_BYTES
from bpetite._patterns import GPT2, Pattern
from bpetite._quoting import quoted
from bpetite._reading import read_file
from bpetite._schema import read
from bpetite._schema.canonical import FileSize, to_json
from bpetite._schema.versions import refuse
from bpetite._writing import write_file


class Artifact(NamedTuple):
    """A tokenizer as data.

    merges: pairs of ids; the merge at rank r makes the id 256 + r.
    tokens: the bytes of the mergeable tokens; the position of each is its id.
    pattern: the split pattern.
    special_names: the special tokens; their ids follow those of the mergeable tokens.
    read_from: the size and digest of the file that it was read from, if any.
    """

    merges: Sequence[tuple[int, int]]
    tokens: Sequence[bytes]
    pattern: Pattern = GPT2
    special_names: tuple[str, ...] = (END_OF_TEXT_TOKEN,)
    read_from: tuple[int, str] | None = None

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
        size = FileSize(pattern, special_names)
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
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer file. For the errors, see `Tokenizer.load`."""
        name = _checked_path(path)
        data = read_file(name, MAX_FILE_BYTES)
        try:
            content = read(data)
        except KeyError as error:
            raise KeyError(f"{quoted(name)}: {error.args[0]}") from None
        except ValueError as error:
            raise ValueError(f"{quoted(name)}: {error}") from None
        return cls(*content, (len(data), _sha256(data)))

    def write(self, path: str | os.PathLike[str], *, overwrite: bool) -> str:
        """Write the tokenizer file and return its digest. For the errors, see `Tokenizer.save`."""
        name = _checked_path(path)
        data = self.to_bytes()
        write_file(name, data, overwrite=overwrite)
        return _sha256(data)

    def to_bytes(self) -> bytes:
        """Return the content of the tokenizer file, always the same for the same tokenizer."""
        return to_json(self.merges, self.pattern, self.special_names)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same tokenizer, whatever files they come from."""
        return isinstance(other, Artifact) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((len(self.merges), *self.merges[-1:]))

    @property
    def file_bytes(self) -> int:
        """The size of the file it was read from, or else of the file to write, in bytes."""
        return self.read_from[0] if self.read_from else len(self.to_bytes())

    @property
    def sha256(self) -> str:
        """The SHA-256 of that file, in hex."""
        return self.read_from[1] if self.read_from else _sha256(self.to_bytes())

    @property
    def mergeable(self) -> int:
        """The number of mergeable tokens; their ids come first."""
        return len(self.tokens)

    @property
    def highest_id(self) -> int:
        """The highest id of all tokens."""
        return len(self.tokens) + len(self.special_names) - 1

    def is_special(self, token_id: int) -> bool:
        """Return whether this is the id of a special token."""
        return len(self.tokens) <= token_id <= self.highest_id

    @property
    def special_tokens(self) -> dict[str, int]:
        """The id of each special token."""
        return {name: len(self.tokens) + place for place, name in enumerate(self.special_names)}

    @property
    def table(self) -> list[bytes]:
        """The bytes of all tokens; the position of each is its id."""
        return [*self.tokens, *(name.encode("utf-8") for name in self.special_names)]

    @property
    def vocab(self) -> dict[int, bytes]:
        """The bytes of each id, as the specification's `save` and `load` have them."""
        return dict(enumerate(self.table))

    def bytes_of(self, token_id: int) -> bytes:
        """Return the bytes of an id, which may be a special token's."""
        if self.is_special(token_id):
            return self.special_names[token_id - len(self.tokens)].encode("utf-8")
        return self.tokens[token_id]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _checked_path(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise TypeError(f"path must be str or os.PathLike[str], got {type(path).__name__}")
    return name
