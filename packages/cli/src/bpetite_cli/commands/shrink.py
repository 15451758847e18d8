r"""Shrink a tokenizer to the tokens that a text needs.

Examples:
  bpetite shrink --model tokenizer.json text.txt --output small.json
  bpetite shrink --model tokenizer.json text.txt --check small.json
  bpetite shrink --model tokenizer.json a.txt b.txt --renumber \
    --id-map map.json --output small.json
  bpetite shrink --model tokenizer.json text.txt --min-count 2 \
    --keep ' the' --output small.json

Details:
A text needs the tokens of its ids, and those from which merges make them. These, the bytes and the
special tokens stay, with their ids. Every distinct chunk of the text is encoded with both
tokenizers to prove it.

- With `--renumber`, `--id-map` writes a JSON list for `export --base`: the old id of each new one,
  or null.
- `--min-count` changes the ids of some text; a line says of how much. `--keep` names tokens that
  stay all the same, with the merges that make them.
- `--check` compares byte for byte, with `--id-map` the map too. If they differ, the exit status is
  1, and the error names the first such token.
- `--vocab-size` does what [`truncate`](#truncate) does.
"""

import argparse
from operator import mul
from typing import Annotated

from bpetite._inner import Artifact, quoted, tokenizer_of
from bpetite_cli import arguments, fields, shrinking, values
from bpetite_cli.counting import count_ids
from bpetite_cli.errors import Failure
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages


class _Figures(fields.Documents, fields.TextSize):
    """The text, with the smaller tokenizer and with the old one."""

    tokens_before: Annotated[int, "`tokens` with the old tokenizer"]
    distinct_chunks: int
    other_ids: Annotated[float | None, "the share of the text, in bytes, that has other ids"]


class _Summary(_Figures, shrinking.Smaller):
    """What is saved."""


class _Checked(_Figures, shrinking.Checked):
    """What is checked."""


def add_command(commands: Commands) -> None:
    """Add `shrink` to the command line."""
    parser = commands.add("shrink", __doc__)
    arguments.add_model(parser)
    arguments.add_text_or_documents(parser, "text to keep, instead of files")
    arguments.add_options(parser, "--ordinary")
    times = values.bounded("1 or more", 1)
    parser.add_argument("--min-count", type=times, default=1, metavar="N", help="drop rarer tokens")
    parser.add_argument("--keep", nargs="+", action="extend", metavar="TEXT", help="tokens to keep")
    arguments.add_options(parser, "--vocab-size", required=False, help="or keep the first merges")
    parser.add_argument("--renumber", action="store_true", help="ids from 0 on, in the old order")
    parser.add_argument("--id-map", type=values.file_path, metavar="PATH", help="write the old ids")
    parser.add_argument("--check", metavar="FILE", help="compare FILE with it instead of saving")
    arguments.add_options(parser, "--output", help="write the tokenizer file to PATH")
    arguments.add_options(parser, "--force", "--jobs")
    of_text = ("--glob", "--jsonl", "--parquet", "--document-separator", "--ordinary")
    parser.require_one(["--input", "--files-from"], "--text", "--vocab-size", or_pipe=True)
    parser.allow_one([*of_text, "--min-count", "--keep", "--jobs"], "--vocab-size")
    parser.require_one("--output", "--check")
    parser.allow_one("--force", "--check")
    first = {"--vocab-size": shrinking.Smaller, "--vocab-size --check": shrinking.Checked}
    parser.set_defaults(run=_run, prints={"": _Summary, "--check": _Checked, **first})


def _run(options: argparse.Namespace) -> None:
    if options.vocab_size is not None:
        shrinking.keep_first(options)
        return
    with Pipe(options, "counting") as pipe:
        shrinking.check_destinations(options, [*pipe.documents.paths, *pipe.documents.lists])
        old, checked = pipe.model, options.check and pipe.load(options.check)
        named = _named(old, options)
        counts, chunks = count_ids(pipe, None)
        tokens = before = sum(counts)
        size = sum(map(mul, map(len, old.table), counts))
        if not size:
            pipe.documents.note_empty("the text")
        for index in named:
            counts[index] += options.min_count
        needed = enumerate(old.times_needed(counts))
        smaller = old.shrunk({index for index, times in needed if times >= options.min_count})
        made, id_map = result = shrinking.numbered(options, old, smaller)
        encode, encode_now = tokenizer_of(old).encode, tokenizer_of(made).encode
        other = 0
        pipe.bar.begin("proving", len(chunks), show="{:,}".format)
        for place, (chunk, count) in enumerate(chunks.items(), 1):
            ids = encode(chunk, ordinary=True)
            now = encode_now(chunk, ordinary=True)
            if ids != [id_map[one] for one in now]:
                tokens += (len(now) - len(ids)) * count
                other += len(chunk.encode("utf-8")) * count
                if smaller.indexes.keys() >= {*ids}:
                    raise RuntimeError(f"{chunk!r} needs no token that is gone, but has other ids")
            if not place % 1000:
                pipe.bar.advance(1000)
        figures: _Figures = {
            "files": len(pipe.documents.paths),
            "skipped": pipe.documents.skipped,
            **fields.text_fields(size, tokens),
            "tokens_before": before,
            "distinct_chunks": len(chunks),
            "other_ids": fields.ratio(other, size),
        }
        every = messages.counted(len(chunks), "distinct chunk")
        line = f"proved: all {every} have the same tokens as before"
        if other:
            share = f"{tokens / before - 1:+.2%}; {other / size:.2%} of its bytes have other ids"
            line = f"text: {tokens:,} tokens instead of {before:,}, {share}"
        pipe.bar.hide()
        shrinking.finish(options, old, checked, result, line, **figures)


def _named(old: Artifact, options: argparse.Namespace) -> list[int]:
    """Return the indexes of the tokens of `--keep`."""
    named: list[int] = []
    for text in map(values.text_argument, options.keep or ()):
        ids = tokenizer_of(old).encode(text)
        if len(ids) != 1:
            raise Failure(
                f"--keep {values.short(text)}: expected one token of {quoted(options.model)}, "
                f"found {len(ids)} (if it is a FILE, name it before --keep)"
            )
        named.append(old.indexes[ids[0]])
    return named
