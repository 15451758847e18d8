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
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._special_tokens import MOST

_MEGABYTES: Final = 60
_MERGES: Final = 1_110_000  # nearly as many as possible


def _full_of(part: bytes, size: int, before: bytes = b"", after: bytes = b"") -> bytes:
    return before + part * (max(0, size - len(before) - len(after)) // len(part)) + after


def _joined(part: str, size: int, before: str, after: str) -> bytes:
    """Return about this many bytes of numbered parts."""
    numbers = range(size // len(part % 1_000_000 + ","))
    return f"{before}{','.join(part % number for number in numbers)}{after}".encode()


def _good(size: int, special_tokens: tuple[str, ...] = (END_OF_TEXT_TOKEN,)) -> bytes:
    """Return a valid artifact of about this size: merges of single bytes, repeated."""
    merges = [(number % 256, number // 256 % 256) for number in range(min(size // 31, _MERGES))]
    return Artifact.of_merges(merges, special_names=special_tokens).to_bytes()


def _with_special_tokens(size: int, special: str) -> bytes:
    """Return a small artifact of schema version 2 with this in place of its special tokens."""
    good = _good(0, ()).replace(b'"special_tokens":{}', b'"special_tokens":{%b}')
    return good % _joined(special, size, "", "")


CASES: Final[dict[str, Callable[[int], bytes]]] = {
    "a valid tokenizer file": _good,
    "one that only the last check rejects": lambda size: _good(size).replace(
        b'"vocab":{', b'"vocab":{"99999999":[97],'
    ),
    "one with 4,096 special tokens": lambda size: _good(
        size, tuple(f"{'👍' * 250}<{number}>" for number in range(MOST))
    ),
    "too many special tokens": lambda size: _with_special_tokens(size, '"<%d>":256'),
    "special tokens with long ids": lambda size: _with_special_tokens(size, f'"<%d>":{10**30}'),
    "a pattern that never ends": lambda size: _full_of(
        b"(a+)+", size, *_good(0, ()).split(b"'", maxsplit=1)
    ),
    "empty lists": lambda size: _full_of(b"[],", size, b"[", b"0]"),
    "empty objects": lambda size: _full_of(b"{},", size, b"[", b"0]"),
    "lists in lists": lambda size: _full_of(b"[" * 30 + b"]" * 30 + b",", size, b"[", b"0]"),
    "as many lists as are allowed": lambda size: _full_of(b"[ [ []   ]  ], ", size, b"[", b"0]"),
    "objects in objects": lambda size: _full_of(b'{"":' * 30 + b"0" + b"}" * 30 + b",", size, b"["),
    "pairs": lambda size: _full_of(b"[97,98],", size, b'{"schema_version":1,"merges":[', b"0]}"),
    "distinct pairs": lambda size: _joined("[%d,999]", size, '{"merges":[', "]}"),
    "distinct integers": lambda size: _joined("9%d", size, "[", "]"),
    "integers of 4,300 digits": lambda size: _full_of(b"9" * 4300 + b",", size, b"[", b"0]"),
    "one integer": lambda size: _full_of(b"9", size),
    "distinct keys": lambda size: _joined('"%d":0', size, "{", "}"),
    "empty tokens": lambda size: _joined('"%d":[]', size, '{"vocab":{', "}}"),
    "keys and one character beyond the BMP": lambda size: _joined(
        '"%d":[]    ', size, '{"vocab":{', '},"x":"👍"}'
    ),
    "one repeated key": lambda size: _full_of(b'"":0,', size, b"{", b'"":0}'),
    "one long token": lambda size: _full_of(b"97,", size, b'{"vocab":{"0":[', b"97]}}"),
    "one string": lambda size: _full_of(b"x", size, b'"', b'"'),
    "one string of escapes": lambda size: _full_of(rb"\ud83d\ude00", size, b'"', b'"'),
    "one string beyond the BMP": lambda size: _full_of("👍".encode(), size, b'"', b'"'),
    "short strings": lambda size: _full_of(b'"ab",', size, b"[", b"0]"),
    "brackets that open": lambda size: _full_of(b"[", size),
    "brackets that open and close": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "brackets of both kinds": lambda size: _full_of(b'[{"":', size),
    "quotes": lambda size: _full_of(b'"', size),
    "backslashes": lambda size: _full_of(b"\\", size, b'"'),
    "spaces": lambda size: _full_of(b" ", size),
    "zeros": lambda size: b"\0" * size,
    "a wrong byte at the end": lambda size: _full_of(b" ", size, b"", b"\xff"),
    "numbers that are none": lambda size: _full_of(b"NaN,", size, b"[", b"0]"),
}


def _write(path: Path, case: str, size: int) -> None:
    if case in CASES:
        path.write_bytes(CASES[case](size))
    else:
        path.touch()
        os.truncate(path, int(case.split(maxsplit=1)[0].replace(",", "")) * 1_000_000)


def load(path: str) -> tuple[str, float, int]:
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


def _in_a_process(job: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401
    """Run a job in a new process that inherits little memory from this one."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(job, *arguments).result(timeout=600)


def _row(case: str, path: str) -> str:
    """Load a file in a process; return a row of the table, and what promises are broken."""
    size = Path(path).stat().st_size
    try:
        outcome, seconds, grown = _in_a_process(load, path)
    except BrokenProcessPool:
        return f"| {case} | {size / 1e6:,.1f} | **died** | | |"
    bounded = min(size, 64 << 20)
    slow = " **too slow**" if seconds > 1 + bounded / 2e6 else ""
    large = " **too large**" if grown > 50e6 + 30 * bounded else ""
    cells = (f"{size / 1e6:,.1f}", outcome, f"{seconds:.2f}", f"{grown / 1e6:.0f}")
    return f"| {case} | {' | '.join(cells)} | {grown / size:.1f} |{slow}{large}"


def _rows(size: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "tokenizer.json"
        for case in [*CASES, "100 MB of nothing", "1,000,000 MB of nothing"]:
            _in_a_process(_write, path, case, size)
            yield _row(case, str(path))
            path.unlink()


def main() -> int:
    """Load every file, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("megabytes", nargs="?", type=float, default=_MEGABYTES, metavar="MEGABYTES")
    size = round(parser.parse_args().megabytes * 1e6)
    print("| file | MB | outcome | s | MB of memory | times the file |\n|---|---|---|---|---|---|")
    as_promised = True
    for row in _rows(size):
        print(row, flush=True)
        as_promised &= "**" not in row
    return 0 if as_promised else 1


if __name__ == "__main__":
    sys.exit(main())
