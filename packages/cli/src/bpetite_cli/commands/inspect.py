"""`bpetite inspect`: the contents of a tokenizer file, and how a token was made."""

import argparse

from bpetite._artifact import Artifact
from bpetite_cli import arguments, values
from bpetite_cli.arguments import Commands
from bpetite_cli.errors import Failure
from bpetite_cli.io import models, outputs
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views import overview, tree


def add_command(commands: Commands) -> None:
    """Add `inspect` to the command line."""
    parser = arguments.add_parser(
        commands,
        "inspect",
        "show a tokenizer file, or how a token was made",
        "  bpetite inspect --model tokenizer.json\n"
        "  bpetite inspect --model tokenizer.json --token 258\n"
        "  bpetite inspect --model tokenizer.json --token 258 --json\n"
        "  bpetite inspect --model tokenizer.json --json\n"
        "  bpetite inspect --model tokenizer.json --tokens > tokens.jsonl",
    )
    arguments.add_model(parser)
    parser.add_argument(
        "--token",
        type=values.integer,
        metavar="ID",
        help="show the tree of merges that made this token",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object with all figures"
    )
    parser.add_argument(
        "--tokens",
        action="store_true",
        help="print the vocabulary as JSON Lines: the id, bytes in hex, text, pair and rank of "
        "each token",
    )
    arguments.allow_one(parser, ["--tokens"], ["--token", "--json"])
    parser.set_defaults(
        run=_run,
        prints={
            "--json": overview.Overview,
            "--token --json": tree.Tree,
            "--tokens": overview.Entry,
        },
    )


def _run(options: argparse.Namespace) -> None:
    outputs.check_output()
    with Work("loading"):
        artifact = models.load_artifact(options.model)
    token_id = options.token
    if token_id is not None:
        _check_id(artifact, token_id)
    if options.tokens:
        outputs.write_output(map(outputs.json_line, overview.vocabulary_data(artifact)))
    elif options.json:
        data = (
            overview.overview_data(options.model, artifact)
            if token_id is None
            else tree.tree_data(artifact, token_id)
        )
        outputs.write_json(data)
    elif token_id is None:
        outputs.stream_output(overview.draw_overview(options.model, artifact, look_at_output()))
    else:
        outputs.stream_output(tree.draw_tree(artifact, token_id, look_at_output()))


def _check_id(artifact: Artifact, token_id: int) -> None:
    if not 0 <= token_id <= artifact.special_id:
        raise Failure(f"unknown token id {token_id}; the ids are 0 to {artifact.special_id}")
