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
from typing import Final

from bpetite._boundaries import blocks
from bpetite._corpus import count_chunks
from bpetite._patterns import GPT2

_FIRST_ROW: Final = 30_000_000
_MUCH_MORE: Final = 1.01
_BLOCK_CHARACTERS: Final = 1 << 16


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Count the distinct pieces of a growing text.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    files = parser.parse_args(arguments).files
    print("| MB | distinct pieces | distinct chunks |\n|---|---|---|")
    try:
        texts = (path.read_bytes().decode("utf-8") for path in files)
        for size, pieces, chunks in rows(texts, _FIRST_ROW):
            print(f"| {size / 1e6:.0f} | {pieces:,} | {chunks:,} |")
    except (OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def rows(texts: Iterable[str], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield a size and its numbers of distinct pieces and chunks, at each doubling and the end."""
    pieces: Counter[str] = Counter()
    read = last = 0
    for text in texts:
        for block in blocks(text, _BLOCK_CHARACTERS):
            pieces.update(GPT2.pieces(block))
            read += len(block.encode("utf-8"))
            if read >= size:
                yield read, len(pieces), len(count_chunks(pieces, GPT2))
                last = read
                size *= 2
    if read > last * _MUCH_MORE:
        yield read, len(pieces), len(count_chunks(pieces, GPT2))


if __name__ == "__main__":
    sys.exit(main())
