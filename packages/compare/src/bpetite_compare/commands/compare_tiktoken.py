"""Compare the tokens of a text with tiktoken's.

tiktoken downloads an encoding on first use; self needs no download.

Examples:
  bpetite compare-tiktoken --model tokenizer.json --text "Hello world"
  bpetite compare-tiktoken --model tokenizer.json --input text.txt --encoding self
  bpetite compare-tiktoken --model tokenizer.json --input text.txt --report
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, TypedDict

from bpetite_cli import for_compare as cli
from bpetite_compare._comparison import Comparison, Tokenization, compare
from bpetite_compare._report import REPORT_ENCODINGS, Report, report_on_texts
from bpetite_compare._to_tiktoken import SELF
from bpetite_compare.commands._differences import code_points, described, engine_characters


class _Named(TypedDict):
    name: Annotated[str, "`bpetite`, or the tiktoken encoding"]


class _Tokenized(_Named, cli.fields.Text):
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


class _Row(_Named, cli.fields.Text):
    tokens_per_character: Annotated[float | None, "`tokens` / `characters`"]
    single_byte_share: Annotated[float | None, "the share of single-byte tokens, from 0 to 1"]
    vocab_size: int
    shared: Annotated[int, "mergeable tokens that the tokenizer file also has"]


class _Reported(cli.fields.Files):
    bytes: int
    characters: int
    rows: Annotated[list[_Row], "bpetite, then each encoding"]


def add_command(commands: cli.arguments.Commands) -> None:
    """Add `compare-tiktoken` to the command line."""
    parser = cli.arguments.add_parser(commands, "compare-tiktoken", __doc__)
    cli.arguments.add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="text to compare; write --text=-x if it starts with a dash")
    source.add_argument(
        "-i",
        "--input",
        nargs="+",
        metavar="FILE",
        help="UTF-8 text, also compressed; several files with --report; - is standard input",
    )
    parser.add_argument(
        "--encoding",
        nargs="+",
        metavar="NAME",
        help="tiktoken encoding (default: gpt2), several with --report (default: "
        f"{', '.join(REPORT_ENCODINGS)}); self loads this tokenizer's vocabulary into tiktoken",
    )
    parser.add_argument("--report", action="store_true", help="compare token counts of whole files")
    cli.arguments.require(parser, "--report", "--input")
    parser.set_defaults(run=partial(_run, parser), prints={"": _Compared, "--report": _Reported})


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.report:
        _report(options.model, options.input, options.encoding or REPORT_ENCODINGS)
        return
    encodings = options.encoding or ["gpt2"]
    if len(encodings) > 1 or len(options.input or []) > 1:
        parser.error("several files or encodings require --report")
    paths = options.input or []
    size = cli.inputs.check_inputs(paths)
    with cli.Work("reading", paths, size) as work:
        text = (
            "".join(cli.inputs.read_text(paths[0], work))
            if paths
            else cli.values.text_argument(options.text)
        )
        work.begin("comparing")
        with cli.models.about_model(options.model):
            comparison = compare(options.model, text, encodings[0])
        work.report(_data(comparison), tell=partial(_tell, comparison))


def _tell(comparison: Comparison) -> None:
    if cli.messages.on_terminal():
        from bpetite_compare.commands._drawing import draw_comparison  # noqa: PLC0415 - rich is slow to load

        draw_comparison(comparison, _conclusions(comparison))
    else:
        sides = map(_counts, (comparison.ours, comparison.theirs))
        cli.messages.say(*sides, *_conclusions(comparison))


def _counts(side: Tokenization) -> str:
    ratio = f", {side.bytes_per_token:.2f} bytes each" if side.bytes_per_token else ""
    return f"{side.name}: {len(side.ids):,} tokens{ratio}"


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
            "the Unicode tables of the two engines differ on "
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


def _report(model: str, paths: Sequence[str], encodings: Sequence[str]) -> None:
    if SELF in encodings:
        raise cli.Failure("--report already contains this tokenizer; remove self from --encoding")
    size = cli.inputs.check_inputs(paths)
    with cli.Work("counting", paths, size) as work:
        with cli.models.about_model(model):
            texts = [cli.inputs.read_text(path, work) for path in paths]
            result = report_on_texts(model, texts, encodings)
        work.report(_report_data(result), tell=partial(_tell_report, result))


def _tell_report(result: Report) -> None:
    lines = _report_lines(result)
    if cli.messages.on_terminal():
        from bpetite_compare.commands._drawing import draw_report  # noqa: PLC0415 - rich is slow to load

        draw_report(result, lines)
    else:
        cli.messages.say(*lines)


def _report_data(result: Report) -> _Reported:
    return {
        "files": result.files,
        "bytes": result.bytes,
        "characters": result.characters,
        "rows": [
            {
                "name": row.name,
                **cli.fields.text_fields(result.bytes, row.tokens),
                "tokens_per_character": cli.fields.ratio(row.tokens, result.characters),
                "single_byte_share": row.single_byte_share and round(row.single_byte_share, 4),
                "vocab_size": row.vocab_size,
                "shared": row.shared,
            }
            for row in result.rows
        ],
    }


def _report_lines(result: Report) -> Iterator[str]:
    for row in result.rows:
        ratios = ""
        if row.bytes_per_token is not None:
            ratios = (
                f", {row.bytes_per_token:.3f} bytes each, {row.single_byte_share:.1%} single bytes"
            )
        shared = f"{row.shared:,} of {row.vocab_size:,} tokens shared"
        yield f"{row.name}: {row.tokens:,} tokens{ratios}, {shared}"
