"""`bpetite encode`: turn text into ids, in one of the formats of `streams.formats`."""

import argparse
from collections.abc import Iterable, Iterator
from typing import Final

from bpetite import Tokenizer
from bpetite._files import write_parts
from bpetite_cli.kit import (
    Commands,
    Failure,
    add_model,
    add_output,
    add_parser,
    check_destination,
    check_inputs,
    check_output,
    hold_output,
    is_terminal,
    load_artifact,
    quoted,
    read_text,
    reading,
    require,
    say,
    send_output,
    text_argument,
    write_json,
)
from bpetite_cli.streams.formats import FORMATS, Counted

__all__ = ["add_command"]

_SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token, no password
_ABOUT_FORMATS: Final = (
    "\n\nThe formats:\n"
    "  json  one array and a newline, the default\n"
    "  text  one id on a line, in decimal\n"
    "  u16   two bytes for each id, the lowest first, and nothing else: what\n"
    "        numpy.memmap(PATH, dtype='<u2') reads; refused where an id is larger\n"
    "  u32   four bytes for each id, likewise: dtype='<u4'\n"
    "\n"
    "With --output the file is written as the ids come, whole or not at all, and\n"
    "standard output gets a JSON object that says how many tokens and bytes it has."
)


def add_command(commands: Commands) -> None:
    """Add `encode` to the command line."""
    parser = add_parser(
        commands,
        "encode",
        "turn text into token ids, on standard output",
        '  bpetite encode --model tokenizer.json --text "Hello world"\n'
        "  bpetite encode --model tokenizer.json --input text.txt > ids.json\n"
        "  bpetite encode --model tokenizer.json --input a.txt b.txt --separator-token \\\n"
        "    --format u16 --output train.bin",
        _ABOUT_FORMATS,
    )
    add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="the text; --text=-x if it begins with a dash")
    source.add_argument(
        "--input",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="text in UTF-8; - is standard input; no token spans two files",
    )
    parser.add_argument(
        "--separator-token",
        action="store_true",
        help=f"put {_SPECIAL_TOKEN} between files: not before the first, nor after the last",
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="json", help="how the ids are written; see above"
    )
    add_output(parser)
    require(parser, "--separator-token", "--input")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    files: list[str] = options.input or []
    _check(options, files)
    artifact = load_artifact(options.model)
    _check_width(options.format, artifact.special_id)
    tokenizer = Tokenizer._of(artifact)
    with reading("encoding", files) as advance:
        texts: Iterable[Iterable[str]] = (
            [[text_argument(options.text)]]
            if options.input is None
            else (read_text(path, advance) for path in files)
        )
        ids = Counted(
            _ids(tokenizer, texts, [artifact.special_id] if options.separator_token else [])
        )
        parts = FORMATS[options.format].write(ids)
        if options.output is None:
            held = hold_output(parts)
        else:
            size = write_parts(options.output, parts, overwrite=options.force)
    if options.output is None:
        send_output(held)
        return
    name, tokens = options.format, ids.tokens
    say(f"saved: {quoted(options.output)}, {tokens:,} tokens as {name}, {size:,} bytes")
    summary = {"tokens": tokens, "format": name, "bytes": size}
    write_json(summary)


def _check(options: argparse.Namespace, files: list[str]) -> None:
    """Find before anything is read what would go wrong in the end."""
    check_output()
    if options.output is None and FORMATS[options.format].width and is_terminal():
        message = (
            f"{options.format} is bytes and no text, and standard output is a terminal; "
            "name a file with --output, or send it to a file or to a program"
        )
        raise Failure(message)
    check_inputs(files)
    if options.output is not None:
        check_destination(options.output, [options.model, *files], force=options.force)


def _check_width(name: str, special_id: int) -> None:
    """Refuse a format that cannot hold every id of the model; the special token's is the last."""
    width = FORMATS[name].width
    if width is not None and special_id >= 1 << (8 * width):
        message = (
            f"the ids of this model go up to {special_id} ({_SPECIAL_TOKEN}), "
            f"and {name} holds 0 to {(1 << (8 * width)) - 1}; use --format u32"
        )
        raise Failure(message)


def _ids(
    tokenizer: Tokenizer, files: Iterable[Iterable[str]], between: list[int]
) -> Iterator[list[int]]:
    """Yield the ids of files, each given as blocks of text that end at safe boundaries."""
    for number, texts in enumerate(files):
        if number:
            yield between
        for text in texts:
            yield tokenizer.encode(text)
