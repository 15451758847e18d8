"""Count the tokens of a text with every smaller vocabulary.

Prints a row for each size of the vocabulary: the tokens of the text, its bytes per
token, the share of the tokens that the step from the row before saves, and how many
ids the text does not use, special tokens included. A curve follows.

A smaller vocabulary has the first merges of a larger one. So the text is encoded
once, and the figures are exactly those of truncate and count.

Use text that the tokenizer did not learn from: on its own text, a large vocabulary
looks better than it is.

Examples:
  bpetite sizes --model tokenizer.json text.txt
  bpetite sizes --model tokenizer.json --at 280 300 --input text.txt
  bpetite sizes --model tokenizer.json --json text.txt
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from math import ceil, log2
from operator import mul
from typing import Annotated, Final, NamedTuple, TypedDict

from bpetite._artifact import Artifact
from bpetite._quoting import quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.arguments import Commands
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.views.frequencies import count_ids

_FIRST: Final = 512
_ROWS: Final = 12
_HEIGHT: Final = 10
_WIDEST: Final = 72
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"


class _Size(TypedDict):
    """A text with one vocabulary."""

    vocab_size: int
    tokens: int
    bytes_per_token: float | None
    saved: Annotated[int | None, "tokens saved since the size before; null for the first"]
    unused: Annotated[int, "ids, special tokens included, that do not occur in the text"]


class _Sizes(fields.Files):
    bytes: int
    sizes: Annotated[list[_Size], "the figures of each size of the vocabulary"]


class Totals(NamedTuple):
    """The figures of a text with each number of merges, from 0 on.

    size: the number of bytes.
    tokens: the number of tokens.
    unused: the number of ids that do not occur.
    """

    size: int
    tokens: Sequence[int]
    unused: Sequence[int]


def add_command(commands: Commands) -> None:
    """Add `sizes` to the command line."""
    parser = arguments.add_parser(commands, "sizes", __doc__)
    arguments.add_model(parser)
    arguments.add_file_argument(parser)
    arguments.add_files(parser)
    arguments.add_documents_in_files(parser)
    arguments.add_ordinary(parser)
    parser.add_argument(
        "--at",
        nargs="+",
        type=_vocab_size,
        action="extend",
        metavar="N",
        help="the sizes, without special tokens (default: about twelve in equal ratios, from 512 "
        "to that of the tokenizer)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    arguments.add_jobs(parser)
    parser.set_defaults(run=_run, prints={"--json": _Sizes})


def _vocab_size(word: str) -> int:
    if not word.isdecimal() and os.path.lexists(word):
        raise argparse.ArgumentTypeError(
            f"{word[:40]!r} is a file; put it before --at, or after --input"
        )
    return values.bounded("at least 256 (one for each byte)", 256)(word)


def _run(options: argparse.Namespace) -> None:
    documents = arguments.documents_of(options)
    total = inputs.check_inputs(documents.paths)
    with Work("loading", documents.paths) as work:
        artifact = models.load_artifact(options.model)
        sizes = sorted({*(options.at or default_sizes(artifact.mergeable))})
        if sizes[-1] > artifact.mergeable:
            raise Failure(
                f"cannot count with {sizes[-1]:,} tokens: {quoted(options.model)} has "
                f"{artifact.mergeable:,} (train a larger tokenizer with `bpetite train`)"
            )
        work.begin_reading("counting", total)
        totals = totals_of(artifact, count_ids(artifact, documents, options, work))
        rows = [*_rows(totals, sizes)]
        work.hide()
        if options.json:
            data: _Sizes = {"files": len(documents.paths), "bytes": totals.size, "sizes": rows}
            outputs.write_json(data)
        else:
            outputs.stream_output(_draw(totals, rows, look_at_output()))


def default_sizes(largest: int) -> Iterator[int]:
    """Yield about twelve sizes in equal ratios, so that what their steps save can be compared.

    >>> list(default_sizes(32000))
    [512, 724, 1024, 1448, 2048, 2896, 4096, 5793, 8192, 11585, 16384, 23170, 32000]
    """
    first = _FIRST if largest > _FIRST else 256
    doublings = log2(largest / first)
    steps = max(1, round(_ROWS / doublings)) if doublings else 1  # of each doubling
    for step in range(ceil(doublings * steps)):
        yield round(first * 2 ** (step / steps))
    yield largest


def totals_of(artifact: Artifact, counts: Sequence[int]) -> Totals:
    """Return the figures of a text for each number of merges.

    A smaller vocabulary makes the same merges, but not the last ones. A merge makes its id of
    two others, always the same: without it, each occurrence is one of both. So the counts of
    ids are enough (`Sizes.undo_counts_ok` in docs/proof).

    Args:
        artifact: the tokenizer.
        counts: how often each of its ids occurs in the text; the position is the id.
    """
    counts = list(counts)
    size = sum(map(mul, map(len, artifact.table), counts))
    tokens, unused = [sum(counts)], [counts.count(0)]
    for new_id in reversed(range(256, artifact.mergeable)):
        count, parts = counts[new_id], artifact.merges[new_id - 256]
        used_again = sum(not counts[part] for part in {*parts}) if count else 1
        for part in parts:
            counts[part] += count
        tokens.append(tokens[-1] + count)
        unused.append(unused[-1] - used_again)
    return Totals(size, tokens[::-1], unused[::-1])


def _rows(totals: Totals, sizes: Sequence[int]) -> Iterator[_Size]:
    for size, before in zip(sizes, [None, *sizes], strict=False):
        tokens = totals.tokens[size - 256]
        yield {
            "vocab_size": size,
            "tokens": tokens,
            "bytes_per_token": fields.ratio(totals.size, tokens),
            "saved": None if before is None else totals.tokens[before - 256] - tokens,
            "unused": totals.unused[size - 256],
        }


def _draw(totals: Totals, rows: Sequence[_Size], screen: Screen) -> Iterator[str]:
    """Yield the table, and the curve if there is one."""
    title = ("size", "tokens", "bytes/token", "saved", "unused")
    table = [title, *map(_shown, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    fitting = sum(end - 2 <= screen.width for end in accumulate(width + 2 for width in widths))
    for row in table:
        cells = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        line = "  ".join(islice(cells, fitting))
        yield f"{screen.paint(line, 'bold') if row is title else line}\n"
    if totals.size and len(rows) > 1:
        yield from _curve(totals, [row["vocab_size"] for row in rows], screen)


def _shown(row: _Size) -> Sequence[str]:
    tokens, per_token, saved = row["tokens"], row["bytes_per_token"], row["saved"]
    return (
        f"{row['vocab_size']:,}",
        f"{tokens:,}",
        "-" if per_token is None else f"{per_token:.3f}",
        "-" if saved is None or not tokens else f"{saved / (tokens + saved):.1%}",
        f"{row['unused']:,}",
    )


def _curve(totals: Totals, sizes: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield the lines of bytes per token, drawn against the logarithm of the size."""
    width = min(screen.width, _WIDEST)
    ratio = (sizes[-1] / sizes[0]) ** (1 / (width - 1))
    heights = [
        totals.size / totals.tokens[round(sizes[0] * ratio**column) - 256]
        for column in range(width)
    ]
    yield f"\n{screen.paint(f'bytes/token, up to {heights[-1]:.3f}', 'bold')}\n"
    for line in reversed(range(_HEIGHT)):
        filled = (height / heights[-1] * _HEIGHT - line for height in heights)
        cells = "".join(_EIGHTHS[round(8 * min(1, max(0, part)))] for part in filled)
        yield f"{screen.paint(cells.rstrip(), 'bar')}\n"
    yield f"{_axis(sizes, width)}\n"


def _axis(sizes: Sequence[int], width: int) -> str:
    """Return the sizes below their columns, as far as they have room; the last is at the end."""
    last = f"{sizes[-1]:,}"
    axis = ""
    for size in sizes[:-1]:
        place = round((width - 1) * log2(size / sizes[0]) / log2(sizes[-1] / sizes[0]))
        label = f"{size:,} "
        if len(axis) <= place and place + len(label) + len(last) <= width:
            axis = f"{axis:<{place}}{label}"
    return f"{axis:<{width - len(last)}}{last}"
