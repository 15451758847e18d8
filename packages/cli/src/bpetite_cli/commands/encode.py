r"""Turn text into token ids.

Examples:
  bpetite encode --model tokenizer.json --text "Hello world"
  bpetite encode --model tokenizer.json text.txt > ids.json
  bpetite encode --model tokenizer.json --input a.txt b.txt --separator-token \
    --format u16 --output train.bin
  bpetite encode --model tokenizer.json --input docs.jsonl --jsonl text \
    --separator-token --separator-at after --format u16 > shard1.bin
  bpetite encode --model tokenizer.json notes --glob '*.txt' --format u16 --output-dir ids

Details:
`json` is one array, and `text` one id per line. `u16` has two bytes per id, little-endian, for ids
up to 65535; `numpy.memmap(PATH, dtype="<u2")` reads it. `u32` has four (`"<u4"`).

A document is a file, or what `--jsonl`, `--parquet` or `--document-separator` finds in it. With
`--separator-at before` or `after`, each has a separator, so outputs can be concatenated. Separators
are special also with `--ordinary`.

With `--output-dir`, each input has a file there, such as `a.txt.u16`. After a stop, run the command
again: it does what is missing or has changed, by the digests in `manifest.jsonl`. An input that
cannot be read does not stop the others.
"""

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from time import monotonic
from typing import Annotated, Final, TypeAlias

from bpetite import Tokenizer
from bpetite._inner import END_OF_TEXT_TOKEN, Artifact, quoted, write_parts
from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io import outputs
from bpetite_cli.io.documents import Text
from bpetite_cli.io.formats import FORMATS
from bpetite_cli.io.manifest import Manifest, digest_of_file, jobs_of
from bpetite_cli.pipe import Pipe, Tagged
from bpetite_cli.plugins import Engine
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.values import short

_FIGURES: Final = ("bytes", "tokens", "separators", "file_bytes")

_SECONDS_BETWEEN: Final = 60
"""The seconds between two lines with the time left."""

_Part: TypeAlias = Tagged[tuple[int, int | None]]
"""A text, or an empty one with the id of a separator; and the number of its output."""

_Packed: TypeAlias = tuple[int, Counter[str], bytes]
"""A part of an output: its number; bytes, tokens and separators; ids in the format."""

_Place: TypeAlias = Callable[[int, Iterable[Iterable[Text]]], Iterator[tuple[_Part, int]]]
"""Yields the parts of an output with the bytes read, given its number and its documents."""


class _Summary(fields.Documents, fields.TextSize, fields.Outputs, fields.Encoded):
    separators: Annotated[int, "separators, which are not part of `tokens`"]
    format: Annotated[str, ("enum", tuple(FORMATS)), "the format of the ids"]
    file_bytes: Annotated[int, "the size of the file"]


def add_command(commands: Commands) -> None:
    """Add `encode` to the command line."""
    parser = commands.add("encode", __doc__)
    arguments.add_model(parser)
    arguments.add_text_or_documents(
        parser, "text to encode, instead of files", "--separator-token", "--separator"
    )
    parser.advice["FILE"] = "for words of a text, use --text"
    parser.add_argument(
        "--separator-token",
        action="store_true",
        help=f"put {END_OF_TEXT_TOKEN}, or the only special token, between documents",
    )
    parser.add_argument(
        "--separator", metavar="NAME", help="put this special token between documents"
    )
    parser.add_argument(
        "--separator-at",
        choices=("between", "before", "after"),
        metavar="PLACE",
        help="between documents (default), before or after",
    )
    parser.allow_one("--separator-token", "--separator")
    parser.need("--separator-at", "--separator-token", "--separator")
    arguments.add_options(parser, "--ordinary")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="json",
        metavar="FORMAT",
        help="of the ids: json (default), text, u16 or u32",
    )
    arguments.add_options(parser, "--output")
    parser.add_argument(
        "--output-dir",
        type=values.file_path,
        metavar="DIR",
        help="write a file for each input to DIR, and resume",
    )
    arguments.add_options(parser, "--force", "--jobs", "--engine")
    parser.need("--force", "--output", "--output-dir")
    parser.allow_one("--output", "--output-dir")
    parser.allow_one("--text", "--output-dir")
    parser.set_defaults(run=_run, prints={"--output": _Summary, "--output-dir": _Summary})


