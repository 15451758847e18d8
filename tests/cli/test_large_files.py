"""Files of several megabytes: blocks of the real size, long results, and memory."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import BPETITE, lines

pytestmark = pytest.mark.thorough


TRAIN = ("train", "--vocab-size", "270", "--force", "--output", "t.json")


def peak_bytes(*words: str) -> int:
    """Return the peak memory of a command in one process (`test_jobs` has several)."""
    # A small program starts it: on Linux a process begins with its parent's peak.
    code = (
        "import os, sys\n"
        "process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)\n"
        "_, status, usage = os.wait4(process, 0)\n"
        "print(usage.ru_maxrss * (1 if sys.platform == 'darwin' else 1024), file=sys.stderr)\n"
        "sys.exit(status != 0)\n"
    )
    jobs = ["--jobs=1"] if words[0] in {"train", "encode", "count"} else []
    command = [sys.executable, "-S", "-c", code, BPETITE, *words, *jobs]
    return int(lines(subprocess.run(command, capture_output=True, check=True).stderr)[-1])


@pytest.mark.parametrize("name", ["text", "u16"])
def test_memory_does_not_grow_with_the_file(small: Path, name: str) -> None:
    """Encoding and decoding a file of 12 MB takes as much memory as one of 3 MB."""
    line = "Hello world, hello words; the end of the words 船夫\n"
    for size in (3, 12):
        (small / f"{size}").write_text(line * (size * 1_000_000 // len(line)))
    peaks = {}
    for size in (3, 12):
        model = ("--model", "m.json", "--format", name)
        for command, source, output in (("encode", "", ".ids"), ("decode", ".ids", ".back")):
            paths = ("--input", f"{size}{source}", "--output", f"{size}{output}")
            peaks[command, size] = peak_bytes(command, *model, *paths)
    for command in ("encode", "decode"):
        assert peaks[command, 12] < peaks[command, 3] + 12_000_000
    assert (small / "12.back").read_bytes() == (small / "12").read_bytes()


def test_memory_does_not_grow_with_compressed_text(small: Path) -> None:
    """A small file with 24 MB of text takes as much memory as one with 9 MB."""
    line = b"Hello world, hello words; the end of the words \n"
    peaks = []
    for size in (9_000_000, 24_000_000):  # the first fills the windows, too
        zipped = gzip.compress(line * (size // len(line)))
        assert len(zipped) < size / 100
        (small / "zipped").write_bytes(zipped)
        peaks.append(peak_bytes("count", "--model", "m.json", "zipped"))
    assert peaks[1] < peaks[0] + 5_000_000


def test_memory_does_not_grow_with_the_lines(small: Path) -> None:
    """Only one line of a long JSON Lines file is in memory, in training too."""
    sizes = {"small": 100, "large": 40_000}
    for name, number in sizes.items():
        with open(small / name, "w") as file:
            for line in range(number):
                text = f"{line % 200} {line // 200} " + "Hello words " * 80  # few words, many texts
                file.write(json.dumps({"text": text, "count": line + 1}) + "\n")
    for words in (("--counts",), ("--jsonl", "text", "--input")):
        peaks = [peak_bytes(*TRAIN, *words, name) for name in sizes]
        assert peaks[1] < peaks[0] + 15_000_000


def test_memory_does_not_grow_with_the_table(small: Path) -> None:
    """Some rows and a page of a Parquet file are in memory, however long a row group is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    peaks = []
    for number in (1_000, 16_000):
        rows = [f"{row % 200} {row // 200} " + "Hello words " * 200 for row in range(number)]
        table = pa.table({"text": rows, "more": rows})
        pq.write_table(table, small / "docs", compression="none", use_dictionary=False)
        peaks.append(peak_bytes(*TRAIN, "--input", "docs", "--parquet", "text"))
    assert peaks[1] < peaks[0] + 15_000_000
