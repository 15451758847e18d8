"""The documents of a command: no token spans two of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bpetite_cli.streams.inputs import Advance, read_text

__all__ = ["Documents", "read_documents"]


@dataclass(frozen=True, slots=True)
class Documents:
    """Where the documents are.

    paths: the files; `-` is standard input.
    lists: the files that listed some of the paths.
    """

    paths: Sequence[str]
    lists: Sequence[str] = ()

    @property
    def sources(self) -> list[str]:
        """All files that are read."""
        return [*self.paths, *self.lists]

    def read(self, advance: Advance) -> Iterator[Iterable[str]]:
        """Yield the documents, each in blocks of text that end at safe boundaries."""
        for path in self.paths:
            yield from read_documents(path, advance)


def read_documents(path: str, advance: Advance) -> Iterator[Iterable[str]]:
    """Yield the documents of one file."""
    yield read_text(path, advance)
