"""Count the distinct pieces and chunks of a text as it grows, for docs/large-corpora.md.

    uv run python scripts/benchmarks/distinct.py FILE...

The files are read in order, as one corpus. The table has a row for each doubling of the size from
30 MB on, and one for the whole corpus.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bpetite._pretokenizer import blocks, count_chunks, count_pieces

_FIRST_ROW: Final = 30_000_000
_MUCH_MORE: Final = 1.01
_BLOCK_CHARACTERS: Final = 1 << 16


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Count the distinct pieces of a growing text.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    files = parser.parse_args().files
    print("| MB | distinct pieces | distinct chunks |\n|---|---|---|")
    texts = (path.read_bytes().decode("utf-8") for path in files)
    for size, pieces, chunks in rows(texts, _FIRST_ROW):
        print(f"| {size / 1e6:.0f} | {pieces:,} | {chunks:,} |")


def rows(texts: Iterable[str], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield a size and its numbers of distinct pieces and chunks, at each doubling and the end."""
    pieces: Counter[str] = Counter()
    read = last = 0
    for text in texts:
        for block in blocks(text, _BLOCK_CHARACTERS):
            count_pieces(block, pieces)
            read += len(block.encode("utf-8"))
            if read >= size:
                yield read, len(pieces), len(count_chunks(pieces))
                last = read
                size *= 2
    if read > last * _MUCH_MORE:
        yield read, len(pieces), len(count_chunks(pieces))


if __name__ == "__main__":
    main()
