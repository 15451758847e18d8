r"""Train a tokenizer on text and save it to a file.

Examples:
  bpetite train --input text.txt --vocab-size 512 --output tokenizer.json
  bpetite train --input corpus.gz --vocab-size 32000 --output big.json
  bpetite train a.txt --start tokenizer.json --vocab-size 512 \
    --output grown.json
  bpetite train text.txt --pattern gpt4 --special '<|user|>' '<|end|>' \
    --vocab-size 512 --output chat.json

Details:
For a new model, take `--pattern gpt4` ([why](../patterns.md)). The default stays `gpt2`, so that
the same command always makes the same file. `--special` replaces `<|endoftext|>`, or adds to the
special tokens of `--start`; without a TOKEN, there are none.

`--start` keeps pattern, merges and ids, but special tokens move behind the new tokens, unless the
file has schema version 3 or 4, as imported tokenizers do. With `--keep-ids` they stay, and new
tokens get the ids after them ([Extend](../extend.md)).
"""

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Final, TypedDict

from bpetite._inner import (
    END_OF_TEXT_TOKEN,
    PATTERNS,
    Artifact,
    checked_special_tokens,
    quoted,
    training_start,
)
from bpetite_cli import arguments, fields
from bpetite_cli.counting import CountedCorpus
from bpetite_cli.errors import Failure
from bpetite_cli.io import models
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands, Given
from bpetite_cli.terminal import messages
from bpetite_cli.tips import meant
from bpetite_cli.training import check_start, learn
from bpetite_cli.values import short, text_argument, vocab_size

_RARE: Final = 100
"""A model hardly learns a token that occurs less often."""

_WORTH_A_REMARK: Final = 2000
"""The size from which a vocabulary may be for a model."""

_LIKE_A_PATH: Final = re.compile(r"[\w./~+-]+")


class _Specified(TypedDict):
    """Fields with the names of the specification."""

    corpus_bytes: Annotated[int, "bytes of the corpus, `bytes` elsewhere"]
    requested_vocab_size: Annotated[int, "`--vocab-size`, or `--total` without special tokens"]
    actual_mergeable_vocab_size: Annotated[int, "mergeable tokens, `vocab_size` elsewhere"]
    special_token_count: Annotated[int, "the number of special tokens"]
    elapsed_ms: Annotated[int, "milliseconds for reading and training"]


class _Summary(_Specified, fields.Documents, fields.Outputs, fields.TokenizerContent):
    merges_kept: Annotated[
        int, "merges that came from `--start`; for `verify`, before the first difference"
    ]
    new_ids: Annotated[tuple[int, int] | None, "the first and last new id, or null"]
    ids_kept: Annotated[
        bool | None, "whether every token of `--start` has the same id; null without it"
    ]
    last_count: Annotated[
        int | None, "how often the last merged pair was counted; null if no merge is new"
    ]
    frequent_vocab_size: Annotated[
        int | None,
        "the size up to which each merged pair was counted 100 times; null as `last_count`",
    ]


def add_command(commands: Commands) -> None:
    """Add `train` to the command line."""
    parser = commands.add("train", __doc__)
    arguments.add_corpus(parser)
    arguments.add_options(parser, "--vocab-size", required=False)
    parser.add_argument(
        "--total",
        type=vocab_size,
        metavar="N",
        help="instead, all ids, special tokens included",
    )
    parser.require_one("--vocab-size", "--total")
    parser.advice["--vocab-size"] = "to start with, use --vocab-size 8192"
    arguments.add_pattern(parser, "gpt2, or the pattern of --start", PATTERNS)
    parser.add_argument(
        "--special",
        nargs="*",
        type=_special_token,
        action=_SpecialTokens,
        metavar="TOKEN",
        help="special tokens, such as '<|user|>' '<|end|>' (default: <|endoftext|>)",
    )
    arguments.add_options(parser, "--start", "--download")
    parser.add_argument(
        "--keep-ids",
        action="store_true",
        help="with --start: all its ids stay, as for a trained model",
    )
    parser.need("--keep-ids", "--start")
    arguments.add_destination(parser)
    arguments.add_options(parser, "--jobs")
    parser.set_defaults(run=_run, prints={"": _Summary})


def _special_token(word: str) -> str:
    """Read a special token; what is probably something else is an error that says what to type."""
    way_out = "put it before --special, or after --input"
    if os.path.lexists(word):
        raise Failure(f"{short(word)} is a file; {way_out}")
    folder = os.path.dirname(word) or os.curdir
    files = os.listdir(folder) if _LIKE_A_PATH.fullmatch(word) and os.path.isdir(folder) else []
    if near := meant(os.path.basename(word), files):
        raise Failure(f"there is no file {short(word)}{near} For a file, {way_out}")
    names = re.split(r"[,\s]+", word)
    with suppress(ValueError):
        if len(checked_special_tokens(names)) > 1:
            write = f"write --special {' '.join(map(shlex.quote, names))}"
            raise Failure(f"{short(word)} is several names; {write}")
    return text_argument(word)


