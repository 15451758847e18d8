"""`bpetite train`: files of text to an artifact."""

import argparse
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from bpetite import Tokenizer
from bpetite_cli._arguments import Commands, add_parser, integer
from bpetite_cli._failure import Failure, explain, quoted
from bpetite_cli._inputs import STANDARD_INPUT, open_input, read_text, total_size
from bpetite_cli._outputs import check_output, write_output
from bpetite_cli._progress import on_terminal, say, watch_training
from bpetite_cli._training import Advance, Training

__all__ = ["add_command"]


def add_command(commands: Commands) -> None:
    """Add `train` to the command line."""
    parser = add_parser(
        commands,
        "train",
        "learn a tokenizer from text and write its artifact",
        "  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json\n"
        "  gzip -dc corpus.gz | bpetite train --input - --vocab-size 32000 --output big.json",
    )
    parser.add_argument(
        "--input",
        required=True,
        nargs="+",
        action="extend",
        metavar="FILE",
        help="text in UTF-8; - is standard input; no token spans two files",
    )
    parser.add_argument(
        "--vocab-size",
        required=True,
        type=_vocab_size,
        metavar="N",
        help="how many mergeable tokens to learn: 256 bytes and N - 256 merges",
    )
    parser.add_argument("--output", required=True, metavar="PATH", help="where the artifact goes")
    parser.add_argument("--force", action="store_true", help="replace the file at PATH")
    parser.set_defaults(run=_run)


def _vocab_size(word: str) -> int:
    size = integer(word)
    if size < 256:
        message = f"expected at least 256, one for each byte, found {size}"
        raise argparse.ArgumentTypeError(message)
    return size


def _run(options: argparse.Namespace) -> None:
    check_output()
    _check_inputs(options.input)
    _check_destination(options.output, options.input, force=options.force)
    with watch_training(total_size(options.input)) as training:
        begin = time.perf_counter()
        tokenizer = Tokenizer.train(_texts(options.input, training.advance), options.vocab_size)
        seconds = time.perf_counter() - begin
    _save(tokenizer, options.output, force=options.force)
    _summarize(training, seconds, options.output)
    summary = {
        "corpus_bytes": training.corpus_bytes,
        "requested_vocab_size": options.vocab_size,
        "actual_mergeable_vocab_size": training.mergeable_vocab_size,
        "special_token_count": 1,
        "elapsed_ms": round(seconds * 1000),
    }
    write_output([json.dumps(summary).encode("ascii"), b"\n"])


def _texts(paths: Sequence[str], advance: Advance) -> Iterator[str]:
    for path in paths:
        yield from read_text(path, advance)


def _check_inputs(paths: Sequence[str]) -> None:
    """Find before the first file is read what would go wrong at the last."""
    if paths.count(STANDARD_INPUT) > 1:
        message = "standard input (-) can be read only once; name it once"
        raise Failure(message)
    for path in paths:
        if path == STANDARD_INPUT:
            with open_input(path):
                continue
        if stat.S_ISDIR(os.stat(path).st_mode):
            message = f"{quoted(path)} is a folder; name the files in it"
            raise Failure(message)
        if not os.access(path, os.R_OK):
            message = f"{quoted(path)}: no permission to read it"
            raise Failure(message)


def _check_destination(path: str, inputs: Sequence[str], *, force: bool) -> None:
    """Find before the training what would keep its result from being saved."""
    if not os.path.basename(path):
        message = f"{quoted(path)} names no file; give --output the name of one"
        raise Failure(message)
    if os.path.lexists(path):
        if not force:
            message = f"{quoted(path)} exists; use --force to replace it, or name another file"
            raise Failure(message)
        _check_replaceable(path, inputs)
    destination = os.path.realpath(path)
    folder = os.path.dirname(destination)
    if not os.path.isdir(folder):
        message = f"{quoted(path)}: there is no folder {quoted(folder)}; make it first"
        raise Failure(message)
    with suppress(FileNotFoundError):
        os.stat(destination)  # finds a name that is too long
    # Whether a file can be made there only the system knows: make one, and take it away.
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".bpetite-", suffix=".tmp"):
        pass


def _check_replaceable(path: str, inputs: Sequence[str]) -> None:
    """Refuse to replace what is no regular file, or what is about to be read."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return  # a dangling link
    if not stat.S_ISREG(status.st_mode):
        message = f"{quoted(path)} is no regular file and cannot be replaced; name another file"
        raise Failure(message)
    for source in inputs:
        source_status = os.fstat(0) if source == STANDARD_INPUT else os.stat(source)
        if os.path.samestat(status, source_status):
            message = f"{quoted(path)} is also an input and would be lost; name another output"
            raise Failure(message)


def _save(tokenizer: Tokenizer, path: str, *, force: bool) -> None:
    try:
        tokenizer.save(path, overwrite=force)
    except (OSError, ValueError) as error:
        message = f"saving the tokenizer: {explain(error)}"
        raise Failure(message) from None


def _summarize(training: Training, seconds: float, path: str) -> None:
    if not on_terminal():
        say(f"saved: {quoted(path)}, after {seconds:.2f} s of training")
        return
    from bpetite_cli._drawing import draw_summary  # noqa: PLC0415 - rich is slow to load

    draw_summary(
        {
            "result": training.ending,
            "from": f"{training.corpus_bytes:,} bytes of text, in {seconds:.2f} s",
            "saved": quoted(path),
        }
    )
