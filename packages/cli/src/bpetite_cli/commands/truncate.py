"""`bpetite truncate`: the tokenizer that training with a smaller size would have produced.

Training learns one merge after another and never goes back, so a smaller tokenizer has the
first merges of a larger one.
"""

import argparse

from bpetite._artifact import Artifact
from bpetite_cli.kit import (
    Commands,
    Failure,
    Work,
    add_destination,
    add_model,
    add_parser,
    check_destination,
    check_output,
    load_artifact,
    quoted,
    save_artifact,
    say,
    text_argument,
    tokenizer_fields,
    vocab_size,
    write_json,
)


def add_command(commands: Commands) -> None:
    """Add `truncate` to the command line."""
    parser = add_parser(
        commands,
        "truncate",
        "cut a tokenizer to a smaller vocabulary",
        "  bpetite truncate --model tokenizer.json --vocab-size 300 --output small.json\n"
        "  bpetite truncate --model tokenizer.json --vocab-size 256 --output bytes.json",
        "\n\nThe result is the same as training with the smaller size.",
    )
    add_model(parser)
    parser.add_argument(
        "--vocab-size",
        required=True,
        type=vocab_size,
        metavar="N",
        help="vocabulary size: 256 bytes plus the first N - 256 merges; the special token is extra",
    )
    add_destination(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    with Work("loading"):
        artifact = load_artifact(options.model)
    size = options.vocab_size
    if size > artifact.special_id:
        message = (
            f"cannot truncate {quoted(options.model)} to {size:,} tokens: it has "
            f"{artifact.special_id:,} (train a larger tokenizer with `bpetite train`)"
        )
        raise Failure(message)
    check_destination(options.output, [options.model], force=options.force)
    with Work("saving"):
        smaller = Artifact.of_merges(artifact.merges[: size - 256])
        sha256 = save_artifact(smaller, options.output, force=options.force)
    say(
        f"saved: {quoted(options.output)}, {size:,} of {artifact.special_id:,} mergeable tokens; "
        f"{artifact.special_token} is {size}"
    )
    write_json({"outputs": [text_argument(options.output)], **tokenizer_fields(size, sha256)})
