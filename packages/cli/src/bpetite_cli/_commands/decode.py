"""`bpetite decode`: ids to the text itself."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from functools import partial

from bpetite import Tokenizer
from bpetite._files import write_parts
from bpetite_cli._arguments import (
    Commands,
    add_model,
    add_need,
    add_output,
    add_parser,
    integer,
    load_model,
)
from bpetite_cli._destination import check_destination
from bpetite_cli._failure import Failure, explain, quoted
from bpetite_cli._formats import FORMATS, Counted
from bpetite_cli._inputs import check_inputs
from bpetite_cli._outputs import check_output, hold_output, send_output, write_output
from bpetite_cli._progress import reading, say

__all__ = ["add_command"]


def add_command(commands: Commands) -> None:
    """Add `decode` to the command line."""
    parser = add_parser(
        commands,
        "decode",
        "turn token ids into text, on standard output",
        "  bpetite decode --model tokenizer.json --ids 72 101 108 108 111\n"
        "  bpetite encode --model tokenizer.json --input text.txt |\n"
        "    bpetite decode --model tokenizer.json --input -\n"
        "  bpetite encode --model tokenizer.json --input text.txt --format u16 |\n"
        "    bpetite decode --model tokenizer.json --input - --format u16",
        "\n\nWith --output the file is written as the text comes, whole or not at all, and\n"
        "standard output gets a JSON object that says how many tokens and bytes it has.",
    )
    add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--ids", nargs="*", type=integer, action="extend", metavar="N", help="the ids themselves"
    )
    source.add_argument(
        "--input",
        metavar="FILE",
        help="a file with what `encode` made; - is standard input",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how FILE was written: the --format of `encode`, json by default; text is any ids "
        "in decimal with whitespace between them",
    )
    add_need(parser, "--format", "--input")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    files = [] if options.input is None else [options.input]
    check_inputs(files)
    if options.output is not None:
        check_destination(options.output, [options.model, *files], force=options.force)
    tokenizer = load_model(options.model)
    chosen = FORMATS[options.format or "json"]
    with reading("decoding", files) as advance:
        ids = Counted(chosen.read(options.input, advance) if files else [options.ids])
        texts = _texts(tokenizer, ids, chosen.width if files else None)
        if options.output is None:
            held = hold_output(texts)
        else:
            size = write_parts(options.output, texts, overwrite=options.force)
    if options.output is None:
        send_output(held)
        return
    say(f"saved: {quoted(options.output)}, {size:,} bytes of text")
    summary = {"tokens": ids.tokens, "bytes": size}
    write_output([json.dumps(summary).encode("ascii"), b"\n"])


def _texts(tokenizer: Tokenizer, blocks: Iterable[list[int]], width: int | None) -> Iterator[bytes]:
    """Yield the text of blocks of ids, which may end anywhere, even inside a character.

    `width` is how many bytes of the input each id takes, if all take the same.
    """
    held: list[int] = []
    last: list[int] = []
    begin = 0
    for block in blocks:
        end = _end_of_whole_token(tokenizer, last)
        held += last[:end]
        if end:
            yield _decoded(tokenizer, held, begin, width)
            begin += len(held)
            held = []
        held += last[end:]
        last = block
    yield _decoded(tokenizer, held + last, begin, width)


def _end_of_whole_token(tokenizer: Tokenizer, ids: list[int]) -> int:
    """Return how many ids there are up to the last token that is text by itself.

    In ids that are text, a character ends there and the next one begins: a safe cut.
    """
    for end in range(len(ids), 0, -1):
        try:
            tokenizer.decode(ids[end - 1 : end])
        except UnicodeDecodeError:
            continue
        except KeyError:
            return len(ids)  # it is about to be refused, with all the ids before it
        return end
    return 0


def _decoded(tokenizer: Tokenizer, ids: list[int], begin: int, width: int | None) -> bytes:
    try:
        return tokenizer.decode(ids).encode("utf-8")
    except (KeyError, UnicodeDecodeError) as error:
        told = explain(error) if isinstance(error, KeyError) else _not_text(error)
        # The core counts from the first of the ids that it was given.
        told = re.sub(r"(?<=at position )\d+", partial(_place, begin, width), told)
        raise Failure(told) from None


def _place(begin: int, width: int | None, counted: re.Match[str]) -> str:
    position = begin + int(counted[0])
    return f"{position}" if width is None else f"{position}, byte offset {position * width}"


def _not_text(error: UnicodeDecodeError) -> str:
    return f"the bytes of these ids are not UTF-8: {error.reason}"
