"""Folders as inputs: the text files in them, in the order of their names.

What no person would take for text is skipped and counted: hidden files, binary files, tokenizer
files, and the command's own output. Any other file is an input, so one that is not UTF-8 is an
error.
`--parquet` reads the Parquet files instead. Links to folders are not followed. A file that folders
reach twice is read once; what is named on the command line is read as often as it is named.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TypeAlias

from bpetite._inner import quoted
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io.inputs import Input
from bpetite_cli.io.kinds import (
    LIKE_UTF16,
    advice_on_archive,
    is_tokenizer_file,
    is_utf16,
    signature,
)

_Key: TypeAlias = tuple[int, int]
"""A file or a folder, by its device and its number there."""


@dataclass
class Folder:
    """A folder that is an input.

    path: its path.
    first: the place of its first file among all inputs.
    files: the paths of the files in it to read, in order.
    bytes: their size on the disk.
    skipped: the number of files that are not read, by the reason.
    """

    path: str
    first: int
    files: list[str] = field(default_factory=list)
    bytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def what_is_skipped(self) -> str:
        """What is not read, as the end of a message."""
        listed = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped.items())
        return f"; skipped: {listed}" if listed else ""


def read_folders(
    paths: Sequence[str],
    faults: dict[str, str],
    pattern: str | None,
    output: str | None,
    *,
    parquet: bool,
) -> tuple[list[str], list[Folder]]:
    """Return the paths with the files of each folder in its place, and the folders.

    Args:
        paths: files and folders.
        faults: gets what is wrong with files that cannot be read, by path.
        pattern: a pattern for the names of the files in folders, such as `*.md`.
        output: the file that the command writes, which is not read.
        parquet: whether Parquet files are read, instead of text.

    Raises:
        Failure: a folder has no file to read, or there is a pattern and no folder.
    """
    expanded: list[str] = []
    folders: list[Folder] = []
    found_by: dict[_Key, _Key] = {}
    own = _key(os.stat(output)) if output is not None and os.path.exists(output) else None
    for path in paths:
        if not os.path.isdir(path):
            expanded.append(path)
            continue
        folder = Folder(path, len(expanded))
        folders.append(folder)
        key, here = _key(os.stat(path)), set[_Key]()
        for entry in _files(path, folder.skipped):
            status = os.stat(entry.path)  # on Windows, that of `scandir` has no number
            file = _key(status)
            if pattern is not None and not fnmatchcase(entry.name, pattern):
                reason: str | None = "with other names"
            elif file == own:
                reason = "the output"
            elif file in here or found_by.get(file, key) != key:
                reason = "read already"
            else:
                reason = _reason(entry.path, faults, parquet=parquet)
            if reason is not None:
                folder.skipped[reason] += 1
                continue
            here.add(file)
            found_by[file] = key  # the same folder, named again, reads it again
            folder.files.append(entry.path)
            folder.bytes += status.st_size
        if not folder.files and "read already" not in folder.skipped:
            raise Failure(
                f"{quoted(path)} has no text file to read{folder.what_is_skipped}; name files, or "
                "another --glob"
            )
        expanded += folder.files
    if pattern is not None and not folders:
        raise Failure("--glob narrows folders, and no input is one; leave it out")
    return expanded, folders


def _key(status: os.stat_result) -> _Key:
    return status.st_dev, status.st_ino


def _files(path: str, skipped: Counter[str]) -> Iterator["os.DirEntry[str]"]:
    """Yield the files below a folder in the order of names; count what is hidden."""
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: os.fsencode(entry.name)):
            if entry.name.startswith("."):
                skipped["hidden"] += 1
            elif entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, skipped)
            elif _is_file(entry):
                yield entry
            else:
                skipped["of other kinds"] += 1  # links to folders or to nothing, devices


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        entry.name.encode("utf-8")
        return entry.is_file()
    except UnicodeEncodeError:
        raise Failure(f"{quoted(entry.path)}: its name is not UTF-8; rename it") from None
    except OSError:  # a link to itself
        return False


def _reason(path: str, faults: dict[str, str], *, parquet: bool) -> str | None:
    """Return why a file in a folder is not read, or None; note what is wrong with it."""
    source = Input(path, {})
    try:
        begin = source.begin()
        if parquet:
            return None if begin.startswith(b"PAR1") else "of other kinds"
        if is_utf16(begin):
            faults[path] = f"{source.name} {LIKE_UTF16}"
        elif b"\0" in begin or advice_on_archive(begin) or signature(begin):
            return "binary"
        elif is_tokenizer_file(begin):
            return "of tokenizers"
        else:
            source.check(begin)
    except (Failure, OSError) as error:
        faults[path] = explain(error)
    return None
