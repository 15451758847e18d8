"""`bpetite export`: a model in the files of another library."""

import argparse
import os

from bpetite_compare._export import FORMATS, export
from bpetite_compare._terminal import (
    Commands,
    add_output,
    add_parser,
    check_output,
    check_output_file,
    say,
    write,
)

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
    parser.add_argument("--model", required=True, metavar="PATH", help="the artifact of `train`")
    parser.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        help="tiktoken: a file of ranks; huggingface: a tokenizer.json; "
        "gpt2: a folder with vocab.json and merges.txt",
    )
    add_output(parser, "it")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    _check_destination(options.to, options.output)
    try:
        exported = export(options.model, options.to, options.output, overwrite=options.force)
    except FileExistsError as error:
        message = f"{error.filename!r} exists; use --force to replace it, or name another"
        raise ValueError(message) from None
    for path in exported.files:
        say(f"exported: {path!r}, {exported.tokens:,} tokens")
    say("these lines load it:")
    write(exported.loading.encode("utf-8"))


def _check_destination(to: str, path: str) -> None:
    """Refuse a file where a folder is written, and the reverse: `--force` replaces neither."""
    if to != "gpt2":
        check_output_file(path)
    elif os.path.lexists(path) and not os.path.isdir(path):
        message = f"{path!r} is not a folder and cannot be replaced by one; name another folder"
        raise ValueError(message)
