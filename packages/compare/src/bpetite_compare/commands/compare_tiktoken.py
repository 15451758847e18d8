r"""Compare the tokens of a text with tiktoken's.

The encoding self is that of the tokenizer file itself.

Examples:
  bpetite compare-tiktoken --model tokenizer.json --text "Hello world"
  bpetite compare-tiktoken --model tokenizer.json --input text.txt \
    --encoding self
"""

import argparse
from collections.abc import Iterator
from typing import Annotated, TypedDict

from bpetite._inner import tokenizer_of
from bpetite_cli import for_compare as cli
from bpetite_compare._comparison import Comparison, Tokenization, compare
from bpetite_compare._encodings import get_encoding
from bpetite_compare._to_tiktoken import SELF
from bpetite_compare.commands._differences import code_points, described, engine_characters


class _Named(TypedDict):
    name: Annotated[str, "`bpetite` or the tiktoken encoding; with `compare`, what `--model` names"]


class _Tokenized(_Named, cli.fields.TextSize):
    ids: Annotated[list[int], "the ids of the text"]


class _DifferenceInText(TypedDict):
    token: Annotated[int, "tokens before the difference"]
    byte: int
    character: Annotated[int, "complete characters before the difference"]
    bpetite_token: cli.fields.Token | None
    tiktoken_token: cli.fields.Token | None


class _Compared(TypedDict):
    equal: bool
    difference: _DifferenceInText | None
    bpetite: Annotated[_Tokenized, "the text in bpetite"]
    tiktoken: Annotated[_Tokenized, "the text in the tiktoken encoding"]
    engine_characters: dict[str, int]


def add_command(commands: cli.Commands) -> None:
    """Add `compare-tiktoken` to the command line."""
    parser = commands.add("compare-tiktoken", __doc__)
    cli.add_model(parser)
    parser.add_file_argument()
    parser.add_argument("--text", help="text to compare; write --text=-x if it starts with a dash")
    parser.add_argument(
        "-i", "--input", metavar="FILE", help="UTF-8 text, also compressed; - is standard input"
    )
    cli.add_options(parser, "--glob")
    parser.add_argument(
        "--encoding",
        default="gpt2",
        metavar="NAME",
        help="tiktoken encoding (default: gpt2); self loads this tokenizer's vocabulary into "
        "tiktoken",
    )
    parser.require_one("--text", "--input")
    moved = "to count with several, use `bpetite compare -m FILE -m o200k_base TEXT`"
    parser.advice |= dict.fromkeys(["--report", "--parallel"], moved)
    parser.set_defaults(run=_run, prints={"": _Compared})


def _run(options: argparse.Namespace) -> None:
    with cli.Pipe(options, "reading") as pipe:
        pipe.begin()
        text = "".join(pipe.passed(pipe.documents.read()))
        pipe.bar.begin("comparing")
        if options.encoding != SELF:
            get_encoding(options.encoding, download=options.download)
        comparison = compare(tokenizer_of(pipe.model), text, options.encoding)
        if cli.wants_json():
            pipe.report(_data(comparison))
            return
        from bpetite_compare.commands._drawing import draw_comparison  # noqa: PLC0415 - rich is slow to load

        pipe.stream([draw_comparison(comparison, _conclusions(comparison))])


def _conclusions(comparison: Comparison) -> Iterator[str]:
    """Yield the lines below the tokens."""
    if found := comparison.difference:
        yield (
            f"first difference at byte {found.byte:,} (character {found.character:,}): "
            f"{comparison.ours.name} has {described(found.ours)}, "
            f"{comparison.theirs.name} has {described(found.theirs)}"
        )
    else:
        yield "all tokens are equal"
    if comparison.engine_characters:
        yield (
            "the Unicode tables of the two regex engines differ on "
            f"{code_points(comparison.engine_characters)}: expect a difference there"
        )
    yield "only the special tokens of the tokenizer file are special, on both sides"


def _data(comparison: Comparison) -> _Compared:
    ours, theirs, found = comparison.ours, comparison.theirs, comparison.difference
    odd = comparison.engine_characters
    return {
        "equal": found is None,
        "difference": None
        if found is None
        else {
            "token": found.token,
            "byte": found.byte,
            "character": found.character,
            "bpetite_token": found.ours and cli.fields.token_fields(*found.ours),
            "tiktoken_token": found.theirs and cli.fields.token_fields(*found.theirs),
        },
        "bpetite": _side(ours),
        "tiktoken": _side(theirs),
        "engine_characters": engine_characters({char: comparison.text.count(char) for char in odd}),
    }


def _side(side: Tokenization) -> _Tokenized:
    size = sum(map(len, side.tokens))
    return {"name": side.name, **cli.fields.text_fields(size, len(side.ids)), "ids": list(side.ids)}
