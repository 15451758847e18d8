"""`bpetite import-tiktoken`: the former name of `import --from tiktoken`."""

import argparse
import os

from bpetite_cli.kit import Commands, add_quiet
from bpetite_compare.commands.import_ import add_options, run_import


def add_command(commands: Commands) -> None:
    """Add `import-tiktoken` to the command line."""
    # Without `help`, the list of commands leaves it out.
    parser = commands.add_parser(
        "import-tiktoken",
        description="The former name of import --from tiktoken.",
        epilog="examples:\n"
        "  bpetite import-tiktoken --encoding gpt2 --output gpt2.json\n"
        "  bpetite import-tiktoken --ranks model.tiktoken --output model.json",
    )
    add_quiet(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--encoding", metavar="NAME", help="a tiktoken encoding with GPT-2's split pattern"
    )
    source.add_argument("--ranks", metavar="FILE", help="a file of ranks")
    add_options(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    ranks: str | None = options.ranks
    if ranks is not None and not os.path.dirname(ranks):
        ranks = os.path.join(os.curdir, ranks)  # so that it is never the name of an encoding
    run_import(options, [ranks or options.encoding], "tiktoken")
