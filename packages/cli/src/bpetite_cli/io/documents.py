"""The way in: documents are files, lines or rows of files, or text. No token spans two."""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from bpetite._inner import quoted
from bpetite_cli import fields
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io import json_lines, parquet
from bpetite_cli.io.folders import Folder, read_folders
from bpetite_cli.io.inputs import EMPTY, STANDARD_INPUT, Input, Oddity, size_of, split_at
from bpetite_cli.io.kinds import LIKE_UTF16, is_utf16
from bpetite_cli.values import Field, short, text_argument

Text: TypeAlias = tuple[str, int]
"""A text that ends at a safe boundary, and the number of bytes read for it."""

REASONS: Final = ("null", "missing", "wrong_type")
"""Why a document is not text."""

_MOST_FAULTS: Final = 10


class Documents:
    """The documents that the options of a command select; without any, it is standard input.

    odd: gets what is odd about the files that are read, with their names.
    skipped: gets the number of documents that are not text, by reason; None if such are errors.
    faults: what is wrong with files that cannot be read, by path.
    field: the field of the documents in a line of JSON Lines.
    column: the column of the document in a row of a Parquet file.
    separator: the text between the documents of a file; without all three, each file is one.
    with_counts: whether each line of the files has a text and a count.
    text: a document that is an argument.
    is_unnamed: whether it is standard input because nothing else is named.
    paths: the files; `-` is standard input.
    lists: the files that listed some of the paths.
    folders: the folders that some of the paths are in.
    names: the files, or `--text`.
    figures: how many files there are, and what is left out of them.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = vars(options)
        given = {name: value for name, value in self._options.items() if value is not None}
        self.odd: dict[Oddity, list[str]] = {}
        self.skipped = dict.fromkeys(REASONS, 0) if given.get("skip_invalid") else None
        self.faults: dict[str, str] = {}
        self.field: Field | None = given.get("jsonl")
        self.column: str | None = given.get("parquet")
        self.separator: str | None = given.get("document_separator")
        self.with_counts = "counts" in given
        self.text = text_argument(given["text"]) if "text" in given else None
        self.is_unnamed = not given.keys() & {"input", "files_from", "counts", "text", "ids"}
        named: str | list[str] = given.get("counts") or given.get("input", [])
        self.paths = expand_patterns([named] if isinstance(named, str) else named)
        if self.is_unnamed:
            self.paths = [STANDARD_INPUT]
        self.lists: list[str] = [given["files_from"]] if "files_from" in given else []
        for name in self.lists:
            self.paths += read_list(name, null=options.null)
        self.folders: list[Folder] = []
        if "glob" in self._options:
            pattern, output, parquet = given.get("glob"), given.get("output"), "parquet" in given
            self.paths, self.folders = read_folders(
                self.paths, self.faults, pattern, output, parquet=parquet
            )
        if [*self.paths, *self.lists].count(STANDARD_INPUT) > 1:
            raise Failure("standard input (-) can be read only once; name it once")
        self.names = self.paths if self.text is None else ["--text"]
        self.figures = fields.Documents(files=len(self.paths), skipped=self.skipped)

    @property
    def all_faults(self) -> str:
        """What is wrong with the files that cannot be read, for a message."""
        listed = [self.faults[path] for path in dict.fromkeys(self.paths) if path in self.faults]
        if len(listed) == 1:
            return listed[0]
        shown = [fault.replace("\n", "; ") for fault in listed[:_MOST_FAULTS]]
        if len(listed) > _MOST_FAULTS:
            shown.append(f"and {len(listed) - _MOST_FAULTS:,} more")
        return "\n".join([f"{len(listed):,} files cannot be read", *shown])

    def check(self) -> int | None:
        """Look at all files before the first is read, and note what is wrong with them.

        Returns:
            The size of the files in bytes, or None if it is unknown, as for a pipe.
        """
        known = {path for folder in self.folders for path in folder.files}
        is_text = "glob" in self._options and self.column is None
        sizes: list[int | None] = []
        for path in self.paths:
            try:
                sizes.append(size_of(path, is_text=is_text and path not in known))
            except (Failure, OSError) as error:
                if isinstance(error, FileNotFoundError):
                    error.strerror = f"{error.strerror}{self._meant(path)}"
                self.faults.setdefault(path, explain(error))
        return None if None in sizes else sum(filter(None, sizes))

    def _meant(self, path: str) -> str:
        """Return what a word may mean that names no file, for a message."""
        options = self._options
        if "*" in path and "glob" in options:
            return " (for names with *, name the folder and add --glob)"
        if "jsonl" in options and re.fullmatch(r"\.\w+", path):
            return f" (for a field of JSON Lines, use --jsonl {path[1:]})"
        if "text" in options and (" " in path or not {*"./"} & {*path}):
            return " (for a text, use --text)"
        to = options.get("output", path), options.get("output_dir")
        if self.paths[1:] and path == self.paths[-1] and to == (None, None):
            return " (to write to it, use --output)"
        return ""

    def note_empty(self, what: str) -> None:
        """Note that there is no text at all; if no input is named, that is an error."""
        if self.is_unnamed:
            raise Failure("no input is named, and standard input is empty; name a file")
        self.odd[EMPTY] = [what]

    def read(self) -> Iterator[Iterable[Text]]:
        """Yield the documents, each in blocks."""
        for name in self.names:
            yield from self.read_file(name)

    def read_file(self, path: str) -> Iterator[Iterable[Text]]:
        """Yield the documents of one file, or of `--text`, in the same way."""
        if self.text is not None:
            yield [(self.text, 0)]
            return
        if path in self.faults:
            raise Failure(self.faults[path])
        source = Input(path, self.odd, self.skipped)
        if self.field is not None:
            texts = json_lines.read_texts(source, self.field)
        elif self.column is not None:
            texts = parquet.read_texts(source, self.column)
        else:
            yield from map(source.with_sizes, source.documents(self.separator))
            return
        for text in source.with_sizes(texts):
            yield [text]

    def read_with_counts(self, pattern: str) -> Iterator[tuple[tuple[str, int], int]]:
        """Yield each text with the number of its repetitions, and the number of bytes read.

        Args:
            pattern: the name of the pattern, for files with chunks.
        """
        if self.with_counts:
            for path in self.paths:
                source = Input(path, self.odd)
                yield from source.with_sizes(json_lines.read_counts(source, pattern))
        else:
            for document in self.read():
                for text, size in document:
                    yield (text, 1), size


def read_list(path: str, *, null: bool) -> list[str]:
    r"""Return the paths in a list, decoded like command-line arguments.

    Args:
        path: the list; `-` is standard input.
        null: whether paths end with a NUL byte instead of `\n` or `\r\n`.
    """
    paths: list[str] = []
    source = Input(path, {})
    for number, part in enumerate(split_at(b"\0" if null else b"\n", source.content()), 1):
        listed = part if null else part.removesuffix(b"\r")
        if is_utf16(listed):
            raise Failure(f"{source.name} {LIKE_UTF16}")
        if b"\0" in listed:
            raise Failure(f"{source.name}, line {number} contains a NUL byte; use --null")
        try:
            listed.decode("utf-8")
        except UnicodeDecodeError:
            raise Failure(
                f"{source.name}, entry {number} is not UTF-8: {short(listed)}; rename the file"
            ) from None
        if listed:
            paths.append(os.fsdecode(listed))
    if not paths:
        raise Failure(f"{source.name} lists no files; add at least one")
    return paths


def expand_patterns(words: Iterable[str]) -> list[str]:
    """Return the paths that the words name, in the order of the words and then by name."""
    if sys.platform != "win32":
        return list(words)
    from glob import glob  # noqa: PLC0415 - only Windows needs it

    paths: list[str] = []
    for word in words:
        if not {"*", "?"} & set(word) or os.path.lexists(word):
            paths.append(word)
        elif found := sorted(glob(word.replace("[", "[[]"))):  # brackets are no pattern there
            paths += found
        else:
            raise Failure(f"no file matches {quoted(word)}; check the pattern")
    return paths
