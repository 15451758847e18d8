"""`bpetite encode`: turn text into ids, in one of the formats of `streams.formats`."""

import argparse
from collections.abc import Iterable, Iterator
from typing import Final

from bpetite import Tokenizer
from bpetite._files import write_parts
from bpetite_cli.kit import (
    Commands,
    Documents,
    Failure,
    add_documents,
    add_model,
    add_output,
    add_parser,
    check_destination,
    check_inputs,
    check_output,
    documents_of,
    hold_output,
    is_terminal,
    load_artifact,
    quoted,
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
        "    --format u16 --output train.bin\n"
        "  bpetite encode --model tokenizer.json --input docs.jsonl --jsonl text \\\n"
        "    --separator-token --separator-at after --format u16 > shard1.bin",
        _ABOUT_FORMATS,
    )
    add_model(parser)
    parser.add_argument("--text", help="the text; --text=-x if it begins with a dash")
    add_documents(parser, "--text")
    parser.add_argument(
        "--separator-token",
        action="store_true",
        help=f"put {_SPECIAL_TOKEN} between documents, which are files, or lines with --jsonl",
    )
    parser.add_argument(
        "--separator-at",
        choices=("between", "before", "after"),
        help="between documents, the default: not before the first, nor after the last; or before "
        "or after each document, so that the results of several commands can be joined",
    )
    require(parser, "--separator-at", "--separator-token")
    parser.add_argument(
        "--format", choices=FORMATS, default="json", help="how the ids are written; see above"
    )
    add_output(parser)
    require(parser, "--separator-token", "--input", "--files-from")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    documents = documents_of(options)
    size = _check(options, documents)
    artifact = load_artifact(options.model)
    _check_width(options.format, artifact.special_id)
    tokenizer = Tokenizer._of(artifact)
    separator = [artifact.special_id] if options.separator_token else []
    with reading("encoding", documents.paths, size) as advance:
        texts: Iterable[Iterable[str]] = (
            documents.read(advance) if options.text is None else [[text_argument(options.text)]]
        )
        ids = Counted(_ids(tokenizer, texts, separator, options.separator_at))
        parts = FORMATS[options.format].write(ids)
        if options.output is None:
            held = hold_output(parts)
        else:
            written = write_parts(options.output, parts, overwrite=options.force)
    if options.output is None:
        send_output(held)
        return
    name, tokens = options.format, ids.tokens
    say(f"saved: {quoted(options.output)}, {tokens:,} tokens as {name}, {written:,} bytes")
    summary = {"tokens": tokens, "format": name, "bytes": written}
    write_json(summary)


def _check(options: argparse.Namespace, documents: Documents) -> int | None:
    """Find before anything is read what would go wrong in the end; return how much there is."""
    check_output()
    if options.output is None and FORMATS[options.format].width and is_terminal():
        message = (
            f"{options.format} is bytes and no text, and standard output is a terminal; "
            "name a file with --output, or send it to a file or to a program"
        )
        raise Failure(message)
    size = check_inputs(documents.paths)
    if options.output is not None:
        inputs = [options.model, *documents.sources]
        check_destination(options.output, inputs, force=options.force)
    return size


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
    tokenizer: Tokenizer, documents: Iterable[Iterable[str]], separator: list[int], at: str | None
) -> Iterator[list[int]]:
    """Yield the ids of documents, each in blocks of text that end at safe boundaries."""
    for number, texts in enumerate(documents):
        if at == "before" or (number and at != "after"):
            yield separator
        for text in texts:
            yield tokenizer.encode(text)
        if at == "after":
            yield separator
