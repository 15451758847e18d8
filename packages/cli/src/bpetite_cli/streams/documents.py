"""The documents of a command: files, or lines of files. No token spans two documents."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bpetite_cli.streams.inputs import Advance, read_text
from bpetite_cli.streams.json_lines import read_texts


class Documents(NamedTuple):
    """The locations of the documents.

    paths: the files; `-` is standard input.
    lists: the files that listed some of the paths.
    keys: the nested keys of the document in a line of a file, or None if each file is a
        document.
    counted: whether each line of the files has a text and a count.
    """

    paths: Sequence[str]
    lists: Sequence[str] = ()
    keys: Sequence[str] | None = None
    counted: bool = False

    @property
    def sources(self) -> list[str]:
        """All files to read."""
        return [*self.paths, *self.lists]

    def read(self, advance: Advance) -> Iterator[Iterable[str]]:
        """Yield the documents, each as blocks of text that end at safe boundaries."""
        for path in self.paths:
            yield from self.read_file(path, advance)

    def read_file(self, path: str, advance: Advance) -> Iterator[Iterable[str]]:
        """Yield the documents of one file, in the same way."""
        if self.keys is None:
            yield read_text(path, advance)
        else:
            for text in read_texts(path, self.keys, advance):
                yield [text]