class _SpecialTokens(argparse.Action):
    """Extend a list of special tokens, which together have to keep the rules."""

    def __call__(self, _: object, namespace: Given, values: Given, *__: object) -> None:
        """Extend the list."""
        try:
            names = checked_special_tokens((*(getattr(namespace, self.dest) or ()), *values))
        except ValueError as error:
            raise argparse.ArgumentError(self, str(error)) from None
        setattr(namespace, self.dest, names)


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "counting text", "training on") as pipe:
        start = None if options.start is None else pipe.load(options.start).artifact
        begin = _begin(start, options)
        wanted = _wanted(begin, options)
        check_start(options.start, begin, wanted)
        corpus = CountedCorpus(pipe, begin.pattern, [END_OF_TEXT_TOKEN, *begin.special_names])
        artifact, counts, seconds = learn(pipe, corpus, wanted, begin)
        pipe.bar.begin("saving")
        sha256 = models.save_artifact(artifact, options.output, force=options.force)
        first = max(begin.ids) + 1 if begin.numbering else len(begin.tokens)
        new = range(first, first + len(counts))
        frequent = len(artifact.tokens) - sum(one < _RARE for one in counts)
        summary: _Summary = {
            "corpus_bytes": corpus.size,
            "requested_vocab_size": wanted,
            "actual_mergeable_vocab_size": len(artifact.tokens),
            "special_token_count": len(begin.special_names),
            "elapsed_ms": round(seconds * 1000),
            **pipe.documents.figures,
            "outputs": [text_argument(options.output)],
            **fields.content_fields(artifact, sha256),
            "merges_kept": len(begin.merges),
            "new_ids": (new[0], new[-1]) if new else None,
            "ids_kept": None if start is None else start.vocab.items() <= artifact.vocab.items(),
            "last_count": counts[-1] if counts else None,
            "frequent_vocab_size": frequent if counts else None,
        }
        lines = (*_lines(summary, options), *_kept(begin, artifact, new, options))
        pipe.report(summary, *lines, saved=_saved(summary, options))


def _wanted(begin: Artifact, options: argparse.Namespace) -> int:
    """Return the number of mergeable tokens to reach."""
    special, total = len(begin.special_names), options.total
    if total is None:
        return int(options.vocab_size)
    least = len(begin.tokens) + special
    if total < least:
        raise Failure(
            f"--total {total} is too few: expected at least {least}, for "
            f"{messages.counted_ids(len(begin.tokens), special)}"
        )
    return int(total) - special


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


def _saved(summary: _Summary, options: argparse.Namespace) -> str:
    size, wanted = summary["actual_mergeable_vocab_size"], summary["requested_vocab_size"]
    fewer = f" (no pair is left for the {wanted:,} wanted)" if size < wanted else ""
    return (
        f"saved: {quoted(options.output)}, "
        f"{messages.counted_ids(size, summary['special_token_count'])}{fewer} from "
        f"{messages.in_units(summary['corpus_bytes'])} in {summary['elapsed_ms'] / 1000:.2f} s"
    )


def _lines(summary: _Summary, options: argparse.Namespace) -> Iterator[str]:
    """Yield the other lines for people, with all figures that the specification names."""
    size, wanted = summary["actual_mergeable_vocab_size"], summary["requested_vocab_size"]
    yield (
        f"figures: {summary['corpus_bytes']:,} bytes; {size:,} of {wanted:,} tokens requested; "
        f"{messages.counted(summary['special_token_count'], 'special token')}; "
        f"{summary['elapsed_ms']:,} ms; {summary['rows']:,} rows in a model"
    )
    yield from messages.special_tokens(summary["special_tokens"])
    yield f"sha256: {summary['sha256']}"
    frequent, last = summary["frequent_vocab_size"], summary["last_count"]
    if size >= _WORTH_A_REMARK and frequent is not None and last is not None and frequent < size:
        smaller = f"--vocab-size {frequent}"
        if options.total is not None:
            smaller = f"--total {options.total - wanted + frequent}"
        yield (
            f"rare: the last {size - frequent:,} tokens were counted less than {_RARE} times, the "
            f"last one {messages.counted(last, 'time')}; a model hardly learns them: train on more "
            f"text, or choose {smaller}"
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
