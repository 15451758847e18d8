"""A folder with one output for each input, and a manifest that says which are finished.

`manifest.jsonl` has a line for each output, from the moment when it is complete: its name, the
hashes of what it depends on, and its figures. So a command that was interrupted goes on with the
first output that lacks a line, or whose input, tokenizer or options have changed.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from time import monotonic
from typing import Any, Final, TypeAlias

from bpetite._inner import quoted, write_parts
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io import outputs
from bpetite_cli.io.documents import Text
from bpetite_cli.io.inputs import STANDARD_INPUT, name_of
from bpetite_cli.pipe import Pipe, Tagged
from bpetite_cli.terminal import messages

_MANIFEST: Final = "manifest.jsonl"
_FIGURES: Final = ("bytes", "tokens", "separators", "file_bytes")
_FIELDS: Final = {*_FIGURES, "input_sha256", "skipped", "engine"}
"""What a line has besides its options."""

_SECONDS_BETWEEN: Final = 60
"""The seconds between two lines with the time left."""

Part: TypeAlias = Tagged[tuple[int, int | None]]
"""A text, or an empty one with the id of a separator; and the number of its output."""

Packed: TypeAlias = tuple[int, Counter[str], bytes]
"""A part of an output: its number; bytes, tokens and separators; ids in the format."""

_Entry: TypeAlias = Mapping[str, Any]
"""A line of the manifest."""


@dataclass
class _Job:
    """An input and its output.

    path: the input.
    output: the output.
    entry: its line in the manifest, if it is finished.
    read: the part of this line that is known when the input is read.
    fault: why the input cannot be read.
    """

    path: str
    output: str
    entry: _Entry | None = None
    read: dict[str, object] = field(default_factory=dict)
    fault: str = ""


class OutputFolder:
    """The folder of `--output-dir`.

    left: the inputs whose outputs are not finished.

    Args:
        pipe: the pipe of the command.
        made_with: what the outputs depend on, besides their inputs.
        suffix: the end of their names.

    Raises:
        Failure: the outputs cannot be in this folder.
    """

    def __init__(self, pipe: Pipe, made_with: _Entry, suffix: str) -> None:
        self._pipe = pipe
        self._folder: str = pipe.options.output_dir
        self._manifest = os.path.join(self._folder, _MANIFEST)
        self._made_with: _Entry = json.loads(outputs.json_line(made_with))
        self._jobs = self._all_jobs(suffix)
        force = pipe.options.force or os.path.exists(self._manifest)
        outputs.check_destination_folder(self._folder, force=force)
        self._entries = self._read()
        for job in self._jobs:
            entry = self._entries.get(job.output, {})
            same = entry.items() >= self._made_with.items()
            if same and entry["input_sha256"] == _digest_of_file(job.path):
                job.entry = entry
        self.left = [job for job in self._jobs if job.entry is None]
        if self._finished:
            pipe.warnings.append(f"{self._so_far} were finished before")
        if others := len(self._entries.keys() - {job.output for job in self._jobs}):
            pipe.warnings.append(
                f"{quoted(self._folder)} also has {messages.counted(others, 'output')} of other "
                "inputs; mind them when you join the files"
            )
        pipe.total = sum(os.path.getsize(job.path) for job in self.left)

    def texts(
        self, place: Callable[[int, Iterable[Iterable[Text]]], Iterator[tuple[Part, int]]]
    ) -> Iterator[tuple[Part, int]]:
        """Yield the parts of all outputs that are left, with the bytes read.

        Args:
            place: yields those of one output, given its number and its documents.
        """
        documents = self._pipe.documents
        for number, job in enumerate(self.left):
            yield ("", (number, None)), 0  # an empty file has an output too
            before = dict(documents.skipped or {})
            try:
                digest = _digest_of_file(job.path)  # if it changes from now on, it is done again
                yield from place(number, documents.read_file(job.path))
            except (Failure, OSError) as error:
                job.fault = explain(error)
                continue
            skipped = documents.skipped
            new = skipped and {reason: skipped[reason] - before[reason] for reason in before}
            job.read = {"input_sha256": digest, "skipped": new, "engine": self._pipe.engine}

    def write(
        self, parts: Iterable[Packed], join: Callable[[Iterable[bytes]], Iterator[bytes]]
    ) -> Counter[str]:
        """Write the outputs that are left; return the sums of the figures of all of them.

        Args:
            parts: their parts, in order.
            join: yields the content of an output.

        Raises:
            Failure: some inputs could not be read; the others are finished.
        """
        os.makedirs(self._folder, exist_ok=True)
        # Without a line that a killed process has begun, and those of outputs that are gone.
        write_parts(self._manifest, map(outputs.json_line, self._entries.values()), overwrite=True)
        try:
            for number, of_one in groupby(self._with_time_left(parts), itemgetter(0)):
                self._write_one(self.left[number], of_one, join)
        finally:
            if self._finished < len(self._jobs):
                told = f"{self._so_far} are finished; the same command goes on from there"
                self._pipe.warnings.append(told)
        faults = [job.fault for job in self.left if job.fault]
        for fault in faults[:-1]:
            messages.say_error(fault)
        if faults:
            raise Failure(faults[-1])
        entries = [job.entry for job in self._jobs if job.entry]
        self._pipe.engine = ", ".join(sorted({entry["engine"] for entry in entries}))
        skipped = self._pipe.documents.skipped or {}
        for reason in skipped:
            skipped[reason] = sum(entry["skipped"][reason] for entry in entries)
        return Counter({name: sum(entry[name] for entry in entries) for name in _FIGURES})

    @property
    def _finished(self) -> int:
        return sum(job.entry is not None for job in self._jobs)

    @property
    def _so_far(self) -> str:
        return f"{self._finished:,} of {len(self._jobs):,} outputs"

    def _all_jobs(self, suffix: str) -> list[_Job]:
        """Return the output of each input: its name, or its path in its folder, and a suffix."""
        documents, within = self._pipe.documents, os.path.realpath(self._folder)
        names = {path: os.path.basename(path) for path in documents.paths}
        for folder in documents.folders:
            names |= {path: os.path.relpath(path, folder.path) for path in folder.files}
            above = os.path.realpath(folder.path)
            if os.path.commonpath([above, within]) == above:
                raise Failure(
                    f"{quoted(self._folder)} is in {quoted(folder.path)}; choose a folder outside"
                )
        sources = (self._pipe.options.model, *documents.paths, *documents.lists)
        taken = {*map(os.path.realpath, sources)}
        jobs = dict[str, _Job]()
        for path in documents.paths:
            if path == STANDARD_INPUT or not os.path.isfile(path):
                raise Failure(
                    f"{name_of(path)} is not a file. --output-dir reads files again to know which "
                    "are finished; use --output"
                )
            job = _Job(path, os.path.join(self._folder, names[path] + suffix))
            if (other := jobs.setdefault(job.output, job).path) != path:
                raise Failure(
                    f"{quoted(other)} and {quoted(path)} would have the same output; encode them "
                    "into two folders"
                )
            if os.path.realpath(job.output) in taken:
                raise Failure(
                    f"{quoted(job.output)} is also an input and would be overwritten; choose "
                    "another folder"
                )
        return [*jobs.values()]

    def _read(self) -> dict[str, _Entry]:
        """Return the lines of the manifest whose outputs exist, by their paths."""
        entries = dict[str, _Entry]()
        with suppress(FileNotFoundError), open(self._manifest, "rb") as file:
            for line in file:
                with suppress(ValueError, KeyError, TypeError, OSError):
                    entry = json.loads(line)
                    path = os.path.join(self._folder, entry["output"])
                    if entry.keys() >= _FIELDS and os.path.getsize(path) == entry["file_bytes"]:
                        entries[path] = entry
        return entries

    def _with_time_left(self, parts: Iterable[Packed]) -> Iterator[Packed]:
        """Yield parts; each minute, a log gets the time left, which a bar shows."""
        bar, begun = self._pipe.bar, monotonic()
        told = begun
        for part in parts:
            yield part
            now = monotonic()
            if now - told >= _SECONDS_BETWEEN and bar.done and not bar.is_wanted:
                told = now
                left = (now - begun) * ((self._pipe.total or 0) / bar.done - 1)
                messages.say(f"{timedelta(seconds=round(left))} left")

    def _write_one(
        self,
        job: _Job,
        parts: Iterable[Packed],
        join: Callable[[Iterable[bytes]], Iterator[bytes]],
    ) -> None:
        """Write an output, unless reading its input fails."""
        figures = Counter(dict.fromkeys(_FIGURES, 0))
        os.makedirs(os.path.dirname(job.output), exist_ok=True)

        def whole() -> Iterator[bytes]:
            yield from added(figures, parts)
            if job.fault:
                raise Failure(job.fault)

        try:
            figures["file_bytes"] = write_parts(job.output, join(whole()), overwrite=True)
        except Failure:
            if not job.fault:
                raise
            if os.path.exists(job.output):
                job.fault += f"\n{quoted(job.output)} is of an earlier version of this input"
            return
        job.entry = {
            "input": job.path,
            "output": os.path.relpath(job.output, self._folder),
            **job.read,
            **figures,
            **self._made_with,
        }
        with open(self._manifest, "ab") as file:
            file.write(outputs.json_line(job.entry))


def added(total: Counter[str], packed: Iterable[Packed]) -> Iterator[bytes]:
    """Yield the bytes of each part, and add its figures to the total."""
    for _, figures, data in packed:
        total.update(figures)
        yield data


def _digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
