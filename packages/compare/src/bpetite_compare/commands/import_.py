r"""Import the tokenizer of a model, with its own ids.

Reads a tokenizer.json (Hugging Face), files of ranks (tiktoken's format,
tokenizer.model of Llama 3 and 4), tekken.json (Mistral), a GGUF file (llama.cpp),
GPT-2's vocab.json and merges.txt, a folder with any of them, or a name such as
gpt-4o.

Examples:
  bpetite import hf.json --output new.json
  bpetite import gpt2files --pattern gpt2 --output new.json
  bpetite import model.tiktoken --pattern gpt2 \
    --special '<|endoftext|>=999' --output new.json
  bpetite import gpt-4o --output new.json

Details:
The tokenizer must be byte-level BPE with one of the patterns. Some forms do not name theirs: then
it is that of the `tokenizer.json`, or of the class in the configuration, beside the file. Special
tokens also come from there, unless the file has them.

`--ignore-merges` is for models whose `tokenizer.json` would say `ignore_merges`. With the last
three options, the ids are the model's only for text in NFC (`--drop-normalizer`), without
whitespace beside an added token that has such a flag (`--drop-strip`), or without the bytes that
get ids (`--add-missing-bytes`).
"""

import argparse
from collections.abc import Iterator
from typing import Annotated, Final

from bpetite._inner import ALL_PATTERNS, quoted
from bpetite_cli import for_compare as cli
from bpetite_compare._beside import GUESS
from bpetite_compare._encodings import get_encoding
from bpetite_compare._import import SOURCES, Imported, import_tokenizer
from bpetite_compare.commands._counter import encoding_of

_FLAGS: Final = {
    "ignore_merges": "for vocab.json, a chunk that is a token gets its id",
    "drop_normalizer": "leave out a normalizer to NFC",
    "drop_strip": "leave out lstrip and rstrip of added tokens",
    "add_missing_bytes": "give ids to bytes that have none",
}


class _Summary(cli.fields.Outputs, cli.fields.TokenizerFile):
    pattern_from: Annotated[str, "what names it: the file, an option, a class, a guess"]
    whole_tokens: Annotated[int, "tokens for whole chunks, which no merge makes"]
    notes: Annotated[list[str], "remarks for people"]


def add_command(commands: cli.Commands) -> None:
    """Add `import` to the command line."""
    parser = commands.add("import", __doc__)
    parser.add_file_argument()
    parser.add_argument(
        "-i", "--input", nargs="+", metavar="SOURCE", help="the file, folder or name to import"
    )
    cli.add_options(parser, "--download")
    parser.require_one("--input")
    parser.add_argument(
        "--from",
        choices=SOURCES,
        dest="form",
        metavar="FORM",
        help=f"{', '.join(SOURCES)} (default: by content)",
    )
    cli.add_destination(parser, "the tokenizer file")
    parser.add_argument(
        "--pattern",
        choices=ALL_PATTERNS,
        metavar="NAME",
        help=f"for ranks, vocab.json or GGUF: {', '.join(ALL_PATTERNS)}",
    )
    parser.add_argument(
        "--special",
        nargs="+",
        type=_special_token,
        action="extend",
        metavar="NAME=ID",
        help="for ranks, vocab.json, tekken.json or GGUF, special tokens",
    )
    for flag, told in _FLAGS.items():
        parser.add_argument(f"--{flag.replace('_', '-')}", action="store_true", help=told)
    parser.set_defaults(run=_run, prints={"": _Summary})


def _special_token(word: str) -> tuple[str, int]:
    """Read a special token and its id; its text may contain =."""
    name, found, token_id = cli.values.text_argument(word).rpartition("=")
    if not found or not name:
        raise cli.Failure(f"expected NAME=ID, found {cli.values.short(word)}")
    return name, cli.values.integer(token_id)


def _run(options: argparse.Namespace) -> None:
    source, form = options.input, options.form
    given = dict(options.special or ())
    if len(given) < len(options.special or ()):
        raise cli.Failure("--special has a name twice; remove one")
    cli.check_destination(options.output, (), force=options.force)
    with cli.Bar("importing"):
        if form in {None, "tiktoken"} and len(source) == 1 and not cli.is_path(source[0]):
            source, form = encoding_of(source[0]), "tiktoken"
            get_encoding(source, download=options.download)  # tiktoken keeps it in memory
        imported = import_tokenizer(
            source,
            form,
            options.output,
            overwrite=options.force,
            pattern=options.pattern,
            special_tokens=given if options.special else None,
            **{flag: vars(options)[flag] for flag in _FLAGS},
        )
    summary: _Summary = {
        "outputs": [cli.values.text_argument(options.output)],
        "vocab_size": imported.vocab_size,
        "rows": imported.rows,
        "merges": imported.vocab_size - 256 - imported.whole_tokens,
        "pattern": imported.pattern,
        "special_tokens": dict(imported.special_tokens),
        "sha256": imported.sha256,
        "pattern_from": imported.pattern_from,
        "whole_tokens": imported.whole_tokens,
        "notes": list(imported.notes),
    }
    size = cli.messages.counted_ids(imported.vocab_size, len(imported.special_tokens))
    pattern = f"{imported.pattern}{', a guess' if imported.pattern_from == GUESS else ''}"
    saved = f"saved: {quoted(imported.path)}, {size} with their own ids, pattern {pattern}"
    cli.messages.report(summary, *_lines(imported), saved=saved)


def _lines(imported: Imported) -> Iterator[str]:
    """Yield the other lines for people."""
    yield from cli.messages.special_tokens(imported.special_tokens)
    if imported.whole_tokens:
        yield f"whole tokens: {imported.whole_tokens:,}; only a chunk that equals one becomes it"
    yield f"checked: {imported.checked}"
    yield from imported.notes
    yield "not compared: characters that are newer than the Unicode tables of its own library"
