"""A folder with one output for each input, and a manifest that says which are finished.

`manifest.jsonl` has a line for each output, from the moment when it is complete: its name, the
digests of what it depends on, and its figures. So a command that was interrupted goes on with the
first output that lacks a line, or whose input, tokenizer or options have changed.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

from bpetite._inner import quoted, write_parts
from bpetite_cli.errors import Failure
from bpetite_cli.io.folders import Folder
from bpetite_cli.io.inputs import STANDARD_INPUT, name_of
from bpetite_cli.io.outputs import json_line

_NAME: Final = "manifest.jsonl"

Entry: TypeAlias = Mapping[str, Any]
"""A line of the manifest."""


class Job(NamedTuple):
    """An input and its output in the folder, by its name there."""

    path: str
    output: str


def jobs_of(paths: Sequence[str], folders: Iterable[Folder], suffix: str) -> list[Job]:
    """Return the output of each input: its name, or its path in its folder, and a suffix.

    Raises:
        Failure: two inputs have the same output, or one has no name.
    """
    names = {path: os.path.basename(path) for path in paths}
    for folder in folders:
        names |= {path: os.path.relpath(path, folder.path) for path in folder.files}
    inputs = dict[str, str]()
    for path in paths:
        if path == STANDARD_INPUT or not os.path.isfile(path):
            raise Failure(
                f"{name_of(path)} is no file: --output-dir reads files again, to know which are "
                "finished; use --output"
            )
        if (other := inputs.setdefault(names[path], path)) != path:
            raise Failure(
                f"{quoted(other)} and {quoted(path)} would have the same output; encode them into "
                "two folders"
            )
    return [Job(path, name + suffix) for name, path in inputs.items()]


def digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


class Manifest:
    """The manifest of a folder.

    entries: its lines, by the name of the output.
    path: its path.

    Args:
        folder: the folder, which is made if it does not exist.
        inputs: files and folders that are inputs.
        made_with: what the outputs depend on, besides their inputs.
        force: whether the folder may have other files.

    Raises:
        Failure: the outputs cannot be in this folder.
    """

    def __init__(
        self, folder: str, inputs: Iterable[str], made_with: Entry, *, force: bool
    ) -> None:
        self._made_with: Entry = json.loads(json_line(made_with))
        self._folder = folder
        self.path = os.path.join(folder, _NAME)
        self.entries: dict[str, Entry] = {}
        within = os.path.realpath(folder)
        for path in inputs:
            if os.path.isdir(path) and os.path.commonpath([os.path.realpath(path), within]) == (
                os.path.realpath(path)
            ):
                raise Failure(f"{quoted(folder)} is in {quoted(path)}; choose a folder outside")
        try:
            os.makedirs(folder, exist_ok=True)
        except FileExistsError:
            raise Failure(f"{quoted(folder)} is not a folder; choose another one") from None
        if os.path.exists(self.path):
            self._read()
        elif os.listdir(folder) and not force:
            raise Failure(
                f"{quoted(folder)} is not empty and has no {_NAME}; use --force to write into it, "
                "or choose another folder"
            )
        # Without a line that a killed process has begun, and those of outputs that are gone.
        lines = [json_line(entry) for entry in self.entries.values()]
        write_parts(self.path, lines, overwrite=True)

    def _read(self) -> None:
        with open(self.path, "rb") as file:
            for line in file:
                with suppress(ValueError, KeyError, TypeError, OSError):
                    entry = json.loads(line)
                    if os.path.getsize(self.path_of(entry["output"])) == entry["file_bytes"]:
                        self.entries[entry["output"]] = entry

    def check_outputs(self, jobs: Iterable[Job], inputs: Iterable[str]) -> None:
        """Reject outputs that are also an input, as `check_not_an_input` does for few of both."""
        known = {_key(path) for path in inputs if os.path.exists(path)}
        for path in (self.path_of(job.output) for job in jobs):
            if os.path.exists(path) and _key(path) in known:
                raise Failure(
                    f"{quoted(path)} is also an input and would be overwritten; choose another "
                    "folder"
                )

    def path_of(self, output: str) -> str:
        """Return the path of an output."""
        return os.path.join(self._folder, output)

    def has(self, job: Job) -> bool:
        """Return whether an output is finished, of the same input, and made with the same."""
        entry = self.entries.get(job.output, {})
        same = entry.items() >= self._made_with.items()
        return same and entry["input_sha256"] == digest_of_file(job.path)

    def add(self, job: Job, figures: Entry) -> None:
        """Add the line of an output that is finished, with the digest of its input."""
        entry = {"input": job.path, "output": job.output, **figures, **self._made_with}
        self.entries[job.output] = entry
        with open(self.path, "ab") as file:
            file.write(json_line(entry))
