"""Files of text as the corpus of a training, which `train` and `verify` share."""

import argparse
import time
from collections.abc import Iterator, Sequence

from bpetite import Tokenizer
from bpetite_cli._inputs import read_text
from bpetite_cli._progress import watch_training
from bpetite_cli._training import Advance, Training

__all__ = ["add_corpus", "learn"]


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the files."""
    parser.add_argument(
        "--input",
        required=True,
        nargs="+",
        action="extend",
        metavar="FILE",
        help="text in UTF-8; - is standard input; no token spans two files",
    )


def learn(paths: Sequence[str], vocab_size: int) -> tuple[Tokenizer, Training]:
    """Train on the files while a person watches, and return what is known of it, too."""
    with watch_training(paths) as training:
        begin = time.perf_counter()
        tokenizer = Tokenizer.train(_texts(paths, training.advance), vocab_size)
        training.seconds = time.perf_counter() - begin
    return tokenizer, training


def _texts(paths: Sequence[str], advance: Advance) -> Iterator[str]:
    for path in paths:
        yield from read_text(path, advance)
