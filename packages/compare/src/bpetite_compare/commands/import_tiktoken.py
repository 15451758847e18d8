"""`bpetite import-tiktoken`: make a tokenizer file of an encoding of tiktoken."""

import argparse

from bpetite_cli.kit import (
    Commands,
    add_destination,
    add_parser,
    check_destination,
    check_output,
    quoted,
    say,
    working,
    write_json,
)
from bpetite_compare._import import import_tiktoken

__all__ = ["add_command"]


def add_command(commands: Commands) -> None:
    """Add `import-tiktoken` to the command line."""
    parser = add_parser(
        commands,
        "import-tiktoken",
        "make an artifact of GPT-2's encoding or a file of ranks",
        "  bpetite import-tiktoken --encoding gpt2 --output gpt2.json\n"
        "  bpetite import-tiktoken --ranks model.tiktoken --output model.json",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--encoding",
        metavar="NAME",
        help="gpt2, or r50k_base, which is the same; others do not fit, and are refused",
    )
    source.add_argument("--ranks", metavar="FILE", help="ranks that go with GPT-2's pattern")
    add_destination(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    inputs = [] if options.ranks is None else [options.ranks]
    check_destination(options.output, inputs, force=options.force)
    with working("recovering the merges"):
        imported = import_tiktoken(
            options.output,
            encoding=options.encoding,
            ranks=options.ranks,
            overwrite=options.force,
        )
    size = imported.mergeable_vocab_size
    say(f"imported: {quoted(imported.path)}, {size:,} mergeable tokens, <|endoftext|> is {size}")
    if options.ranks is not None:
        say("a file of ranks names no pattern; every token of this one fits GPT-2's")
    if imported.byte_order != bytes(range(256)):
        say(
            "the ids below 256 are now the bytes; before, id i was the byte that stands at "
            "place i of byte_order; all other ids are as they were"
        )
    write_json(
        {
            "mergeable_vocab_size": size,
            "special_token_id": size,
            "byte_order": list(imported.byte_order),
        }
    )
