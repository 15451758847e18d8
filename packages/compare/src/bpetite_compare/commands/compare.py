"""Count the tokens of texts with several tokenizers.

Each --model is a tokenizer file, an encoding of tiktoken such as o200k_base, or a
model of OpenAI such as gpt-4o. A single one is compared with gpt2, cl100k_base and
o200k_base. In the table, * marks the best of each row.

Examples:
  bpetite compare --model tokenizer.json --model big.json text.txt
  bpetite compare --model tokenizer.json text.txt
  bpetite compare --model gpt2 --model o200k_base --parallel a.txt b.txt
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from typing import Annotated, Any, Final, TypedDict

from bpetite._inner import Artifact
from bpetite_cli import for_compare as cli
from bpetite_compare._encodings import encoding_for, get_encoding
from bpetite_compare._engine import Engine, make_engine
from bpetite_compare._report import REPORT_ENCODINGS, Report, Tokenizing, report_on_texts
from bpetite_compare.commands._counter import encoding_of

_LONG: Final = 20
"""How many characters at the end of a long name a table shows."""


class _InText(cli.fields.TextSize):
    path: str
    ratio_to_first: Annotated[
        float | None, "`tokens` / those of the first text, with `--parallel`; else null"
    ]


class _Named(TypedDict):
    name: str


class _Row(_Named, cli.fields.TextSize, cli.fields.Encoded):
    tokens_per_character: Annotated[float | None, "`tokens` / `characters`"]
    single_byte_share: Annotated[float | None, "the share of single-byte tokens"]
    vocab_size: int
    shared: Annotated[int, "mergeable tokens that the first tokenizer also has"]
    per_text: Annotated[list[_InText], "the figures of each text"]


class _Reported(cli.fields.Documents):
    bytes: int
    characters: int
    tokenizers: Annotated[list[_Row], "each tokenizer, in order"]


def add_command(commands: cli.Commands) -> None:
    """Add `compare` to the command line."""
    parser = commands.add("compare", __doc__)
    cli.add_model(parser, action="append", help="a tokenizer, see above; repeat it for others")
    told = "text to count; write --text=-x if it starts with a dash"
    cli.add_text_or_documents(parser, told, "--parallel")
    parser.add_argument(
        "--parallel",
        action="store_true",
        help="the files are translations of the first one: add the ratio of tokens",
    )
    cli.add_options(parser, "--engine")
    parser.set_defaults(run=_run, prints={"": _Reported})


def _run(options: argparse.Namespace) -> None:
    models: list[str] = options.model
    others = [one for one in REPORT_ENCODINGS if one not in models] if len(models) == 1 else []
    for word in options.input or ():
        if not cli.is_path(word) and encoding_for(word):
            raise cli.Failure(f"{word} is not a file; write --model before each tokenizer")
    with cli.Pipe(options, "counting") as pipe:
        names = pipe.documents.names
        if options.parallel and len(names) == 1:
            raise cli.Failure("--parallel compares files with the first one; name several")
        tokenizers: list[tuple[str, Tokenizing]] = [
            (cli.values.text_argument(one), _loaded(one, pipe)) for one in models
        ]
        tokenizers += [(one, get_encoding(one, download=options.download)) for one in others]
        if options.engine:
            pipe.warnings.append(f"encoded by {Engine.name}")
        pipe.begin()
        texts = map(pipe.documents.read_file, names)
        blocks = [(pipe.passed([document]) for document in text) for text in texts]
        result = report_on_texts(tokenizers, blocks)
        shown, skipped = [*map(cli.values.text_argument, names)], pipe.documents.skipped
        engines = ["bpetite" if isinstance(one, Artifact) else Engine.name for _, one in tokenizers]
        data = _report_data(result, shown, skipped, engines, parallel=options.parallel)
        pipe.report(data, *_fitted(_table(data["tokenizers"]), get_terminal_size().columns))


def _loaded(word: str, pipe: cli.Pipe) -> Tokenizing:
    """Return a tokenizer; an encoding counts with tiktoken, which is faster."""
    if cli.is_path(word):
        artifact = pipe.load(word).artifact
        return make_engine(artifact) if pipe.options.engine else artifact
    return get_encoding(encoding_of(word), download=pipe.options.download)


def _report_data(
    result: Report,
    names: Sequence[str],
    skipped: Mapping[str, int] | None,
    engines: Sequence[str],
    *,
    parallel: bool,
) -> _Reported:
    size, ratio, fields = sum(result.sizes), cli.fields.ratio, cli.fields.text_fields
    rows: list[_Row] = []
    for row, engine in zip(result.rows, engines, strict=True):
        tokens, first = sum(row.per_text), row.per_text[0] if parallel else 0
        rows.append(
            {
                "name": row.name,
                **fields(size, tokens),
                "engine": engine,
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
    return {
        "files": len(names),
        "skipped": skipped,
        "bytes": size,
        "characters": result.characters,
        "tokenizers": rows,
    }


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
