r"""Turn text into token ids.

Examples:
  bpetite encode --model tokenizer.json --text "Hello world"
  bpetite encode --model tokenizer.json text.txt > ids.json
  bpetite encode --model tokenizer.json --input a.txt b.txt --separator-token \
    --format u16 --output train.bin
  bpetite encode --model tokenizer.json --input docs.jsonl --jsonl text \
    --separator-token --separator-at after --format u16 > shard1.bin
  bpetite encode --model tokenizer.json notes --glob '*.txt' --format u16 --output-dir ids

Details:
`json` is one array, and `text` one id per line. `u16` has two bytes per id, little-endian, for ids
up to 65535; `numpy.memmap(PATH, dtype="<u2")` reads it. `u32` has four (`"<u4"`).

A document is a file, or what `--jsonl`, `--parquet` or `--document-separator` finds in it. With
`--separator-at before` or `after`, each has a separator, so outputs can be concatenated. Separators
are special also with `--ordinary`.

With `--output-dir`, each input has a file there, such as `a.txt.u16`. After a stop, run the command
again: it does what is missing or has changed, by the hashes in `manifest.jsonl`. An input that
cannot be read does not stop the others.
"""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, groupby
from typing import Annotated, Final

from bpetite import Tokenizer
from bpetite._inner import END_OF_TEXT_TOKEN, Artifact, quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.io import outputs
from bpetite_cli.io.documents import Text
from bpetite_cli.io.formats import FORMATS
from bpetite_cli.output_folder import OutputFolder, Packed, Part, added
from bpetite_cli.pipe import Pipe
from bpetite_cli.plugins import Engine
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.values import short

_OPTIONS: Final = (
    "format",
    "ordinary",
    "jsonl",
    "parquet",
    "document_separator",
    "skip_invalid",
)
"""The options that change an output, besides the separator."""


class _Summary(fields.Documents, fields.TextSize, fields.Outputs, fields.Encoded):
    separators: Annotated[int, "separators, which are not part of `tokens`"]
    format: Annotated[str, ("enum", tuple(FORMATS)), "the format of the ids"]
    file_bytes: Annotated[int, "the size of the file"]


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
        "--separator", metavar="TOKEN", help="put this special token between documents"
    )
    parser.add_argument(
        "--separator-at",
        choices=("between", "before", "after"),
        metavar="PLACE",
        help="between documents (default), before or after",
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
    arguments.add_options(parser, "--output")
    parser.add_argument(
        "--output-dir",
        type=values.file_path,
        metavar="DIR",
        help="write a file for each input to DIR, and resume",
    )
    arguments.add_options(parser, "--force", "--jobs", "--engine")
    parser.need("--force", "--output", "--output-dir")
    parser.allow_one("--output", "--output-dir")
    parser.allow_one("--text", "--output-dir")
    parser.set_defaults(run=_run, prints={"--output": _Summary, "--output-dir": _Summary})


def _run(options: argparse.Namespace) -> None:
    chosen = FORMATS[options.format]
    file, folder = options.output, options.output_dir
    if file is folder is None and chosen.width and outputs.is_terminal(sys.stdout):
        raise Failure(
            f"refusing to write binary {options.format} data to a terminal; "
            "use --output or redirect"
        )
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
        place = partial(_with_separators, separator=separator, at=options.separator_at)
        if folder is None:
            total = Counter[str]()
            packed = _packed(pipe, place(0, pipe.documents.read()))
            total["file_bytes"] = pipe.write(chosen.join(added(total, packed)))
            if file is None:
                return
        else:
            made_with = {
                "tokenizer_sha256": hashlib.sha256(artifact.to_bytes()).hexdigest(),
                "options": {name: getattr(options, name) for name in _OPTIONS}
                | {"separator": separator, "separator_at": separator and options.separator_at},
            }
            each = OutputFolder(pipe, made_with, f".{options.format}")
            packed = _packed(pipe, each.texts(place)) if each.left else ()
            total = each.write(packed, chosen.join)
        summary: _Summary = {
            **pipe.documents.figures,
            **fields.text_fields(total["bytes"], total["tokens"]),
            "outputs": [values.text_argument(file or folder)],
            "engine": pipe.engine,
            "separators": total["separators"],
            "format": options.format,
            "file_bytes": total["file_bytes"],
        }
        others = f" and {messages.counted(total['separators'], 'separator')}"
        pipe.report(
            summary,
            saved=f"saved: {quoted(file or folder)}, {total['tokens']:,} tokens"
            f"{others if total['separators'] else ''} as {options.format}, "
            f"{messages.in_units(total['file_bytes'])}",
        )


def _packed(pipe: Pipe, texts: Iterable[tuple[Part, int]]) -> Iterable[Packed]:
    """Return parts of outputs, encoded in all processes."""
    pack = partial(_pack, pipe.encoder, pipe.options.format, pipe.options.ordinary)
    return chain.from_iterable(pipe.results(pack, texts))


def _pack(
    encoder: Tokenizer | Engine, name: str, ordinary: bool, batch: list[Part]
) -> list[Packed]:
    """Turn texts and separators into parts of outputs, in the format with this name."""
    packed: list[Packed] = []
    for number, parts in groupby(batch, lambda part: part[1][0]):
        ids: list[int] = []
        figures = Counter[str]()
        for text, (_, separator) in parts:
            if separator is None:
                ids += encoder.encode(text, ordinary=ordinary)
                figures["bytes"] += len(text.encode("utf-8"))
            else:
                ids.append(separator)
                figures["separators"] += 1
        figures["tokens"] = len(ids) - figures["separators"]
        packed.append((number, figures, FORMATS[name].pack(ids) if ids else b""))
    return packed


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
    output: int, documents: Iterable[Iterable[Text]], separator: int | None, at: str | None
) -> Iterator[tuple[Part, int]]:
    """Yield the texts of documents, with separators, if any, at the requested positions."""
    for number, texts in enumerate(documents):
        if separator is not None and (at == "before" or (at != "after" and number)):
            yield ("", (output, separator)), 0
        for text, size in texts:
            yield (text, (output, None)), size
        if separator is not None and at == "after":
            yield ("", (output, separator)), 0
