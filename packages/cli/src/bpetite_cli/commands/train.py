"""Train a tokenizer on text and save it to a file.

Examples:
  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json
  bpetite train --input corpus.gz --vocab-size 32000 --output big.json
  bpetite train --input docs.jsonl --jsonl text --vocab-size 512 --output tokenizer.json
  bpetite train docs.parquet --parquet text --vocab-size 512 --output tokenizer.json
  bpetite train --counts counts.jsonl --vocab-size 512 --output tokenizer.json
  find . -name '*.txt' -print0 |
    bpetite train --files-from - -0 --vocab-size 512 --output tokenizer.json
  bpetite train a.txt --start tokenizer.json --vocab-size 512 --output grown.json
"""

import argparse
from collections.abc import Iterator
from typing import Annotated, TypedDict

from bpetite._quoting import quoted
from bpetite._trainer import beginning
from bpetite_cli import arguments, fields, values
from bpetite_cli.arguments import Commands
from bpetite_cli.io import destinations, inputs, models, outputs
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.training import Training, learn, load_start


class _Specified(TypedDict):
    """Fields that only the specification of `train` names so."""

    corpus_bytes: Annotated[int, "equal to `bytes`"]
    requested_vocab_size: Annotated[int, "the value of `--vocab-size`"]
    actual_mergeable_vocab_size: Annotated[int, "equal to `vocab_size`"]
    special_token_count: Annotated[int, ("const", 1), "the number of special tokens"]
    elapsed_ms: Annotated[int, "`seconds` in milliseconds"]


class _Corpus(_Specified, fields.Files):
    bytes: int


class _Summary(_Corpus, fields.Outputs, fields.Tokenizer):
    seconds: Annotated[float, "the seconds for reading and training"]
    merges_kept: Annotated[
        int, "merges that came from `--start`; for `verify`, before the first difference"
    ]


def add_command(commands: Commands) -> None:
    """Add `train` to the command line."""
    parser = arguments.add_parser(commands, "train", __doc__)
    arguments.add_corpus(parser)
    arguments.add_vocab_size(parser, "N - 256 merges")
    arguments.advise(parser, "--vocab-size", "to start with, use --vocab-size 8192")
    arguments.add_start(parser)
    arguments.add_destination(parser)
    arguments.add_jobs(parser)
    parser.set_defaults(run=_run, prints={"": _Summary})


def _run(options: argparse.Namespace) -> None:
    documents = arguments.documents_of(options)
    size = inputs.check_inputs(documents.paths)
    sources = [*documents.sources, *([options.start] if options.start is not None else [])]
    destinations.check_destination(options.output, sources, force=options.force)
    messages.say_if_typed("training on", documents.paths)
    with Work("counting text", documents.paths, size) as work:
        start = load_start(options.start, options.vocab_size)
        jobs = arguments.jobs_of(options)
        begin = beginning(start._artifact if start else None, None, None)
        training = learn(documents, options.vocab_size, jobs, work, begin)
        work.begin("saving")
        sha256 = models.save_artifact(training.artifact, options.output, force=options.force)
        size = training.artifact.mergeable
        milliseconds = round(training.seconds * 1000)
        summary: _Summary = {
            "corpus_bytes": training.corpus_bytes,
            "requested_vocab_size": options.vocab_size,
            "actual_mergeable_vocab_size": size,
            "special_token_count": 1,
            "elapsed_ms": milliseconds,
            "files": len(documents.paths),
            "bytes": training.corpus_bytes,
            "outputs": [values.text_argument(options.output)],
            **fields.tokenizer_fields(size, sha256),
            "seconds": milliseconds / 1000,
            "merges_kept": 0 if start is None else len(start._artifact.merges),
        }
        work.report(summary, *_lines(summary, training, options))


def _lines(summary: _Summary, training: Training, options: argparse.Namespace) -> Iterator[str]:
    """Yield the messages; a terminal gets all the figures that the specification names."""
    size, wanted = summary["vocab_size"], summary["requested_vocab_size"]
    fewer = f" (no pair is left for the {wanted:,} wanted)" if size < wanted else ""
    yield (
        f"saved: {quoted(options.output)}, {size:,} tokens{fewer} "
        f"from {messages.in_units(training.corpus_bytes)} in {training.seconds:.2f} s"
    )
    if outputs.is_terminal():
        yield (
            f"figures: {training.corpus_bytes:,} bytes; {size:,} of {wanted:,} tokens requested; "
            f"1 special token; {summary['elapsed_ms']:,} ms"
        )
    if options.start is not None:
        kept = summary["merges_kept"]
        before = 256 + kept
        yield f"kept: {kept:,} merges; <|endoftext|> " + (
            f"moves from id {before} to id {size}"
            if before < size
            else f"stays id {size}, as no merge is new"
        )
