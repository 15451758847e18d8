"""The way in: documents are files, lines or rows of files, or text. No token spans two."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bpetite._inner import quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io import json_lines, parquet
from bpetite_cli.io.inputs import ignore, name_of, read_content, read_text, split_at
from bpetite_cli.io.not_utf8 import CONVERT, is_utf16
from bpetite_cli.io.reading import Reading


class Documents(NamedTuple):
    """The locations of the documents.

    paths: the files; `-` is standard input.
    lists: the files that listed some of the paths.
    keys: the nested keys of the document in a line of JSON Lines.
    column: the column of the document in a row of a Parquet file. Without keys and column, each
        file is a document.
    with_counts: whether each line of the files has a text and a count.
    text: a document that is an argument.
    """

    paths: Sequence[str] = ()
    lists: Sequence[str] = ()
    keys: Sequence[str] | None = None
    column: str | None = None
    with_counts: bool = False
    text: str | None = None

    @property
    def sources(self) -> list[str]:
        """All files to read."""
        return [*self.paths, *self.lists]

    def read(self, reading: Reading) -> Iterator[Iterable[str]]:
        """Yield the documents, each as blocks of text that end at safe boundaries."""
        if self.text is not None:
            yield [self.text]
        for path in self.paths:
            yield from self.read_file(path, reading)

    def read_file(self, path: str, reading: Reading) -> Iterable[Iterable[str]]:
        """Return the documents of one file, in the same way."""
        if self.keys is not None:
            texts = json_lines.read_texts(path, self.keys, reading.advance)
        elif self.column is not None:
            texts = parquet.read_texts(path, self.column, reading.advance)
        else:
            return [read_text(path, reading)]
        return ([text] for text in texts)


def read_list(path: str, *, null: bool) -> list[str]:
    r"""Return the paths in a list, decoded like command-line arguments.

    Args:
        path: the list; `-` is standard input.
        null: whether paths end with a NUL byte instead of `\n` or `\r\n`.
    """
    paths: list[str] = []
    parts = split_at(b"\0" if null else b"\n", read_content(path, ignore).blocks)
    for number, part in enumerate(parts, 1):
        if listed := part if null else part.removesuffix(b"\r"):
            _check(listed, path, number)
            paths.append(os.fsdecode(listed))
    if not paths:
        raise Failure(f"{name_of(path)} lists no files; add at least one")
    return paths


def _check(listed: bytes, path: str, number: int) -> None:
    """Reject a path that could not be an argument."""
    if is_utf16(listed):
        raise Failure(
            f"{name_of(path)} looks like UTF-16; {CONVERT} iconv -f UTF-16LE (or UTF-16BE) -t UTF-8"
        )
    if b"\0" in listed:
        raise Failure(f"{name_of(path)}, line {number} contains a NUL byte; use --null")
    try:
        listed.decode("utf-8")
    except UnicodeDecodeError:
        raise Failure(
            f"{name_of(path)}, entry {number} is not UTF-8: {listed[:80]!r}; rename the file"
        ) from None


def expand_patterns(words: Iterable[str]) -> list[str]:
    """Return the paths that the words name, in the order of the words and then by name."""
    if sys.platform != "win32":
        return list(words)
    return [path for word in words for path in _paths(word)]


def _paths(word: str) -> list[str]:
    from glob import glob  # noqa: PLC0415 - only Windows needs it

    if not {"*", "?"} & set(word) or os.path.lexists(word):
        return [word]
    if found := sorted(glob(word.replace("[", "[[]"))):  # brackets are no pattern there
        return found
    raise Failure(f"no file matches {quoted(word)}; check the pattern")
