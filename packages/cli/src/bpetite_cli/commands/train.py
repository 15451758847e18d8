"""`bpetite train`: train a tokenizer on text."""

import argparse

from bpetite_cli.kit import (
    Commands,
    Training,
    Work,
    add_corpus,
    add_destination,
    add_jobs,
    add_parser,
    check_destination,
    check_inputs,
    check_output,
    documents_of,
    in_units,
    jobs_of,
    learn,
    quoted,
    save_artifact,
    say,
    text_argument,
    tokenizer_fields,
    vocab_size,
    write_json,
)


def add_command(commands: Commands) -> None:
    """Add `train` to the command line."""
    parser = add_parser(
        commands,
        "train",
        "train a tokenizer on text and save it to a file",
        "  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json\n"
        "  gzip -dc corpus.gz | bpetite train --input - --vocab-size 32000 --output big.json\n"
        "  bpetite train --input docs.jsonl --jsonl text --vocab-size 512 --output tokenizer.json\n"
        "  bpetite train --counts counts.jsonl --vocab-size 512 --output tokenizer.json\n"
        "  find . -name '*.txt' -print0 |\n"
        "    bpetite train --files-from - -0 --vocab-size 512 --output tokenizer.json",
    )
    add_corpus(parser)
    parser.add_argument(
        "--vocab-size",
        required=True,
        type=vocab_size,
        metavar="N",
        help="vocabulary size: 256 bytes plus N - 256 merges; the special token is extra",
    )
    add_destination(parser)
    add_jobs(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    documents = documents_of(options)
    size = check_inputs(documents.paths)
    check_destination(options.output, documents.sources, force=options.force)
    with Work("counting text", documents.paths, size) as work:
        tokenizer, training = learn(documents, options.vocab_size, jobs_of(options), work)
        work.begin("saving")
        sha256 = save_artifact(tokenizer._artifact, options.output, force=options.force)
    _summarize(training, options.vocab_size, options.output)
    milliseconds = round(training.seconds * 1000)
    # The first five are the specification's; the others have the names that all commands use.
    summary = {
        "corpus_bytes": training.corpus_bytes,
        "requested_vocab_size": options.vocab_size,
        "actual_mergeable_vocab_size": training.mergeable_vocab_size,
        "special_token_count": 1,
        "elapsed_ms": milliseconds,
        "files": len(documents.paths),
        "bytes": training.corpus_bytes,
        "outputs": [text_argument(options.output)],
        **tokenizer_fields(training.mergeable_vocab_size, sha256),
        "seconds": milliseconds / 1000,
    }
    write_json(summary)


def _summarize(training: Training, wanted: int, path: str) -> None:
    size = training.mergeable_vocab_size
    fewer = f" (no pair is left for the {wanted:,} wanted)" if size < wanted else ""
    say(
        f"saved: {quoted(path)}, {size:,} tokens{fewer} "
        f"from {in_units(training.corpus_bytes)} in {training.seconds:.2f} s"
    )
