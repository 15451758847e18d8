"""Files of text as the corpus of a training, which `train` and `verify` share."""

import argparse
import os
import stat
import time
from collections.abc import Iterator, Sequence

from bpetite import Tokenizer
from bpetite_cli._failure import Failure, quoted
from bpetite_cli._inputs import STANDARD_INPUT, open_input, read_text, total_size
from bpetite_cli._progress import watch_training
from bpetite_cli._training import Advance, Training

__all__ = ["add_corpus", "check_corpus", "learn"]


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


def check_corpus(paths: Sequence[str]) -> None:
    """Find before the first file is read what would go wrong at the last."""
    if paths.count(STANDARD_INPUT) > 1:
        message = "standard input (-) can be read only once; name it once"
        raise Failure(message)
    for path in paths:
        if path == STANDARD_INPUT:
            with open_input(path):
                continue
        if stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116 - `Path` drops a trailing slash
            message = f"{quoted(path)} is a folder; name the files in it"
            raise Failure(message)
        if not os.access(path, os.R_OK):
            message = f"{quoted(path)}: no permission to read it"
            raise Failure(message)


def learn(paths: Sequence[str], vocab_size: int) -> tuple[Tokenizer, Training]:
    """Train on the files while a person watches, and return what is known of it, too."""
    with watch_training(total_size(paths)) as training:
        begin = time.perf_counter()
        tokenizer = Tokenizer.train(_texts(paths, training.advance), vocab_size)
        training.seconds = time.perf_counter() - begin
    return tokenizer, training


def _texts(paths: Sequence[str], advance: Advance) -> Iterator[str]:
    for path in paths:
        yield from read_text(path, advance)
