"""`bpetite chunks`: count the chunks of a text, as JSON Lines that `train --counts` reads."""

import argparse
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from importlib.metadata import version
from itertools import islice
from typing import Annotated, Final, NamedTuple, TypedDict

from bpetite._corpus import add_up
from bpetite._files import quoted, write_parts
from bpetite_cli import arguments, fields, values
from bpetite_cli.arguments import Commands
from bpetite_cli.corpus import Texts, counted
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, outputs
from bpetite_cli.io.documents import Documents
from bpetite_cli.io.json_lines import MOST_COUNT
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.results import write_result
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.terminal.visible import shortened

_SHOWN: Final = 20
"""The number of chunks that a terminal shows."""

_LONGEST_NAMED: Final = 40
"""The characters of a chunk that an error shows."""

_LINES_OF_A_BLOCK: Final = 1 << 12
"""The number of lines to write at once; a system call for each line would be slow."""


class _Chunk(TypedDict):
    """A chunk; `train --counts` reads it as a document."""

    text: str
    count: Annotated[int, "how often the chunk or token occurs in the text"]


class _Figures(fields.Files):
    bytes: int
    chunks: Annotated[int, "chunks of the text"]
    distinct_chunks: Annotated[int, "different chunks of the text, one on each line"]


class _Summary(_Figures, fields.Outputs):
    sha256: fields.Digest
    regex: str


def add_command(commands: Commands) -> None:
    """Add `chunks` to the command line."""
    parser = arguments.add_parser(
        commands,
        "chunks",
        "count the chunks of a text",
        "  bpetite chunks text.txt > chunks.jsonl\n"
        "  bpetite chunks --input docs.jsonl --jsonl text --output chunks.jsonl\n"
        "  bpetite chunks --counts counts.jsonl counts.jsonl --output chunks.jsonl\n"
        "  bpetite chunks --files-from list.txt |\n"
        "    bpetite train --counts - --vocab-size 512 --output tokenizer.json",
        "\n\nA chunk is a part of the text that no merge crosses, such as a word with the space\n"
        "before it. Each line of the output is a JSON object with a chunk and its count. The\n"
        "lines are sorted by the code points of the chunks; train --counts reads them, also\n"
        "from several files. A terminal gets the most frequent chunks instead.\n"
        "\n"
        "With --output, the file appears only when it is complete, and standard output\n"
        "gets a JSON object with the numbers of bytes and chunks.",
    )
    arguments.add_corpus(parser)
    arguments.add_output(parser)
    arguments.add_jobs(parser)
    parser.set_defaults(run=_run, prints={"": _Chunk, "--output": _Summary})


class _Counts(NamedTuple):
    """The chunks of some texts.

    size: the number of bytes of the texts.
    chunks: how often each chunk occurs.
    """

    size: int
    chunks: Mapping[str, int]


def _run(options: argparse.Namespace) -> None:
    documents = arguments.documents_of(options)
    outputs.check_output()
    size = inputs.check_inputs(documents.paths)
    outputs.check_destination(options.output, documents.sources, force=options.force)
    messages.say_if_typed("counting", documents.paths)
    with Work("counting text", documents.paths, size) as work:
        counts = _count(documents, arguments.jobs_of(options), work)
        work.begin("sorting")
        data = _lines(sorted(counts.chunks.items()))
        if options.output is None and not outputs.is_terminal():
            work.send(outputs.hold_output(data))
            return
        if options.output is None:
            work.hide()
            outputs.stream_output(_rows(counts, look_at_output()))
            return
        work.begin("saving")
        sha256 = _save(data, options.output, force=options.force)
    _summarize(counts, len(documents.paths), options.output, sha256)


def _count(documents: Documents, jobs: int, work: Work) -> _Counts:
    """Count the chunks of all documents."""
    texts = Texts(documents)
    with counted(texts, jobs, work) as parts:
        chunks = add_up(parts)
    _check_counts(chunks)
    return _Counts(texts.size, chunks)


def _check_counts(chunks: Mapping[str, int]) -> None:
    """Reject a sum that `--counts` would reject: each line is another chunk, so none is split."""
    chunk = max(chunks, key=chunks.__getitem__, default="")
    if chunks.get(chunk, 0) > MOST_COUNT:
        raise Failure(
            f"the chunk {chunk[:_LONGEST_NAMED]!r} occurs {chunks[chunk]} times, but --counts "
            f"reads counts up to {MOST_COUNT}\n"
            "train on these files themselves: train --counts accepts several"
        )


def _lines(chunks: Iterable[tuple[str, int]]) -> Iterator[bytes]:
    """Yield the lines of the chunks, many at a time."""
    lines = (outputs.json_line({"text": text, "count": count}) for text, count in chunks)
    while block := b"".join(islice(lines, _LINES_OF_A_BLOCK)):
        yield block


def _rows(counts: _Counts, screen: Screen) -> Iterator[str]:
    """Yield a row for each of the most frequent chunks, and a line about all of them."""
    order = nsmallest(_SHOWN, counts.chunks.items(), key=lambda item: (-item[1], item[0]))
    figures = max((len(f"{count:,}") for _, count in order), default=0)
    for text, count in order:
        begin, room = screen.beside([f"{count:>{figures},}"])
        yield f"{begin}{shortened(text.encode('utf-8'), room)}\n"
    distinct = messages.counted(len(counts.chunks), "distinct chunk")
    yield f"{distinct}, {sum(counts.chunks.values()):,} in all; --output saves them\n"


def _save(data: Iterable[bytes], path: str, *, force: bool) -> str:
    """Write a file completely or not at all, and return its digest."""
    digest = hashlib.sha256()
    write_parts(path, _hashed(data, digest), overwrite=force)
    return digest.hexdigest()


def _hashed(data: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for block in data:
        digest.update(block)
        yield block


def _summarize(counts: _Counts, files: int, path: str, sha256: str) -> None:
    """Print what was counted and written."""
    distinct = len(counts.chunks)
    summary: _Summary = {
        "files": files,
        "bytes": counts.size,
        "chunks": sum(counts.chunks.values()),
        "distinct_chunks": distinct,
        "outputs": [values.text_argument(path)],
        "sha256": sha256,
        "regex": version("regex"),
    }
    saved = (
        f"saved: {quoted(path)}, {messages.counted(distinct, 'distinct chunk')} "
        f"from {messages.in_units(counts.size)}"
    )
    write_result(summary, saved)
