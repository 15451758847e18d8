r"""Turn text into token ids.

With --output, the file appears only when it is complete.

Examples:
  bpetite encode --model tokenizer.json --text "Hello world"
  bpetite encode --model tokenizer.json text.txt > ids.json
  bpetite encode --model tokenizer.json --input a.txt b.txt --separator-token \
    --format u16 --output train.bin
  bpetite encode --model tokenizer.json --input docs.jsonl --jsonl text \
    --separator-token --separator-at after --format u16 > shard1.bin
  bpetite encode --model chat.json docs.jsonl --jsonl text \
    --separator '<|end|>' > ids.json
  bpetite encode --model tokenizer.json --input docs.parquet --parquet text \
    --ordinary --separator-token --format u16 --output train.bin

Details:
- `json`: one JSON array (default)
- `text`: one id per line, in decimal
- `u16`: two bytes per id, little-endian, for ids up to 65535: `numpy.memmap(PATH, dtype="<u2")`
  reads it
- `u32`: four bytes per id, little-endian: `dtype="<u4"`

A document is a file, or in a file a part up to `--document-separator`, what `--jsonl` finds in a
line, or a row with `--parquet`. `--separator-token` puts
`<|endoftext|>`, or the only special token, between documents, `--separator NAME` another one.
With `--separator-at before` or `after`, each document has one, so outputs can be concatenated.
Separators are special also with `--ordinary`.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated, TypeAlias

from bpetite import Tokenizer
from bpetite._inner import END_OF_TEXT_TOKEN, Artifact, quoted, tokenizer_of
from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.io import outputs
from bpetite_cli.io.documents import Text
from bpetite_cli.io.formats import FORMATS
from bpetite_cli.pipe import Pipe, Tagged
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.values import short

_Part: TypeAlias = Tagged[int | None]
"""A text, or an empty one with the id of a separator."""


class _Summary(fields.Documents, fields.TextSize, fields.Outputs):
    separators: Annotated[int, "separators around the text, which are not part of `tokens`"]
    format: Annotated[str, ("enum", tuple(FORMATS)), "the format of the ids"]
    file_bytes: Annotated[int, "the size of the file in bytes"]


def add_command(commands: Commands) -> None:
    """Add `encode` to the command line."""
    parser = commands.add("encode", __doc__)
    arguments.add_model(parser)
    arguments.add_text_or_documents(
        parser, "text to encode, instead of files", "--separator-token", "--separator"
    )
    parser.advice["FILE"] = "for words of a text, use --text"
    parser.add_argument(
        "--separator-token",
        action="store_true",
        help=f"put {END_OF_TEXT_TOKEN}, or the only special token, between documents",
    )
    parser.add_argument(
        "--separator", metavar="NAME", help="put this special token between documents"
    )
    parser.add_argument(
        "--separator-at",
        choices=("between", "before", "after"),
        metavar="PLACE",
        help="put it between documents (default), before or after each",
    )
    parser.allow_one("--separator-token", "--separator")
    parser.need("--separator-at", "--separator-token", "--separator")
    arguments.add_options(parser, "--ordinary")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="json",
        metavar="FORMAT",
        help="of the ids: json (default), text, u16 or u32",
    )
    arguments.add_options(parser, "--output", "--force", "--jobs")
    parser.need("--force", "--output")
    parser.set_defaults(run=_run, prints={"--output": _Summary})


def _run(options: argparse.Namespace) -> None:
    chosen = FORMATS[options.format]
    if options.output is None and chosen.width and outputs.is_terminal(sys.stdout):
        raise Failure(
            f"refusing to write binary {options.format} data to a terminal; "
            "use --output or redirect"
        )
    total = Counter[str]()
    with Pipe(options, "encoding") as pipe:
        artifact, highest_id = pipe.model, max(pipe.model.ids)
        if chosen.width and highest_id >= 1 << (8 * chosen.width):
            raise Failure(
                f"{options.format} holds ids up to {(1 << (8 * chosen.width)) - 1}, but this "
                f"tokenizer has ids up to {highest_id}; use --format u32"
            )
        separator = _separator(artifact, options)
        if separator is None and options.document_separator is not None:
            pipe.warnings.append(
                "nothing is between the documents; --separator-token puts a special token there"
            )
        pack = partial(_pack, tokenizer_of(artifact), options.format, options.ordinary)
        texts = _with_separators(pipe.documents.read(), separator, options.separator_at)
        packed = _added(total, pipe.results(pack, texts))
        size = pipe.write(chosen.join(packed))
        if options.output is None:
            return
        summary: _Summary = {
            **pipe.documents.figures,
            **fields.text_fields(total["bytes"], total["tokens"]),
            "outputs": [values.text_argument(options.output)],
            "separators": total["separators"],
            "format": options.format,
            "file_bytes": size,
        }
        others = f" and {messages.counted(total['separators'], 'separator')}"
        pipe.report(
            summary,
            saved=f"saved: {quoted(options.output)}, {total['tokens']:,} tokens"
            f"{others if total['separators'] else ''} as {options.format}, "
            f"{messages.in_units(size)}",
        )


def _pack(
    tokenizer: Tokenizer, name: str, ordinary: bool, batch: list[_Part]
) -> tuple[Counter[str], bytes]:
    """Turn texts and separators into their figures, and their ids in the format with this name.

    The figures are the bytes and tokens of the texts, and the separators around them.
    """
    ids: list[int] = []
    figures = Counter[str]()
    for text, separator in batch:
        if separator is None:
            ids += tokenizer.encode(text, ordinary=ordinary)
            figures["bytes"] += len(text.encode("utf-8"))
        else:
            ids.append(separator)
            figures["separators"] += 1
    figures["tokens"] = len(ids) - figures["separators"]
    return figures, FORMATS[name].pack(ids) if ids else b""


def _added(total: Counter[str], packed: Iterable[tuple[Counter[str], bytes]]) -> Iterator[bytes]:
    """Yield the bytes of each batch, and add its figures to the total."""
    for figures, data in packed:
        total.update(figures)
        yield data


def _separator(artifact: Artifact, options: argparse.Namespace) -> int | None:
    """Return the id of the token between documents, or None if nothing separates them."""
    names = artifact.special_names
    if options.separator is not None:
        name = values.text_argument(options.separator)
        fault = f"has no special token {short(name)}"
    elif options.separator_token:
        name = names[0] if len(names) == 1 else END_OF_TEXT_TOKEN
        fault = "has several special tokens"
    else:
        return None
    if name in names:
        return artifact.special_tokens[name]
    way_out = "`bpetite train` and `bpetite import` add some with --special"
    if names:
        shown = [shortened(other.encode("utf-8"), 40) for other in names]
        way_out = f"name one with --separator: {messages.listed(shown, 10)}"
    else:
        fault = "has no special token to separate documents"
    raise Failure(f"{quoted(options.model)} {fault}; {way_out}")


def _with_separators(
    documents: Iterable[Iterable[Text]], separator: int | None, at: str | None
) -> Iterator[tuple[_Part, int]]:
    """Yield the texts of documents, with separators, if any, at the requested positions."""
    for number, texts in enumerate(documents):
        if separator is not None and (at == "before" or (at != "after" and number)):
            yield ("", separator), 0
        for text, size in texts:
            yield (text, None), size
        if separator is not None and at == "after":
            yield ("", separator), 0
