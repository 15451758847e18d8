"""Show the tokens of a text with their ids.

Examples:
  bpetite show --model tokenizer.json --text "Hello world"
  bpetite show --model tokenizer.json --text "Hello world" --steps
  COLUMNS=200 bpetite show --model tokenizer.json text.txt > tokens.txt
  bpetite show --model tokenizer.json text.txt --json > tokens.jsonl
"""

import argparse
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated

from bpetite._inner import tokenizer_of
from bpetite_cli import arguments, fields
from bpetite_cli.io import outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views.rows import draw_rows
from bpetite_cli.views.steps import draw_steps


class _Shown(fields.Token):
    start: Annotated[int, "the byte offset in the text where the token begins"]
    end: Annotated[int, "the byte offset where the token ends"]
    start_character: Annotated[
        int, "the offset in characters of the character with the first byte of the token"
    ]
    end_character: Annotated[
        int, "the offset in characters after the character with the last byte of the token"
    ]


def add_command(commands: Commands) -> None:
    """Add `show` to the command line."""
    parser = commands.add("show", __doc__)
    arguments.add_model(parser)
    parser.add_file_argument()
    parser.add_argument("--text", help="text to show, instead of files")
    parser.add_argument(
        "-i",
        "--input",
        metavar="FILE",
        help="same as FILE: text, also compressed, or a folder (default: standard input)",
    )
    arguments.add_options(parser, "--glob")
    parser.allow_one("--input", "--text")
    arguments.add_options(parser, "--ordinary")
    parser.add_argument(
        "--steps",
        action="store_true",
        help="show the merges in each chunk, in order, with their ranks",
    )
    parser.allow_one("--steps", ["--json", "--output-format"])
    parser.set_defaults(run=_run, prints={"": _Shown})


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "encoding", "showing") as pipe:
        artifact = pipe.model
        pipe.begin()
        texts = pipe.passed(pipe.documents.read())
        if options.steps:
            pipe.stream(draw_steps(artifact, texts, look_at_output(), ordinary=options.ordinary))
            return
        encode = partial(tokenizer_of(artifact).encode, ordinary=options.ordinary)
        tokens = ((one, artifact.vocab[one]) for text in texts for one in encode(text))
        if outputs.wants_json():
            pipe.write(_json_lines(tokens))
        else:
            special = {*artifact.special_tokens.values()}
            pipe.stream(draw_rows(tokens, special, look_at_output()))


def _json_lines(tokens: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
    end = end_character = 0
    for token_id, token in tokens:
        start, start_character = end, end_character
        if token[0] in fields.CONTINUING:
            start_character -= 1
        end += len(token)
        end_character += len(token.translate(None, fields.CONTINUING))
        shown: _Shown = {
            **fields.token_fields(token_id, token),
            "start": start,
            "end": end,
            "start_character": start_character,
            "end_character": end_character,
        }
        yield outputs.json_line(shown)
