"""Import a tokenizer from tiktoken or Hugging Face.

The tokenizer must be byte-level BPE with GPT-2's split pattern.
tiktoken downloads an encoding on first use.

Examples:
  bpetite import --from huggingface --input hf.json --output new.json
  bpetite import --from gpt2 --input gpt2files --output new.json
  bpetite import --from tiktoken --input gpt2 --output gpt2.json --id-map map.json
  bpetite import --from tiktoken --input model.tiktoken --output new.json
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import Annotated

from bpetite._quoting import quoted
from bpetite_cli import for_compare as cli
from bpetite_compare._conversion import some_names
from bpetite_compare._import import SOURCES, Imported, files_of, import_tokenizer


class _Summary(cli.fields.Outputs, cli.fields.Tokenizer):
    changed_ids: Annotated[int, "tokens whose id changed"]
    dropped_special_tokens: Annotated[Mapping[str, int], "the id of each dropped special token"]


def add_command(commands: cli.arguments.Commands) -> None:
    """Add `import` to the command line."""
    parser = cli.arguments.add_parser(commands, "import", __doc__)
    parser.add_argument(
        "--from",
        required=True,
        choices=SOURCES,
        dest="form",
        help="tiktoken: the name of an encoding, or a file of ranks; huggingface: a "
        "tokenizer.json, or a folder with one; gpt2: vocab.json and merges.txt, or a folder "
        "with them",
    )
    parser.add_argument(
        "-i",
        "--input",
        required=True,
        nargs="+",
        metavar="SOURCE",
        help="name, file or folder to import (see --from)",
    )
    cli.arguments.add_destination(parser, "the tokenizer file")
    parser.add_argument(
        "--id-map",
        type=cli.values.file_path,
        metavar="FILE",
        help="write the original ids to FILE as a JSON array, for export --id-map",
    )
    parser.add_argument(
        "--drop-special", action="store_true", help="drop special tokens other than <|endoftext|>"
    )
    parser.set_defaults(run=_run, prints={"": _Summary})


def _run(options: argparse.Namespace) -> None:
    files = files_of(options.input, options.form)
    for output in filter(None, (options.output, options.id_map)):
        cli.destinations.check_destination(output, files, force=options.force)
    with cli.Work("importing"):
        imported = import_tokenizer(
            options.input,
            options.form,
            options.output,
            overwrite=options.force,
            drop_special=options.drop_special,
            id_map=options.id_map,
        )
    outputs = filter(None, (options.output, options.id_map))
    summary: _Summary = {
        "outputs": list(map(cli.values.text_argument, outputs)),
        **cli.fields.tokenizer_fields(cli.models.load_artifact(options.output), imported.sha256),
        "changed_ids": imported.changed,
        "dropped_special_tokens": dict(imported.dropped),
    }
    cli.write_result(summary, *_lines(imported, options.id_map))


def _lines(imported: Imported, id_map: str | None) -> Iterator[str]:
    """Yield the lines for standard error."""
    size = imported.mergeable_vocab_size
    yield f"imported: {quoted(imported.path)}, {size:,} mergeable tokens, <|endoftext|> is {size}"
    yield "checked: a slow encoder gives the same ids for each chunk of a text in many scripts"
    yield from imported.notes
    if imported.special_added:
        yield ("added: <|endoftext|>, as in every import; in the original it is ordinary text")
    if imported.dropped:
        yield f"dropped, now ordinary text: {some_names(imported.dropped)}"
    if imported.changed:
        way_out = "--id-map FILE saves the original ones"
        if id_map is not None:
            way_out = f"the original ones are in {quoted(id_map)}, for export --id-map"
        yield f"{imported.changed:,} of {size + 1:,} ids have changed; {way_out}"
