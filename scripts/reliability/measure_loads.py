"""Load hostile files of many megabytes, and compare time and memory with the promised limits.

    python scripts/reliability/measure_loads.py [MEGABYTES]

Each file is loaded in a process of its own. `load` must end with KeyError, ValueError or OSError,
or with a tokenizer, in at most 1 s and half a second for each megabyte, and the memory of the
process must grow by at most 50 MB and 30 times the file. Prints a table in Markdown, which marks
each broken promise; the exit status is then 1. The limits of time are for an idle machine.
"""

import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from bpetite import Tokenizer
from bpetite._artifact import Artifact

FILES: Final[dict[str, tuple[bytes, bytes, bytes]]] = {
    "empty lists": (b"[", b"[],", b"0]"),
    "as many lists as are allowed": (b"[", b"[ [ []   ]  ], ", b"0]"),
    "distinct pairs": (b'{"merges":[', b"[%d,999],", b"[]]}"),
    "distinct integers": (b"[", b"9%d,", b"0]"),
    "one integer": (b"", b"9", b""),
    "distinct keys": (b"{", b'"%d":0,', b'"":0}'),
    "empty tokens": (b'{"vocab":{', b'"%d":[],', b'"":[]}}'),
    "keys and one emoji": (b'{"vocab":{', b'"%d":[]    ,', '"":[]},"x":"👍"}'.encode()),
    "one long token": (b'{"vocab":{"0":[', b"97,", b"97]}}"),
    "one long token in the canonical form": (b'{"m":0,"vocab":{"0":[', b"97,", b"97]}}"),
    "separators of tokens": (b'{"m":0,"vocab":{"0":[', b'7],"', b'0":[1]}}'),
    "one string of escapes": (b'"', rb"\ud83d\ude00", b'"'),
    "one string of emoji": (b'"', "👍".encode(), b'"'),
    "short strings": (b"[", b'"ab",', b"0]"),
    "spaces and a wrong byte": (b"", b" ", b"\xff"),
    "a valid tokenizer file": (b"", b"", b""),
    "one that only the last check rejects": (b"", b"", b'"vocab":{"99999999":[97],'),
}
"""The start of each file, a part that is repeated, with its number for `%d`, and the end."""


def write(path: Path, case: str, size: int) -> None:
    """Write the file of a case, of about this many bytes."""
    before, part, after = FILES[case]
    if part:
        count = size // len(part % 10**6 if b"%d" in part else part)
        parts = (part % number if b"%d" in part else part for number in range(count))
        path.write_bytes(before + b"".join(parts) + after)
        return
    # Merges of single bytes, repeated: nearly as many as possible.
    merges = [(number % 256, number // 256 % 256) for number in range(min(size // 31, 1_110_000))]
    data = Artifact.of_merges(merges).to_bytes()
    path.write_bytes(data.replace(b'"vocab":{', after) if after else data)


def load(path: Path) -> tuple[str, float, int]:
    """Load one file; return the outcome, the seconds, and the memory used in bytes."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    try:
        Tokenizer.load(path)
        outcome = "loaded"
    except (KeyError, ValueError, OSError) as error:
        outcome = type(error).__name__
    seconds = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return outcome, seconds, grown * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    """Load every file, and print the table."""
    size = round(float(sys.argv[1] if len(sys.argv) > 1 else 60) * 1e6)
    print("| file | MB | outcome | s | MB of memory | times the file |\n|---|---|---|---|---|---|")
    broken = False
    # Each process does one task. It inherits little memory from this one, which stays small.
    pool = ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1)
    with pool, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        for case in FILES:
            pool.submit(write, path, case, size).result()
            outcome, seconds, grown = pool.submit(load, path).result()
            written = path.stat().st_size
            bounded = min(written, 64 << 20)
            slow = " **too slow**" if seconds > 1 + bounded / 2e6 else ""
            large = " **too large**" if grown > 50e6 + 30 * bounded else ""
            figures = f"{seconds:.2f} | {grown / 1e6:.0f} | {grown / written:.1f}"
            print(f"| {case} | {written / 1e6:,.1f} | {outcome} | {figures} |{slow}{large}")
            broken |= bool(slow or large)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
