"""Count the tokens of a text with every smaller vocabulary.

Use documents that the tokenizer did not learn from: on its own text, a large
vocabulary may look better than it is.

Examples:
  bpetite sizes --model tokenizer.json text.txt
  bpetite sizes --model tokenizer.json --at 280 300 --input text.txt

Details:
Each row has the tokens of the text, its bytes per token, how many tokens the step from the row
before saves, what share twice the vocabulary would save at this rate, and how many ids the text
does not use.
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from math import log2
from operator import mul
from typing import Annotated, Final, NamedTuple, TypedDict

from bpetite._inner import Artifact, quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.counting import count_ids
from bpetite_cli.errors import Failure
from bpetite_cli.io import models, outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.values import short

_FIRST: Final = 512
_ROWS: Final = 12
_HEIGHT: Final = 6
_WIDEST: Final = 72
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"


class _Size(TypedDict):
    """A text with one vocabulary."""

    vocab_size: int
    tokens: int
    bytes_per_token: float | None
    saved: Annotated[int | None, "tokens saved since the size before; null for the first"]
    saved_per_doubling: Annotated[
        float | None, "the share of tokens that twice the size would save"
    ]
    unused: Annotated[int, "ids, special tokens included, that the text does not use"]


class _Sizes(fields.InputSize, fields.Encoded):
    sizes: Annotated[list[_Size], "the figures of each size"]


class Totals(NamedTuple):
    """The figures of a text for each size of the vocabulary, from the smallest on.

    size: the number of bytes.
    smallest: the size of the vocabulary without merges.
    tokens: the number of tokens.
    unused: the number of ids that do not occur.
    """

    size: int
    smallest: int
    tokens: Sequence[int]
    unused: Sequence[int]

    def tokens_at(self, vocab_size: int) -> int:
        """Return the number of tokens with one size of the vocabulary."""
        return self.tokens[vocab_size - self.smallest]


def add_command(commands: Commands) -> None:
    """Add `sizes` to the command line."""
    parser = commands.add("sizes", __doc__)
    arguments.add_model(parser)
    arguments.add_documents(parser)
    arguments.add_options(parser, "--ordinary")
    parser.add_argument(
        "--at",
        nargs="+",
        type=_vocab_size,
        action="extend",
        metavar="N",
        help="the sizes, without special tokens (default: about twelve)",
    )
    arguments.add_options(parser, "--jobs", "--engine")
    parser.set_defaults(run=_run, prints={"": _Sizes})


def _vocab_size(word: str) -> int:
    if not word[:1].isdecimal() or (not word.isdecimal() and os.path.lexists(word)):
        raise Failure(f"{short(word)} is no size; put a FILE before --at, or after --input")
    return values.vocab_size(word)


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "counting") as pipe:
        artifact = pipe.model
        default = default_sizes(len(artifact.tokens), artifact.smallest)
        sizes = sorted({*(options.at or default)})
        for size in (sizes[-1], sizes[0]):
            cannot = f"cannot count with {size:,} tokens: {quoted(options.model)}"
            models.check_size(artifact, size, cannot)
        # A completed token counts apart where it is a chunk: there it stays, whole again.
        completed = {artifact.tokens[one].decode("utf-8"): one for one in artifact.completed}
        counts, chunks = count_ids(pipe, frozenset(completed))
        whole = {index: chunks[chunk] for chunk, index in completed.items()}
        totals = totals_of(artifact, counts, whole)
        rows = [*_rows(totals, sizes)]
        if outputs.wants_json():
            data: _Sizes = {
                **pipe.documents.figures,
                "bytes": totals.size,
                "engine": pipe.engine,
                "sizes": rows,
            }
            pipe.report(data)
        else:
            pipe.stream(["".join(_draw(totals, rows, look_at_output()))])


def default_sizes(largest: int, smallest: int = 256) -> list[int]:
    """Return the doublings from 512, and between the largest of them others, up to twelve.

    >>> default_sizes(32000)
    [512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32000]
    """
    first = _FIRST if smallest < _FIRST < largest else smallest
    doublings = [first << power for power in range((largest // first).bit_length())]
    between = (size * part // 4 for part in (6, 5, 7) for size in reversed(doublings))
    ends = {*doublings, largest}
    others = islice((size for size in between if size < largest), max(0, _ROWS - len(ends)))
    return sorted(ends.union(others))


def totals_of(artifact: Artifact, counts: Sequence[int], whole: Mapping[int, int]) -> Totals:
    """Return the figures of a text for each number of merges.

    A smaller vocabulary makes the same merges, but not the last ones. A merge makes its id of
    two others, always the same: without it, each occurrence is one of both. So the counts of
    ids are enough (`Sizes.undo_counts_ok` in docs/proof).

    Args:
        artifact: the tokenizer.
        counts: how often each of its tokens occurs in the text, in the order of indexes.
        whole: how often each completed token is a chunk, by its index.
    """
    counts = list(counts)
    size = sum(map(mul, map(len, artifact.table), counts))
    tokens, unused = [total := sum(counts)], [idle := counts.count(0)]
    for index, parts in reversed([*enumerate(artifact.merges, 256)]):
        merged = counts[index] - whole.get(index, 0)
        if merged:
            idle -= sum(not counts[part] for part in {*parts})
        for part in parts:
            counts[part] += merged
        total += merged
        counts[index] -= merged
        if index in whole:
            idle += merged > 0 and not counts[index]
        else:
            idle -= not merged
            tokens.append(total)
            unused.append(idle)
    return Totals(size, len(artifact.tokens) + 1 - len(tokens), tokens[::-1], unused[::-1])


def _rows(totals: Totals, sizes: Sequence[int]) -> Iterator[_Size]:
    for size, smaller in zip(sizes, [None, *sizes], strict=False):
        tokens = totals.tokens_at(size)
        saved = rate = None
        if smaller is not None:
            before = totals.tokens_at(smaller)
            saved = before - tokens
            rate = round(1 - (tokens / before) ** (1 / log2(size / smaller)), 4) if before else None
        yield {
            "vocab_size": size,
            "tokens": tokens,
            "bytes_per_token": fields.ratio(totals.size, tokens),
            "saved": saved,
            "saved_per_doubling": rate,
            "unused": totals.unused[size - totals.smallest],
        }


def _draw(totals: Totals, rows: Sequence[_Size], screen: Screen) -> Iterator[str]:
    """Yield the table, and the curve if there is one."""
    title = ("size", "tokens", "bytes/token", "saved", "per doubling", "unused")
    table = [title, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    fitting = sum(end - 2 <= screen.width for end in accumulate(width + 2 for width in widths))
    for row in table:
        cells = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        line = "  ".join(islice(cells, fitting))
        yield f"{screen.paint(line, 'bold') if row is title else line}\n"
    if totals.size and len(rows) > 1:
        yield from _curve(totals, [row["vocab_size"] for row in rows], screen)


def _cells(row: _Size) -> Sequence[str]:
    per_token, saved, rate = row["bytes_per_token"], row["saved"], row["saved_per_doubling"]
    return (
        f"{row['vocab_size']:,}",
        f"{row['tokens']:,}",
        "-" if per_token is None else f"{per_token:.3f}",
        "-" if saved is None else f"{saved:,}",
        "-" if rate is None else f"{rate:.1%}",
        f"{row['unused']:,}",
    )


def _curve(totals: Totals, sizes: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield the lines of bytes per token against the logarithm of the size."""
    width = min(screen.width, _WIDEST)
    ratio = (sizes[-1] / sizes[0]) ** (1 / (width - 1))
    heights = [
        totals.size / totals.tokens_at(round(sizes[0] * ratio**column)) for column in range(width)
    ]
    low, high = heights[0], heights[-1]
    title = f"bytes/token, {low:.2f} to {high:.2f}"
    yield f"\n{screen.paint(title[: screen.width], 'bold')}\n"
    for line in reversed(range(_HEIGHT)):
        filled = (_HEIGHT * (height - low) / (high - low or 1) - line for height in heights)
        cells = "".join(_EIGHTHS[round(8 * min(1, max(0, part)))] for part in filled)
        yield f"{screen.paint(cells.rstrip(), 'bar')}\n"
    yield f"{_axis(sizes, width)}\n"


def _axis(sizes: Sequence[int], width: int) -> str:
    """Return the sizes below their columns where there is room: the ends, then powers of two."""
    axis = " " * width
    for size in sorted(sizes, key=lambda one: (one not in {sizes[0], sizes[-1]}, one & (one - 1))):
        label = f"{size:,}"
        place = round((width - 1) * log2(size / sizes[0]) / log2(sizes[-1] / sizes[0]))
        place = min(place, width - len(label))
        if not axis[max(0, place - 1) : place + len(label) + 1].strip():
            axis = axis[:place] + label + axis[place + len(label) :]
    return axis
