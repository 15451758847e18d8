r"""Train a tokenizer on text and save it to a file.

Examples:
  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json
  bpetite train --input corpus.gz --vocab-size 32000 --output big.json
  bpetite train --input docs.jsonl --jsonl text --vocab-size 512 \
    --output tokenizer.json
  bpetite train docs.parquet --parquet text --vocab-size 512 \
    --output tokenizer.json
  bpetite train --counts counts.jsonl --vocab-size 512 --output tokenizer.json
  find . -name '*.txt' -print0 |
    bpetite train --files-from - -0 --vocab-size 512 --output tokenizer.json
  bpetite train a.txt --start tokenizer.json --vocab-size 512 \
    --output grown.json
  bpetite train text.txt --pattern gpt4 --special '<|user|>' '<|end|>' \
    --vocab-size 512 --output chat.json
"""

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from typing import Annotated, Final, TypedDict

from bpetite._inner import END_OF_TEXT_TOKEN, PATTERNS, Artifact, quoted, training_start
from bpetite_cli import arguments, fields
from bpetite_cli.counting import CountedCorpus
from bpetite_cli.errors import Failure
from bpetite_cli.io import models, outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands, Given
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import visible
from bpetite_cli.tips import meant
from bpetite_cli.training import learn, load_start
from bpetite_cli.values import short, special_tokens, text_argument

_RARE: Final = 100
"""A model hardly learns a token that occurs less often."""

_LIKE_A_PATH: Final = re.compile(r"[\w./~+-]+")
_MOST_NAMES: Final = 6


class _Specified(TypedDict):
    """Fields that only the specification of `train` names so."""

    corpus_bytes: Annotated[int, "equal to `bytes`"]
    requested_vocab_size: Annotated[int, "the value of `--vocab-size`"]
    actual_mergeable_vocab_size: Annotated[int, "equal to `vocab_size`"]
    special_token_count: Annotated[int, "the number of special tokens"]
    elapsed_ms: Annotated[int, "`seconds` in milliseconds"]


class _Summary(_Specified, fields.InputSize, fields.Outputs, fields.TokenizerFile):
    seconds: Annotated[float, "the seconds for reading and training"]
    merges_kept: Annotated[
        int, "merges that came from `--start`; for `verify`, before the first difference"
    ]
    new_ids: Annotated[
        tuple[int, int] | None, "the first and last id of the new tokens; null if there are none"
    ]
    ids_kept: Annotated[
        bool | None, "whether every token of `--start` has the same id; null without it"
    ]
    last_count: Annotated[
        int | None, "how often the last merged pair was counted; null if no merge is new"
    ]
    frequent_vocab_size: Annotated[
        int | None, "the size up to which each merged pair was counted 100 times; null likewise"
    ]


def add_command(commands: Commands) -> None:
    """Add `train` to the command line."""
    parser = commands.add("train", __doc__)
    arguments.add_corpus(parser)
    arguments.add_options(parser, "--vocab-size")
    parser.advice["--vocab-size"] = "to start with, use --vocab-size 8192"
    arguments.add_pattern(parser, "gpt2, or the pattern of --start", PATTERNS)
    parser.add_argument(
        "--special",
        nargs="*",
        action=_SpecialTokens,
        metavar="TOKEN",
        help="the special tokens instead of <|endoftext|>, such as '<|user|>' '<|end|>'; without "
        "a TOKEN, none; with --start, they are added to its own",
    )
    arguments.add_options(parser, "--start")
    parser.add_argument(
        "--keep-ids",
        action="store_true",
        help="with --start: its special tokens keep their ids too, and new tokens get the ids "
        "after them, as for a model that is already trained",
    )
    parser.need("--keep-ids", "--start")
    arguments.add_destination(parser)
    arguments.add_options(parser, "--jobs")
    parser.set_defaults(run=_run, prints={"": _Summary})


class _SpecialTokens(argparse.Action):
    """Extend a list of special tokens, and reject those that break a rule."""

    def __call__(self, _: object, namespace: Given, values: Given, *__: object) -> None:
        """Extend the list."""
        names = (*(getattr(namespace, self.dest) or ()), *map(text_argument, values))
        for mistake in filter(None, map(_mistake, values)):
            raise argparse.ArgumentError(self, mistake)
        try:
            setattr(namespace, self.dest, special_tokens(names))
        except Failure as error:
            raise argparse.ArgumentError(self, str(error)) from None


