r"""Compare the tokens of a text with tiktoken's.

tiktoken downloads an encoding on first use; self needs no download.

Examples:
  bpetite compare-tiktoken --model tokenizer.json --text "Hello world"
  bpetite compare-tiktoken --model tokenizer.json --input text.txt \
    --encoding self
  bpetite compare-tiktoken --model tokenizer.json --input text.txt --report
  bpetite compare-tiktoken --report --parallel --encoding gpt2 o200k_base \
    --input a.txt b.txt
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from shutil import get_terminal_size
from typing import Annotated, Any, Final, TypedDict

from bpetite_cli import for_compare as cli
from bpetite_compare._comparison import Comparison, Tokenization, compare
from bpetite_compare._report import REPORT_ENCODINGS, Report, report_on_texts
from bpetite_compare._to_tiktoken import SELF
from bpetite_compare.commands._differences import code_points, described, engine_characters

_LONG: Final = 20
"""How many characters at the end of a long name a table shows."""


class _Named(TypedDict):
    name: Annotated[
        str, "`bpetite`, the path of one of several tokenizer files, or the tiktoken encoding"
    ]


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


class _InText(cli.fields.TextSize):
    path: str
    ratio_to_first: Annotated[
        float | None, "`tokens` / those of the first text, with `--parallel`; else null"
    ]


class _Row(_Named, cli.fields.TextSize):
    tokens_per_character: Annotated[float | None, "`tokens` / `characters`"]
    single_byte_share: Annotated[float | None, "the share of single-byte tokens, from 0 to 1"]
    vocab_size: int
    shared: Annotated[int, "mergeable tokens that the first tokenizer also has"]
    per_text: Annotated[list[_InText], "the figures of each text"]


class _Reported(cli.fields.Files):
    bytes: int
    characters: int
    rows: Annotated[list[_Row], "each tokenizer file, then each encoding"]


def add_command(commands: cli.Commands) -> None:
    """Add `compare-tiktoken` to the command line."""
    parser = commands.add("compare-tiktoken", __doc__)
    cli.add_options(parser, "--model", required=False, nargs="+")
    parser.add_argument("--text", help="text to compare; write --text=-x if it starts with a dash")
    parser.add_argument(
        "-i",
        "--input",
        nargs="+",
        metavar="FILE",
        help="UTF-8 text, also compressed; several files or a folder with --report; - is standard "
        "input",
    )
    cli.add_options(parser, "--glob")
    parser.add_argument(
        "--encoding",
        nargs="+",
        metavar="NAME",
        help="tiktoken encoding (default: gpt2), several with --report (default with one --model: "
        f"{', '.join(REPORT_ENCODINGS)}); self loads this tokenizer's vocabulary into tiktoken",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="compare token counts of whole files, with any number of tokenizers; * marks the best "
        "of each row",
    )
    parser.add_argument(
        "--parallel",
        action="store_true",
        help="the files of --report are translations of the first one: add the ratio of tokens",
    )
    parser.require_one("--text", "--input")
    parser.need("--report", "--input")
    parser.need("--parallel", "--report")
    parser.require_one(["--model", "--encoding"])
    parser.set_defaults(run=partial(_run, parser), prints={"": _Compared, "--report": _Reported})


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    models, encodings = options.model or [], options.encoding or ["gpt2"]
    paths = options.input or []
    if options.parallel and len(paths) == 1:
        parser.error("--parallel requires several files")
    if options.report:
        _report(options)
        return
    if max(map(len, (models, encodings, paths))) > 1:
        parser.error("several tokenizer files, encodings or inputs require --report")
    if not models:
        parser.error("argument --encoding: requires --model or --report")
    with cli.Pipe(options, "reading") as pipe:
        text = "".join(pipe.texts())
        pipe.bar.begin("comparing")
        with cli.models.about_model(models[0]):
            comparison = compare(models[0], text, encodings[0])
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


def _report(options: argparse.Namespace) -> None:
    models: list[str] = options.model or []
    encodings = options.encoding or (REPORT_ENCODINGS if len(models) == 1 else ())
    if SELF in encodings:
        raise cli.Failure("--report already contains this tokenizer; remove self from --encoding")
    with cli.Pipe(options, "counting") as pipe:
        text = cli.values.text_argument
        artifacts = {text(path): cli.models.load_artifact(path) for path in models}
        pipe.begin()
        paths = pipe.documents.paths
        texts = [pipe.text_of(path) for path in paths]
        result = report_on_texts(artifacts, texts, encodings)
        data = _report_data(result, [*map(text, paths)], parallel=options.parallel)
        pipe.report(data, *_fitted(_table(data["rows"]), get_terminal_size().columns))


def _report_data(result: Report, names: Sequence[str], *, parallel: bool) -> _Reported:
    size, ratio, fields = sum(result.sizes), cli.fields.ratio, cli.fields.text_fields
    rows: list[_Row] = []
    for row in result.rows:
        tokens, first = sum(row.per_text), row.per_text[0] if parallel else 0
        rows.append(
            {
                "name": row.name,
                **fields(size, tokens),
                "tokens_per_character": ratio(tokens, result.characters),
                "single_byte_share": ratio(row.single_bytes, tokens),
                "vocab_size": row.vocab_size,
                "shared": row.shared,
                "per_text": [
                    {**fields(size, count), "path": name, "ratio_to_first": ratio(count, first)}
                    for name, size, count in zip(names, result.sizes, row.per_text, strict=True)
                ],
            }
        )
    return {"files": len(names), "bytes": size, "characters": result.characters, "rows": rows}


def _table(rows: Sequence[_Row]) -> Iterator[list[str]]:
    """Yield the rows of a table with a column for each tokenizer; * marks the best of a row."""
    yield ["", *(f"{row['name']} " for row in rows)]
    texts = [(of[0]["path"], of) for of in zip(*(row["per_text"] for row in rows), strict=True)]
    every = [*texts, ("total", rows)] if len(texts) > 1 else texts
    yield from _figures("tokens", "{:,}", every, min)
    yield from _figures("bytes_per_token", "{:.2f}", every, max)
    if rows[0]["per_text"][0]["ratio_to_first"]:
        yield from _figures("ratio_to_first", "{:.2f}", texts, min)
    yield from _figures("vocab_size", "{:,}", [("", rows)])
    yield from _figures("shared", "{:,}", [("", rows)])
    yield from _figures("single_byte_share", "{:.1%}", [("", rows)])


def _figures(
    field: str,
    form: str,
    lines: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    best: Callable[[list[Any]], Any] | None = None,
) -> Iterator[list[str]]:
    """Yield the rows of one field: a row for each line, below a title if there are several."""
    title, several = field.replace("_", " "), len(lines) > 1
    if several:
        yield [title]
    for label, of in lines:
        figures = [one[field] for one in of]
        marked = best(figures) if best and len({*figures}) > 1 else None
        shown = ["-" if one is None else form.format(one) for one in figures]
        for place, one in enumerate(figures):
            shown[place] += "*" if marked is not None and one == marked else " "
        yield [f"  {label}" if several else title, *shown]


def _fitted(table: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """Yield the lines of a table, in several parts if it is wider than this."""
    short = ([one if len(one) < _LONG else f"…{one[-_LONG:]}" for one in row] for row in table)
    first, *columns = zip_longest(*short, fillvalue="")
    lines = labels = [cell.ljust(max(map(len, first))) for cell in first]
    for column in columns:
        room = max(map(len, column))
        if lines is not labels and len(lines[0]) + room + 1 > width:
            yield from map(str.rstrip, lines)
            lines = labels
        lines = [f"{line} {cell:>{room}}" for line, cell in zip(lines, column, strict=True)]
    yield from map(str.rstrip, lines)
