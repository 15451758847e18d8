"""Measure the two targets of the specification on a text, TinyShakespeare by habit.

uv run python scripts/measure.py tinyshakespeare.txt
"""

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bpetite import Tokenizer

_TRAININGS: Final = 5
_ENCODINGS: Final = 100
_WORDS: Final = 50


def main() -> None:
    """Print both figures, and what they were measured on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    text = parser.parse_args().text.read_bytes().decode("utf-8")
    print(f"Python {platform.python_version()}, {platform.system()} {platform.release()}")

    trainings = [seconds(lambda: Tokenizer.train(text, 512)) for _ in range(_TRAININGS)]
    median, slowest = statistics.median(trainings), max(trainings)
    print(f"training to 512 tokens: median {median:.2f} s, slowest {slowest:.2f} s of {_TRAININGS}")

    tokenizer = Tokenizer.train(text, 512)
    sentence = " ".join(text.split()[:_WORDS])
    encodings = sorted(seconds(lambda: tokenizer.encode(sentence)) for _ in range(_ENCODINGS))
    p50, p99 = encodings[_ENCODINGS // 2], encodings[-2]
    print(
        f"encoding {_WORDS} words: p50 {p50 * 1e6:.0f} us, p99 {p99 * 1e6:.0f} us, "
        f"slowest {max(encodings) * 1e6:.0f} us of {_ENCODINGS}"
    )


def seconds(job: Callable[[], object]) -> float:
    """Return how long a job takes."""
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