def _run(options: argparse.Namespace) -> None:
    chosen = FORMATS[options.format]
    file, folder = options.output, options.output_dir
    if file is folder is None and chosen.width and outputs.is_terminal(sys.stdout):
        raise Failure(
            f"refusing to write binary {options.format} data to a terminal; "
            "use --output or redirect"
        )
    with Pipe(options, "encoding") as pipe:
        artifact, highest_id = pipe.model, max(pipe.model.ids)
        if chosen.width and highest_id >= 1 << (8 * chosen.width):
            raise Failure(
                f"{options.format} holds ids up to {(1 << (8 * chosen.width)) - 1}, but this "
                f"tokenizer has ids up to {highest_id}; use --format u32"
            )
        separator = _separator(artifact, options)
        if separator is None and options.document_separator is not None:
            pipe.warnings.append(
                "nothing is between the documents; --separator-token puts a special token there"
            )
        pack = partial(_pack, pipe.encoder, options.format, options.ordinary)
        place = partial(_with_separators, separator=separator, at=options.separator_at)
        if folder is not None:
            total = _Each(pipe, place, separator).write(pack)
        else:
            total = Counter[str]()
            texts = place(0, pipe.documents.read())
            parts = chain.from_iterable(pipe.results(pack, texts))
            total["file_bytes"] = pipe.write(chosen.join(_added(total, parts)))
            if file is None:
                return
        summary: _Summary = {
            **pipe.documents.figures,
            **fields.text_fields(total["bytes"], total["tokens"]),
            "outputs": [values.text_argument(file or folder)],
            "engine": pipe.engine,
            "separators": total["separators"],
            "format": options.format,
            "file_bytes": total["file_bytes"],
        }
        others = f" and {messages.counted(total['separators'], 'separator')}"
        pipe.report(
            summary,
            saved=f"saved: {quoted(file or folder)}, {total['tokens']:,} tokens"
            f"{others if total['separators'] else ''} as {options.format}, "
            f"{messages.in_units(total['file_bytes'])}",
        )


class _Each:
    """Writes a file for each input that is not finished.

    finished: how many outputs are, of all.

    Args:
        pipe: the pipe of the command.
        place: yields the texts of an output, given its number and the documents.
        separator: the id of the token between documents.
    """

    def __init__(self, pipe: Pipe, place: _Place, separator: int | None) -> None:
        options, documents = pipe.options, pipe.documents
        self._pipe, self._place = pipe, place
        self._format = FORMATS[options.format]
        names = ("format", "ordinary", "jsonl", "parquet", "document_separator", "skip_invalid")
        made_with = {
            "tokenizer_sha256": hashlib.sha256(pipe.model.to_bytes()).hexdigest(),
            "options": {name: getattr(options, name) for name in names}
            | {"separator": separator, "separator_at": separator and options.separator_at},
        }
        self._jobs = jobs_of(documents.paths, documents.folders, f".{options.format}")
        inputs = [*documents.paths, *documents.lists, *(one.path for one in documents.folders)]
        self._manifest = Manifest(options.output_dir, inputs, made_with, force=options.force)
        self._manifest.check_outputs(self._jobs, [options.model, *inputs])
        self._left = [job for job in self._jobs if not self._manifest.has(job)]
        self.finished = len(self._jobs) - len(self._left)
        if self.finished:
            pipe.warnings.append(f"{self._so_far} were finished before")
        if others := len(self._manifest.entries.keys() - {job.output for job in self._jobs}):
            pipe.warnings.append(
                f"{quoted(options.output_dir)} also has {messages.counted(others, 'output')} of "
                "other inputs; mind them when you join the files"
            )
        pipe.total = sum(os.path.getsize(job.path) for job in self._left)
        self._digests, self._faults = dict[int, str](), dict[int, str]()

    @property
    def _so_far(self) -> str:
        return f"{self.finished:,} of {len(self._jobs):,} outputs"

    def write(self, pack: Callable[[list[_Part]], list[_Packed]]) -> Counter[str]:
        """Write the files; return the sums of the figures of all of them.

        Raises:
            Failure: some inputs could not be read; the others are finished.
        """
        try:
            parts = _with_time_left(self._pipe, pack, self._texts())
            for number, of_one in groupby(parts, itemgetter(0)):
                self._write(number, of_one)
            self._report_faults()
        except BaseException:
            told = f"{self._so_far} are finished; the same command goes on from there"
            self._pipe.warnings.append(told)
            raise
        total = Counter[str]()
        for job in self._jobs:
            entry = self._manifest.entries[job.output]
            total.update({name: entry[name] for name in _FIGURES})
        return total

    def _texts(self) -> Iterator[tuple[_Part, int]]:
        for number, job in enumerate(self._left):
            yield ("", (number, None)), 0  # an empty file has an output too
            try:
                digest = digest_of_file(job.path)  # if it changes from now on, it is done again
                self._digests[number] = digest
                yield from self._place(number, self._pipe.documents.read_file(job.path))
            except (Failure, OSError) as error:
                self._faults[number] = explain(error)

    def _write(self, number: int, parts: Iterable[_Packed]) -> None:
        """Write an output, unless reading its input fails."""
        job, figures = self._left[number], Counter(dict.fromkeys(_FIGURES, 0))
        path = self._manifest.path_of(job.output)
        os.makedirs(os.path.dirname(path), exist_ok=True)

        def whole() -> Iterator[bytes]:
            yield from _added(figures, parts)
            if number in self._faults:
                raise Failure(self._faults[number])

        try:
            size = write_parts(path, self._format.join(whole()), overwrite=True)
        except Failure:
            if number not in self._faults:
                raise
            if os.path.exists(path):
                self._faults[number] += f"\n{quoted(path)} is of an earlier version of this input"
            return
        figures["file_bytes"] = size
        self._manifest.add(job, {"input_sha256": self._digests.pop(number), **figures})
        self.finished += 1

    def _report_faults(self) -> None:
        faults = [*self._faults.values()]
        for fault in faults[:-1]:
            messages.say_error(fault)
        if faults:
            raise Failure(faults[-1])


