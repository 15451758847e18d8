"""The documents of a command: files, or lines of files. No token spans two of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bpetite_cli.streams.inputs import Advance, read_text
from bpetite_cli.streams.json_lines import read_texts

__all__ = ["Documents"]


@dataclass(frozen=True, slots=True)
class Documents:
    """Where the documents are.

    paths: the files; `-` is standard input.
    lists: the files that listed some of the paths.
    keys: where a line of a file has its document, one key inside the other; or None if
        each file is a document.
    counted: whether the lines of the files have a text and a count each.
    """

    paths: Sequence[str]
    lists: Sequence[str] = ()
    keys: Sequence[str] | None = None
    counted: bool = False

    @property
    def sources(self) -> list[str]:
        """All files that are read."""
        return [*self.paths, *self.lists]

    def read(self, advance: Advance) -> Iterator[Iterable[str]]:
        """Yield the documents, each in blocks of text that end at safe boundaries."""
        for path in self.paths:
            yield from self.read_file(path, advance)

    def read_file(self, path: str, advance: Advance) -> Iterator[Iterable[str]]:
        """Yield the documents of one file, each in such blocks."""
        if self.keys is None:
            yield read_text(path, advance)
        else:
            for text in read_texts(path, self.keys, advance):
                yield [text]
