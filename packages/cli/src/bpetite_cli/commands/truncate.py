"""Cut a tokenizer to a smaller vocabulary.

The result is the same as training with the smaller size.

Examples:
  bpetite truncate --model tokenizer.json --vocab-size 300 --output small.json
  bpetite truncate --model tokenizer.json --vocab-size 256 --output bytes.json

Details:
This is another name of `shrink --vocab-size`, until bpetite 3.0. From schema version 3 on, all ids
stay. The size that a tokenizer had before `train --start` gives its old file, but special tokens
that were added stay.
"""

from bpetite_cli import arguments
from bpetite_cli.shrinking import Smaller, keep_first
from bpetite_cli.strict_parser import Commands


def add_command(commands: Commands) -> None:
    """Add `truncate` to the command line."""
    parser = commands.add("truncate", __doc__)
    parser.add_file_argument(option="--model")
    arguments.add_model(parser)
    arguments.add_options(parser, "--vocab-size", help="bytes, whole tokens and the first merges")
    arguments.add_destination(parser)
    parser.set_defaults(run=keep_first, prints={"": Smaller})
    parser.set_defaults(check=None, id_map=None, renumber=False)