def _with_time_left(
    pipe: Pipe,
    pack: Callable[[list[_Part]], list[_Packed]],
    texts: Iterator[tuple[_Part, int]],
) -> Iterator[_Packed]:
    """Yield the parts of outputs; each minute, a log gets the time left, which a bar shows."""
    begun = told = monotonic()
    for parts in pipe.results(pack, texts):
        yield from parts
        now = monotonic()
        if now - told >= _SECONDS_BETWEEN and pipe.bar.done and not pipe.bar.is_wanted:
            told = now
            left = (now - begun) * ((pipe.total or 0) / pipe.bar.done - 1)
            messages.say(f"{timedelta(seconds=round(left))} left")


def _pack(
    encoder: Tokenizer | Engine, name: str, ordinary: bool, batch: list[_Part]
) -> list[_Packed]:
    """Turn texts and separators into parts of outputs, in the format with this name."""
    packed: list[_Packed] = []
    for number, parts in groupby(batch, lambda part: part[1][0]):
        ids: list[int] = []
        figures = Counter[str]()
        for text, (_, separator) in parts:
            if separator is None:
                ids += encoder.encode(text, ordinary=ordinary)
                figures["bytes"] += len(text.encode("utf-8"))
            else:
                ids.append(separator)
                figures["separators"] += 1
        figures["tokens"] = len(ids) - figures["separators"]
        packed.append((number, figures, FORMATS[name].pack(ids) if ids else b""))
    return packed


def _added(total: Counter[str], packed: Iterable[_Packed]) -> Iterator[bytes]:
    """Yield the bytes of each part, and add its figures to the total."""
    for _, figures, data in packed:
        total.update(figures)
        yield data


def _separator(artifact: Artifact, options: argparse.Namespace) -> int | None:
    """Return the id of the token between documents, or None if nothing separates them."""
    names = artifact.special_names
    if options.separator is not None:
        name = values.text_argument(options.separator)
        fault = f"has no special token {short(name)}"
    elif options.separator_token:
        name = names[0] if len(names) == 1 else END_OF_TEXT_TOKEN
        fault = "has several special tokens"
    else:
        return None
    if name in names:
        return artifact.special_tokens[name]
    way_out = "`bpetite train` and `bpetite import` add some with --special"
    if names:
        shown = [shortened(other.encode("utf-8"), 40) for other in names]
        way_out = f"name one with --separator: {messages.listed(shown, 10)}"
    else:
        fault = "has no special token to separate documents"
    raise Failure(f"{quoted(options.model)} {fault}; {way_out}")


def _with_separators(
    output: int, documents: Iterable[Iterable[Text]], separator: int | None, at: str | None
) -> Iterator[tuple[_Part, int]]:
    """Yield the texts of documents, with separators, if any, at the requested positions."""
    for number, texts in enumerate(documents):
        if separator is not None and (at == "before" or (at != "after" and number)):
            yield ("", (output, separator)), 0
        for text, size in texts:
            yield (text, (output, None)), size
        if separator is not None and at == "after":
            yield ("", (output, separator)), 0
