"""Count the distinct pieces and chunks of a text as it grows, for docs/large-corpora.md.

    uv run python scripts/benchmarks/distinct.py FILE...

The files are read in order, as one corpus. The table has a row for each doubling of the size from
30 MB on, and one for the whole corpus.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bpetite._pretokenizer import blocks, count_chunks, count_pieces

_FIRST_ROW: Final = 30_000_000
_MUCH_MORE: Final = 1.01
_BLOCK_CHARACTERS: Final = 1 << 16


class Row(NamedTuple):
    """The bytes read so far, and how many distinct pieces and chunks they have."""

    size: int
    pieces: int
    chunks: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Count the distinct pieces of a growing text.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    files = parser.parse_args(arguments).files
    print("| MB | distinct pieces | distinct chunks |\n|---|---|---|")
    try:
        for row in rows((path.read_bytes().decode("utf-8") for path in files), _FIRST_ROW):
            print(f"| {row.size / 1e6:.0f} | {row.pieces:,} | {row.chunks:,} |")
    except (OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def rows(texts: Iterable[str], size: int) -> Iterator[Row]:
    """Yield a row at this size, at each doubling, and at the end."""
    pieces: Counter[str] = Counter()
    read = last = 0
    for text in texts:
        for block in blocks(text, _BLOCK_CHARACTERS):
            count_pieces(block, pieces)
            read += len(block.encode("utf-8"))
            if read >= size:
                yield _row(read, pieces)
                last = read
                size *= 2
    if read > last * _MUCH_MORE:
        yield _row(read, pieces)


def _row(size: int, pieces: Counter[str]) -> Row:
    return Row(size, len(pieces), len(count_chunks(pieces)))


if __name__ == "__main__":
    sys.exit(main())