def _mistake(word: str) -> str | None:
    """Return what a word probably is instead of a special token, and what to type."""
    way_out = "put it before --special, or after --input"
    if os.path.lexists(word):
        return f"{short(word)} is a file; {way_out}"
    folder = os.path.dirname(word) or os.curdir
    files = os.listdir(folder) if _LIKE_A_PATH.fullmatch(word) and os.path.isdir(folder) else []
    if near := meant(os.path.basename(word), files):
        return f"there is no file {short(word)}{near} For a file, {way_out}"
    names = re.split(r"[,\s]+", word)
    try:
        is_several = len(special_tokens(names)) > 1
    except Failure:
        return None
    write = f"write --special {' '.join(map(shlex.quote, names))}"
    return f"{short(word)} is several names; {write}" if is_several else None


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "counting text", "training on") as pipe:
        start = load_start(options.start, options.vocab_size)
        begin = _begin(start, options)
        corpus = CountedCorpus(pipe, begin.pattern, [END_OF_TEXT_TOKEN, *begin.special_names])
        artifact, counts, seconds = learn(pipe, corpus, options.vocab_size, begin)
        pipe.bar.begin("saving")
        sha256 = models.save_artifact(artifact, options.output, force=options.force)
        first = max(begin.ids) + 1 if begin.numbering else len(begin.tokens)
        new = range(first, first + len(counts))
        milliseconds = round(seconds * 1000)
        frequent = len(artifact.tokens) - sum(one < _RARE for one in counts)
        summary: _Summary = {
            "corpus_bytes": corpus.size,
            "requested_vocab_size": options.vocab_size,
            "actual_mergeable_vocab_size": len(artifact.tokens),
            "special_token_count": len(begin.special_names),
            "elapsed_ms": milliseconds,
            "files": len(pipe.documents.paths),
            "skipped": pipe.documents.skipped,
            "bytes": corpus.size,
            "outputs": [text_argument(options.output)],
            **fields.tokenizer_fields(artifact, sha256),
            "seconds": milliseconds / 1000,
            "merges_kept": len(begin.merges),
            "new_ids": (new[0], new[-1]) if new else None,
            "ids_kept": None if start is None else start.vocab.items() <= artifact.vocab.items(),
            "last_count": counts[-1] if counts else None,
            "frequent_vocab_size": frequent if counts else None,
        }
        pipe.report(summary, *_lines(summary, options), *_kept(begin, artifact, new, options))


def _begin(start: Artifact | None, options: argparse.Namespace) -> Artifact:
    """Return what training begins with, after checking that it fits `--start`."""
    if start is not None and options.pattern not in {None, start.pattern.name}:
        raise Failure(
            f"cannot continue {quoted(options.start)} with the pattern {options.pattern}: it has "
            f"{start.pattern.name} (leave out --pattern, or train without --start)"
        )
    for name in options.special or ():
        if start is not None and name in start.special_names:
            raise Failure(
                f"cannot add the special token {short(name)}: {quoted(options.start)} has it "
                "(leave it out of --special)"
            )
    return training_start(start, options.pattern, options.special, keep_ids=options.keep_ids)


def _lines(summary: _Summary, options: argparse.Namespace) -> Iterator[str]:
    """Yield the messages; a terminal gets all the figures that the specification names."""
    size, wanted = summary["vocab_size"], summary["requested_vocab_size"]
    fewer = f" (no pair is left for the {wanted:,} wanted)" if size < wanted else ""
    yield (
        f"saved: {quoted(options.output)}, {size:,} tokens{fewer} "
        f"from {messages.in_units(summary['bytes'])} in {summary['seconds']:.2f} s"
    )
    if outputs.is_terminal():
        yield (
            f"figures: {summary['bytes']:,} bytes; {size:,} of {wanted:,} tokens requested; "
            f"{messages.counted(summary['special_token_count'], 'special token')}; "
            f"{summary['elapsed_ms']:,} ms"
        )
    if options.special:
        ids = summary["special_tokens"].items()
        named = [f"{visible(name.encode())} ({token_id})" for name, token_id in ids]
        yield f"special tokens: {messages.listed(named, _MOST_NAMES)}"
    frequent = summary["frequent_vocab_size"]
    if frequent is not None and frequent < size and summary["last_count"] is not None:
        last = messages.counted(summary["last_count"], "time")
        yield (
            f"rare: beyond {frequent:,} tokens, a merge was counted less than {_RARE} times, the "
            f"last one {last}; a model hardly learns a token that it hardly sees"
        )


def _kept(
    begin: Artifact, artifact: Artifact, new: range, options: argparse.Namespace
) -> Iterator[str]:
    """Yield what `--start` has left, in words: the ids that are new, or that moved."""
    added = len(options.special or ())
    if begin.numbering:
        told = f"{messages.id_range(new)} are new" if new else "no token is new"
        if added:
            told += f"; added: {messages.id_range([*artifact.special_tokens.values()][-added:])}"
        yield f"kept: all {len(begin.ids):,} ids of {quoted(options.start)}; {told}"
    elif options.start is not None:
        moves = _moves(artifact, new, len(artifact.special_names) - added)
        yield f"kept: {len(begin.merges):,} merges{moves}"


def _moves(artifact: Artifact, new: range, count: int) -> str:
    """Return which ids of special tokens of `--start` have moved, in words."""
    if not count:
        return ""
    who, s = (artifact.special_names[0], "s") if count == 1 else (f"{count:,} special tokens", "")
    now = messages.id_range(range(new.stop, new.stop + count))
    if not new:
        return f"; {who} stay{s} {now}, as no merge is new"
    before = messages.id_range(range(new.start, new.start + count))
    return f"; {who} move{s} from {before} to {now} (to keep all ids, use --keep-ids)"
