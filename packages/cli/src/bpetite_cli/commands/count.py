"""Count the tokens in files or standard input.

Prints one line per FILE: the number of tokens, a tab, and the name. A folder gets a
total after its files, and several inputs a total at the end.

Examples:
  bpetite count --model tokenizer.json text.txt
  bpetite count --model tokenizer.json --text "Hello world"
  bpetite count --model tokenizer.json --max 8000 < text.txt
  bpetite count --model tokenizer.json --by-token text.txt > by-token.jsonl

Details:
From standard input, it prints only the number. `--by-token` adds up all files, the most frequent
token first. If a file cannot be read, the other files are still counted, except with `--by-token`.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeAlias, TypedDict

from bpetite import Tokenizer
from bpetite._inner import quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.counting import count_ids
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io import inputs, outputs
from bpetite_cli.io.documents import Documents, Text
from bpetite_cli.io.folders import Folder
from bpetite_cli.pipe import Pipe, Tagged
from bpetite_cli.plugins import Engine, is_path, load_encoding
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views.vocabulary import Frequency, draw_frequencies, frequency_data

_PartSize: TypeAlias = tuple[int, int, int, str | None]
"""The number of a file, the bytes and tokens of a part of it, and any error."""


@dataclass
class _FileSize:
    """The bytes and tokens of one input so far, or its error."""

    path: str
    size: int = 0
    tokens: int = 0
    error: str | None = None


class _File(TypedDict):
    """The figures of a file, or its error."""

    path: Annotated[str, "the path of the file, `-` for standard input, or `--text`"]
    bytes: int | None
    tokens: int | None
    bytes_per_token: float | None
    error: Annotated[str | None, "why the file could not be read"]


class _Folder(fields.Files, fields.TextSize):
    """The figures of a folder."""

    path: str


class _Totals(fields.Documents, fields.TextSize, fields.Encoded):
    max: Annotated[int | None, "the limit `--max`"]
    max_each: Annotated[int | None, "the limit `--max-each`"]
    within: Annotated[bool | None, "whether `tokens` is at most `max`; null if unknown"]
    per_file: Annotated[list[_File], "the figures of each file"]
    per_folder: Annotated[list[_Folder], "the figures of each folder"]


def add_command(commands: Commands) -> None:
    """Add `count` to the command line."""
    parser = commands.add("count", __doc__)
    arguments.add_model(parser)
    arguments.add_text_or_documents(parser, "text to count, instead of files")
    arguments.add_options(parser, "--ordinary")
    limits = {
        "--max": "exit with status 1 if there are more than N tokens in total",
        "--max-each": "the same if a file has more than N tokens; each such file is named",
    }
    for name, told in limits.items():
        parser.add_argument(name, type=values.bounded("0 or more", 0), metavar="N", help=told)
    parser.add_argument(
        "--by-token",
        action="store_true",
        help="print how often each token of the vocabulary occurs",
    )
    parser.allow_one("--by-token", [*limits])
    arguments.add_options(parser, "--jobs", "--engine")
    parser.set_defaults(run=_run, prints={"--json": _Totals, "--by-token": Frequency})


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "counting", check=options.by_token) as pipe:
        if options.by_token:
            counts, _ = count_ids(pipe)
            rows = draw_frequencies(pipe.model, counts, look_at_output())
            pipe.bar.hide()
            outputs.write_rows(rows, frequency_data(pipe.model, counts))
            return
        name, ordinary = options.model, options.ordinary
        if is_path(name):
            counter: Callable[[str], int] = partial(_count, pipe.encoder, ordinary)
            in_blocks, engine = True, pipe.engine
        else:
            found = load_encoding(name, ordinary=ordinary, download=options.download)
            counter, in_blocks, engine = found
        files = [_FileSize(name) for name in pipe.documents.names]
        texts = _read(pipe.documents, files, in_blocks)
        for sizes in pipe.results(partial(_part_sizes, counter), texts):
            for number, size, tokens, error in sizes:
                files[number].size += size
                files[number].tokens += tokens
                if error is not None:
                    files[number].error = f"{inputs.name_of(files[number].path)}: {error}"
        total = _sum("total", files)
        complaints = _complaints(files, total.tokens, options)
        pipe.bar.hide()
        for complaint in complaints[:-1]:
            messages.say_error(complaint)
        if options.output_format == "json":
            outputs.write_json(_data(files, pipe.documents, total, options, engine))
        else:
            named = bool(options.input or options.files_from)
            outputs.write_output(_as_lines(files, pipe.documents.folders, total, named=named))
    if complaints:
        raise Failure(complaints[-1])


def _count(encoder: Tokenizer | Engine, ordinary: bool, text: str) -> int:
    return len(encoder.encode(text, ordinary=ordinary))


def _part_sizes(counter: Callable[[str], int], batch: list[Tagged[int]]) -> list[_PartSize]:
    """Count the bytes and tokens of some texts, each with the number of its file."""
    sizes: list[_PartSize] = []
    for text, number in batch:
        try:
            sizes.append((number, len(text.encode("utf-8")), counter(text), None))
        except ValueError as error:  # an encoding cannot count it
            sizes.append((number, 0, 0, str(error)))
    return sizes


def _read(
    documents: Documents, files: Sequence[_FileSize], in_blocks: bool
) -> Iterator[tuple[Tagged[int], int]]:
    """Yield the texts of all files, in blocks or whole; an error goes to its file."""
    for number, file in enumerate(files):
        try:
            for document in documents.read_file(file.path):
                for text, size in document if in_blocks else [_whole(document)]:
                    yield (text, number), size
        except (Failure, OSError) as error:
            file.error = explain(error)


def _whole(document: Iterable[Text]) -> Text:
    """Return a document as one block."""
    blocks = [*document]
    return "".join(text for text, _ in blocks), sum(size for _, size in blocks)


def _complaints(files: Sequence[_FileSize], tokens: int, options: argparse.Namespace) -> list[str]:
    """Return the errors, one or two lines each."""
    limit, each = options.max, options.max_each
    complaints = [file.error for file in files if file.error is not None]
    if complaints and len(files) > 1:
        left_out = f"{len(complaints)} of {len(files)} files"
        complaints.append(f"{left_out} could not be counted; the total covers the others")
    complaints += [
        f"{inputs.name_of(file.path)}: {file.tokens:,} tokens exceed --max-each {each} by "
        f"{file.tokens - each:,}"
        for file in files
        if file.error is None and each is not None and file.tokens > each
    ]
    if limit is not None and tokens > limit:
        complaints.append(
            f"{tokens:,} tokens exceed --max {limit} by {tokens - limit:,}; "
            "shorten the text, or raise --max"
        )
    return complaints


def _sum(path: str, files: Iterable[_FileSize]) -> _FileSize:
    """Return the sum of the files without an error."""
    good = [file for file in files if file.error is None]
    return _FileSize(path, sum(file.size for file in good), sum(file.tokens for file in good))


def _files_of(folder: Folder, files: Sequence[_FileSize]) -> Sequence[_FileSize]:
    return files[folder.first : folder.first + len(folder.files)]


def _as_lines(
    files: Sequence[_FileSize], folders: Sequence[Folder], total: _FileSize, *, named: bool
) -> Iterator[bytes]:
    """Yield the lines of the table, with names quoted if they would break the table."""
    rows: list[_FileSize] = []
    end = 0
    for folder in folders:
        inside = _files_of(folder, files)
        rows += [*files[end : folder.first], *inside, _sum(folder.path, inside)]
        end = folder.first + len(inside)
    rows += files[end:]
    if len(files) > 1 and not (len(folders) == 1 and len(files) == len(folders[0].files)):
        rows.append(total)
    for file in rows:
        name = values.text_argument(file.path)
        label = f"\t{name if name.isprintable() else quoted(name)}" if named else ""
        if file.error is None:
            yield f"{file.tokens}{label}\n".encode()


def _data(
    files: Sequence[_FileSize],
    documents: Documents,
    total: _FileSize,
    options: argparse.Namespace,
    engine: str,
) -> _Totals:
    good = sum(file.error is None for file in files)
    within = None if options.max is None else total.tokens <= options.max
    return {
        "files": good,
        "skipped": documents.skipped,
        **fields.text_fields(total.size, total.tokens),
        "engine": engine,
        "max": options.max,
        "max_each": options.max_each,
        "within": within if good == len(files) or not within else None,
        "per_file": list(map(_file, files)),
        "per_folder": [_folder(folder, _files_of(folder, files)) for folder in documents.folders],
    }


def _folder(folder: Folder, files: Sequence[_FileSize]) -> _Folder:
    all_in_it = _sum(folder.path, files)
    return {
        "files": sum(file.error is None for file in files),
        **fields.text_fields(all_in_it.size, all_in_it.tokens),
        "path": values.text_argument(folder.path),
    }


def _file(file: _FileSize) -> _File:
    good = file.error is None
    return {
        "path": values.text_argument(file.path),
        "bytes": file.size if good else None,
        "tokens": file.tokens if good else None,
        "bytes_per_token": fields.ratio(file.size, file.tokens) if good else None,
        "error": file.error,
    }
