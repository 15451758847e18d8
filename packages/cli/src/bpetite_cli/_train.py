"""`bpetite train`: files of text to an artifact."""

import argparse
import json
import time
from collections.abc import Iterator, Sequence

from bpetite import Tokenizer
from bpetite_cli._arguments import Commands, add_parser, integer
from bpetite_cli._destination import check_destination
from bpetite_cli._failure import Failure, explain, quoted
from bpetite_cli._inputs import check_inputs, read_text, total_size
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
    check_inputs(options.input)
    check_destination(options.output, options.input, force=options.force)
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
