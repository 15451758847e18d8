"""Cut a tokenizer to a smaller vocabulary.

The result is the same as training with the smaller size.

Examples:
  bpetite truncate --model tokenizer.json --vocab-size 300 --output small.json
  bpetite truncate --model tokenizer.json --vocab-size 256 --output bytes.json

Details:
From schema version 3 on, whole tokens stay, and so do the ids of all tokens that are left.
The size of the tokenizer that it extends gives that tokenizer's file, unless special tokens were
added, which stay.
"""

import argparse

from bpetite._inner import quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.io import models, outputs
from bpetite_cli.pipe import load_alone
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Bar


class _Summary(fields.Outputs, fields.TokenizerFile):
    """What is printed."""


def add_command(commands: Commands) -> None:
    """Add `truncate` to the command line."""
    parser = commands.add("truncate", __doc__)
    parser.add_file_argument(option="--model")
    arguments.add_model(parser)
    arguments.add_options(
        parser, "--vocab-size", help="bytes, whole tokens and the first merges; special are extra"
    )
    arguments.add_destination(parser)
    parser.set_defaults(run=_run, prints={"": _Summary})


def _run(options: argparse.Namespace) -> None:
    artifact = load_alone(options.model, download=options.download).artifact
    size = options.vocab_size
    cannot = f"cannot truncate {quoted(options.model)} to {size:,} tokens: it"
    models.check_size(artifact, size, cannot)
    outputs.check_destination(options.output, [options.model], force=options.force)
    with Bar("saving"):
        smaller = artifact.truncated(size)
        sha256 = models.save_artifact(smaller, options.output, force=options.force)
    summary: _Summary = {
        "outputs": [values.text_argument(options.output)],
        **fields.tokenizer_fields(smaller, sha256),
    }
    kept = messages.counted_ids(size, len(smaller.special_tokens))
    saved = f"saved: {quoted(options.output)}, {kept}, of {len(artifact.tokens):,} tokens"
    messages.report(summary, *messages.special_tokens(smaller.special_tokens), saved=saved)
