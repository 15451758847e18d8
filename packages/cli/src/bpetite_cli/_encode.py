"""`bpetite encode`: text to a JSON array of ids."""

import argparse
from collections.abc import Iterable, Iterator

from bpetite import Tokenizer
from bpetite_cli._arguments import Commands, add_model, add_parser, load_model, text_argument
from bpetite_cli._inputs import read_text, total_size
from bpetite_cli._outputs import check_output, write_output
from bpetite_cli._progress import reading

__all__ = ["add_command"]


def add_command(commands: Commands) -> None:
    """Add `encode` to the command line."""
    parser = add_parser(
        commands,
        "encode",
        "turn text into token ids, on standard output",
        '  bpetite encode --model tokenizer.json --text "Hello world"\n'
        "  bpetite encode --model tokenizer.json --input text.txt > ids.json",
    )
    add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="the text; --text=-x if it begins with a dash")
    source.add_argument("--input", metavar="FILE", help="a file in UTF-8; - is standard input")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    tokenizer = load_model(options.model)
    if options.input is None:
        write_output(_json_array(tokenizer, [text_argument(options.text)]))
        return
    with reading("encoding", total_size([options.input])) as advance:
        write_output(_json_array(tokenizer, read_text(options.input, advance)))


def _json_array(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[bytes]:
    """Yield the compact JSON array of the ids of the texts, and a newline."""
    before = b"["
    for text in texts:
        if ids := tokenizer.encode(text):
            yield before + ",".join(map(str, ids)).encode("ascii")
            before = b","
    yield b"[]\n" if before == b"[" else b"]\n"
