"""`bpetite export`: write a model in the format of another library."""

import argparse

from bpetite_cli.kit import (
    Commands,
    add_destination,
    add_model,
    add_parser,
    check_destination,
    check_destination_folder,
    check_output,
    quoted,
    say,
    write_output,
)
from bpetite_compare._export import FORMATS, export

__all__ = ["add_command"]


def add_command(commands: Commands) -> None:
    """Add `export` to the command line."""
    parser = add_parser(
        commands,
        "export",
        "write a model for tiktoken or Hugging Face",
        "  bpetite export --model tokenizer.json --to tiktoken --output model.tiktoken\n"
        "  bpetite export --model tokenizer.json --to huggingface --output hf.json > load.py\n"
        "  bpetite export --model tokenizer.json --to gpt2 --output folder",
    )
    add_model(parser)
    parser.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        help="tiktoken: a file of ranks; huggingface: a tokenizer.json; "
        "gpt2: a folder with vocab.json and merges.txt",
    )
    add_destination(parser, "it")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    if options.to == "gpt2":
        check_destination_folder(options.output, force=options.force)
    else:
        check_destination(options.output, [options.model], force=options.force)
    exported = export(options.model, options.to, options.output, overwrite=options.force)
    for path in exported.files:
        say(f"exported: {quoted(path)}, {exported.tokens:,} tokens")
    say("these lines load it:")
    write_output([exported.loading.encode("utf-8")])
