"""Load hostile files of many megabytes, and compare time and memory with the promised limits.

    python scripts/reliability/measure_loads.py [MEGABYTES]

Each file is loaded in a process of its own. `load` must end with KeyError, ValueError or OSError,
or with a tokenizer, in at most 1 s and half a second for each megabyte, and the memory of the
process must grow by at most 50 MB and 30 times the file. Prints a table in Markdown, which marks
each broken promise; the exit status is then 1. The limits of time are for an idle machine.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._special_tokens import MOST

_MERGES: Final = 1_110_000  # nearly as many as possible


def good(size: int, special_tokens: tuple[str, ...] = (END_OF_TEXT_TOKEN,)) -> bytes:
    """Return a valid artifact of about this size: merges of single bytes, repeated."""
    merges = [(number % 256, number // 256 % 256) for number in range(min(size // 31, _MERGES))]
    return Artifact.of_merges(merges, special_names=special_tokens).to_bytes()


_SMALL: Final = good(0, ())
_BEFORE_TOKENS, _AFTER_TOKENS = _SMALL.split(b'"special_tokens":{}')
_BEFORE_PATTERN, _AFTER_PATTERN = _SMALL.split(b"'", maxsplit=1)
_TOKENS: Final = _BEFORE_TOKENS + b'"special_tokens":{'

REPEATED: Final[dict[str, tuple[bytes, bytes, bytes]]] = {
    "too many special tokens": (_TOKENS, b'"<%d>":256,', b'"":256}' + _AFTER_TOKENS),
    "special tokens with long ids": (
        *(_TOKENS, b'"<%%d>":%d,' % 10**30),
        b'"":256}' + _AFTER_TOKENS,
    ),
    "a pattern that never ends": (_BEFORE_PATTERN, b"(a+)+", _AFTER_PATTERN),
    "empty lists": (b"[", b"[],", b"0]"),
    "empty objects": (b"[", b"{},", b"0]"),
    "lists in lists": (b"[", b"[" * 30 + b"]" * 30 + b",", b"0]"),
    "as many lists as are allowed": (b"[", b"[ [ []   ]  ], ", b"0]"),
    "objects in objects": (b"[", b'{"":' * 30 + b"0" + b"}" * 30 + b",", b""),
    "pairs": (b'{"schema_version":1,"merges":[', b"[97,98],", b"0]}"),
    "distinct pairs": (b'{"merges":[', b"[%d,999],", b"[]]}"),
    "distinct integers": (b"[", b"9%d,", b"0]"),
    "integers of 4,300 digits": (b"[", b"9" * 4300 + b",", b"0]"),
    "one integer": (b"", b"9", b""),
    "distinct keys": (b"{", b'"%d":0,', b'"":0}'),
    "empty tokens": (b'{"vocab":{', b'"%d":[],', b'"":[]}}'),
    "keys and one character beyond the BMP": (
        *(b'{"vocab":{', b'"%d":[]    ,'),
        '"":[]},"x":"👍"}'.encode(),
    ),
    "one repeated key": (b"{", b'"":0,', b'"":0}'),
    "one long token": (b'{"vocab":{"0":[', b"97,", b"97]}}"),
    "one string": (b'"', b"x", b'"'),
    "one string of escapes": (b'"', rb"\ud83d\ude00", b'"'),
    "one string beyond the BMP": (b'"', "👍".encode(), b'"'),
    "short strings": (b"[", b'"ab",', b"0]"),
    "brackets that open": (b"", b"[", b""),
    "brackets of both kinds": (b"", b'[{"":', b""),
    "quotes": (b"", b'"', b""),
    "backslashes": (b'"', b"\\", b""),
    "spaces": (b"", b" ", b""),
    "zeros": (b"", b"\0", b""),
    "a wrong byte at the end": (b"", b" ", b"\xff"),
    "numbers that are none": (b"[", b"NaN,", b"0]"),
}
"""Hostile files: the start, a part that is repeated, with its number for `%d`, and the end."""

OTHERS: Final = (
    *("a valid tokenizer file", "one that only the last check rejects"),
    *("one with 4,096 special tokens", "brackets that open and close"),
    *("100 MB of nothing", "1,000,000 MB of nothing"),
)


def write(path: Path, case: str, size: int) -> None:
    """Write the file of a case, of about this many bytes."""
    if case in REPEATED:
        before, part, after = REPEATED[case]
        numbered = b"%d" in part
        count = max(0, size - len(before + after)) // len(part % 10**6 if numbered else part)
        parts = b"".join(part % number for number in range(count)) if numbered else part * count
        path.write_bytes(before + parts + after)
    elif case == "a valid tokenizer file":
        path.write_bytes(good(size))
    elif case == "one that only the last check rejects":
        path.write_bytes(good(size).replace(b'"vocab":{', b'"vocab":{"99999999":[97],'))
    elif case == "one with 4,096 special tokens":
        names = tuple(f"{'👍' * 250}<{number}>" for number in range(MOST))
        path.write_bytes(good(size, names))
    elif case == "brackets that open and close":
        path.write_bytes(b"[" * (size // 2) + b"]" * (size // 2))
    else:
        path.touch()
        os.truncate(path, int(case.split(maxsplit=1)[0].replace(",", "")) * 1_000_000)


def load(path: Path) -> tuple[str, float, int]:
    """Load one file; return the outcome, the seconds, and the memory used in bytes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    try:
        Tokenizer.load(path)
        outcome = "loaded"
    except (KeyError, ValueError, OSError) as error:
        outcome = type(error).__name__
    seconds = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return outcome, seconds, grown * (1 if sys.platform == "darwin" else 1024)


def row(case: str, path: Path, size: int) -> str:
    """Write and load a file; return a row of the table, and what promises are broken."""
    # A process inherits little memory from this one, which stays small.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(write, path, case, size).result()
    written = path.stat().st_size
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            outcome, seconds, grown = pool.submit(load, path).result(timeout=600)
        except BrokenProcessPool:
            return f"| {case} | {written / 1e6:,.1f} | **died** | | |"
    bounded = min(written, 64 << 20)
    slow = " **too slow**" if seconds > 1 + bounded / 2e6 else ""
    large = " **too large**" if grown > 50e6 + 30 * bounded else ""
    cells = (f"{written / 1e6:,.1f}", outcome, f"{seconds:.2f}", f"{grown / 1e6:.0f}")
    return f"| {case} | {' | '.join(cells)} | {grown / written:.1f} |{slow}{large}"


def main() -> int:
    """Load every file, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("megabytes", nargs="?", type=float, default=60, metavar="MEGABYTES")
    size = round(parser.parse_args().megabytes * 1e6)
    print("| file | MB | outcome | s | MB of memory | times the file |\n|---|---|---|---|---|---|")
    as_promised = True
    with tempfile.TemporaryDirectory() as folder:
        for case in (*OTHERS, *REPEATED):
            line = row(case, Path(folder, "tokenizer.json"), size)
            print(line, flush=True)
            as_promised &= "**" not in line
    return 0 if as_promised else 1


if __name__ == "__main__":
    sys.exit(main())
