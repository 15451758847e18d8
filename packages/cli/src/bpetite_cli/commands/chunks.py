"""Count the chunks of a text.

A chunk is a part of the text that no merge crosses, such as a word with the space
before it. train --counts reads the result.

Examples:
  bpetite chunks text.txt > chunks.jsonl
  bpetite chunks --input docs.jsonl --jsonl text --output chunks.jsonl
  bpetite chunks --files-from list.txt |
    bpetite train --counts - --vocab-size 512 --output tokenizer.json

Details:
Each line of the result is a JSON object with a chunk and its count, sorted by the code points of
the chunks. A terminal gets the most frequent chunks instead. [Large corpora](../large-corpora.md)
counts on many machines.
"""

import argparse
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from importlib.metadata import version
from itertools import islice
from typing import Annotated, Final, TypedDict

from bpetite._inner import ALL_PATTERNS, quoted, total_chunks
from bpetite_cli import arguments, fields, values
from bpetite_cli.counting import CountedCorpus
from bpetite_cli.errors import Failure
from bpetite_cli.io import outputs
from bpetite_cli.io.json_lines import MOST_COUNT
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.values import short

_SHOWN: Final = 20
"""The number of chunks that a terminal shows."""

_LINES_OF_A_BLOCK: Final = 1 << 12
"""The number of lines to write at once; a system call for each line would be slow."""


class _Chunk(TypedDict):
    """A chunk; `train --counts` reads it, too."""

    text: str
    count: Annotated[int, "how often the chunk or token occurs in the text"]
    pattern: str


class _Figures(fields.InputSize):
    chunks: Annotated[int, "chunks of the text"]
    distinct_chunks: Annotated[int, "different chunks of the text"]
    pattern: str


class _Summary(_Figures, fields.Outputs):
    sha256: fields.Digest
    regex: str


def add_command(commands: Commands) -> None:
    """Add `chunks` to the command line."""
    parser = commands.add("chunks", __doc__)
    arguments.add_corpus(parser)
    arguments.add_pattern(parser, "gpt2", ALL_PATTERNS)
    arguments.add_options(parser, "--output", "--force", "--jobs")
    parser.need("--force", "--output")
    parser.set_defaults(run=_run, prints={"": _Chunk, "--output": _Summary})


def _run(options: argparse.Namespace) -> None:
    pattern = ALL_PATTERNS[options.pattern or "gpt2"]
    with Pipe(options, "counting text", "counting") as pipe:
        corpus = CountedCorpus(pipe, pattern)
        chunks = total_chunks(corpus.parts())
        _check_counts(chunks)
        if options.output is None and not outputs.wants_json():
            pipe.stream(_rows(chunks, look_at_output()))
            return
        pipe.bar.begin("sorting")
        digest = hashlib.sha256()
        data = _lines(sorted(chunks.items()), pattern.name, digest)
        if options.output is not None:
            pipe.bar.begin("saving")
        pipe.write(data)
        if options.output is None:
            return
        summary: _Summary = {
            **pipe.documents.figures,
            "bytes": corpus.size,
            "chunks": sum(chunks.values()),
            "distinct_chunks": len(chunks),
            "pattern": pattern.name,
            "outputs": [values.text_argument(options.output)],
            "sha256": digest.hexdigest(),
            "regex": version("regex"),
        }
        pipe.report(
            summary,
            saved=f"saved: {quoted(options.output)}, "
            f"{messages.counted(len(chunks), 'distinct chunk')} from "
            f"{messages.in_units(corpus.size)}",
        )


def _check_counts(chunks: Mapping[str, int]) -> None:
    """Reject a sum that `--counts` would reject: each line is another chunk, so none is split."""
    chunk = max(chunks, key=chunks.__getitem__, default="")
    if chunks.get(chunk, 0) > MOST_COUNT:
        raise Failure(
            f"the chunk {short(chunk)} occurs {chunks[chunk]} times, but --counts "
            f"reads counts up to {MOST_COUNT}\n"
            "train on these files themselves: train --counts accepts several"
        )


def _lines(
    chunks: Iterable[tuple[str, int]], pattern: str, digest: "hashlib._Hash"
) -> Iterator[bytes]:
    """Yield the lines of the chunks, many at a time, and add them to a digest."""
    rows: Iterator[_Chunk] = (
        {"text": text, "count": count, "pattern": pattern} for text, count in chunks
    )
    while block := b"".join(map(outputs.json_line, islice(rows, _LINES_OF_A_BLOCK))):
        digest.update(block)
        yield block


def _rows(chunks: Mapping[str, int], screen: Screen) -> Iterator[str]:
    """Yield a row for each of the most frequent chunks, and a line about all of them."""
    order = nsmallest(_SHOWN, chunks.items(), key=lambda item: (-item[1], item[0]))
    figures = max((len(f"{count:,}") for _, count in order), default=0)
    for text, count in order:
        begin, room = screen.beside([f"{count:>{figures},}"])
        yield f"{begin}{shortened(text.encode('utf-8'), room)}\n"
    distinct = messages.counted(len(chunks), "distinct chunk")
    yield f"{distinct}, {sum(chunks.values()):,} in all; --output saves them\n"
