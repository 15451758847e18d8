"""A tokenizer as data: read it from a tokenizer file, make it from merges, write it.

Not here: the content of the file (`_schema`), safe files (`_reading`, `_writing`), encoding
and decoding (`_tokenizer`).
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, MAX_FILE_BYTES
from bpetite._merges import Merges, unreachable
from bpetite._patterns import GPT2, Pattern
from bpetite._quoting import quoted
from bpetite._reading import read_file
from bpetite._schema import read
from bpetite._schema.canonical import FileSize, to_json
from bpetite._schema.versions import Content, refuse
from bpetite._writing import write_parts


class Artifact(Content):
    """A tokenizer as data, with the fields of `Content`."""

    __slots__ = ()

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
        size = FileSize(Content([], [], pattern, special_names))
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
        return cls.of_bytes(read_file(name, MAX_FILE_BYTES), name)

    @classmethod
    def of_bytes(cls, data: bytes, name: str) -> Self:
        """Return the tokenizer in the content of a file with this name."""
        try:
            return cls(*read(data))
        except KeyError as error:
            raise KeyError(f"{quoted(name)}: {error.args[0]}") from None
        except ValueError as error:
            raise ValueError(f"{quoted(name)}: {error}") from None

    def write(self, path: str | os.PathLike[str], *, overwrite: bool, keep: bool = False) -> str:
        """Write the tokenizer file and return its digest. For the errors, see `Tokenizer.save`."""
        name = _checked_path(path)
        data = self.to_bytes()
        write_parts(name, [data], overwrite=overwrite, keep=keep)
        return hashlib.sha256(data).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the content of the tokenizer file, always the same for the same tokenizer."""
        return self.numbering.to_json(self) if self.numbering else to_json(self)

    @property
    def ids(self) -> Sequence[int]:
        """The id of each number."""
        if self.numbering:
            return self.numbering.ids
        return range(len(self.tokens) + len(self.special_names))

    @property
    def whole_tokens(self) -> Sequence[bytes]:
        """The bytes of the whole tokens."""
        return self.tokens[BASE_VOCAB_SIZE + len(self.merges) :]

    @property
    def special_tokens(self) -> dict[str, int]:
        """The id of each special token."""
        return dict(zip(self.special_names, self.ids[len(self.tokens) :], strict=True))

    @property
    def vocab(self) -> dict[int, bytes]:
        """The bytes of each id, as the specification's `save` and `load` have them."""
        return dict(zip(self.ids, self.table, strict=True))

    @property
    def unreachable(self) -> list[int]:
        """The numbers of the merges whose bytes do not encode to them."""
        return unreachable(self.merges)

    def ids_of_chunks(self) -> Callable[[bytes], list[int]]:
        """Return a function that gives the ids of a chunk."""
        apply, first = Merges(self.merges).apply, BASE_VOCAB_SIZE + len(self.merges)
        if not self.numbering:
            return apply
        id_of = self.numbering.ids.__getitem__
        whole = {token: [id_of(number)] for number, token in enumerate(self.whole_tokens, first)}
        return lambda chunk: whole.get(chunk) or list(map(id_of, apply(chunk)))


def _checked_path(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise TypeError(f"path must be str or os.PathLike[str], got {type(path).__name__}")
    return name
