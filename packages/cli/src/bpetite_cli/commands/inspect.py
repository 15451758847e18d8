"""Show a tokenizer, or how a token was made.

Examples:
  bpetite inspect --model tokenizer.json
  bpetite inspect --model tokenizer.json --token 258
  bpetite inspect --model tokenizer.json --token-text ' the'
  bpetite inspect --model tokenizer.json --tokens > tokens.jsonl
  bpetite inspect --model big.json --tokens --since tokenizer.json

Details:
For another form, such as a model's folder, the first lines also say what bpetite leaves out, or why
it does not open; then the exit status is 1.
"""

import argparse
from itertools import chain

from bpetite_cli import arguments, values
from bpetite_cli.io import outputs
from bpetite_cli.pipe import load_alone
from bpetite_cli.plugins import NotOpenedError
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views import overview, tree, vocabulary


def add_command(commands: Commands) -> None:
    """Add `inspect` to the command line."""
    parser = commands.add("inspect", __doc__)
    parser.add_file_argument(option="--model")
    parser.advice["FILE"] = "it is the tokenizer, and --token names a token"
    arguments.add_model(parser)
    parser.add_argument(
        "--token",
        type=values.id_or_text,
        metavar="TOKEN",
        help="the merges that made this token: an id, or a text such as ' the'",
    )
    parser.add_argument(
        "--token-text",
        dest="token",
        metavar="TEXT",
        help="the same for this text, also if it is digits",
    )
    parser.add_argument(
        "--tokens",
        action="store_true",
        help="list the vocabulary, a line for each token",
    )
    parser.add_argument(
        "--since",
        metavar="OLD",
        help="with --tokens: those that the tokenizer file OLD lacks, and its ids for their bytes",
    )
    parser.need("--since", "--tokens")
    parser.allow_one("--tokens", "--token", "--token-text")
    parser.set_defaults(
        run=_run,
        prints={
            "": overview.Overview,
            "if it does not open": overview.Unopened,
            "--token": tree.Tree,
            "--token-text": tree.Tree,
            "--tokens": vocabulary.Entry,
            "--tokens --since": vocabulary.NewEntry,
        },
    )


def _run(options: argparse.Namespace) -> None:
    try:
        model = load_alone(options.model, download=options.download)
    except NotOpenedError as error:
        if options.tokens or options.token is not None:
            raise
        known = overview.source_data(options.model, error.facts)
        outputs.write_object(known, overview.draw_source(error.facts))
        raise
    artifact = model.artifact
    if options.tokens:
        before = None
        if options.since is not None:
            old = load_alone(options.since, download=options.download)
            before = vocabulary.ids_before(artifact, old.artifact)
        rows = vocabulary.draw_vocabulary(artifact, before, look_at_output())
        outputs.write_rows(rows, vocabulary.vocabulary_data(artifact, before))
    elif options.token is not None:
        for number, token_id in enumerate(vocabulary.chosen(artifact, options.token)):
            lines = tree.draw_tree(artifact, token_id, look_at_output())
            between = ["\n"] if number else []
            outputs.write_object(tree.tree_data(artifact, token_id), chain(between, lines))
    else:
        data = overview.overview_data(options.model, model)
        outputs.write_object(data, overview.draw_overview(data, artifact, look_at_output()))
