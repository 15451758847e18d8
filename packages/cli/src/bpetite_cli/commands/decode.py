"""Turn token ids into text.

Examples:
  bpetite decode --model tokenizer.json --ids 72 101 108 108 111
  bpetite decode --model tokenizer.json ids.json
  bpetite encode --model tokenizer.json text.txt --format u16 |
    bpetite decode --model tokenizer.json --format u16
  bpetite decode --model tokenizer.json --ids 226 155 --bytes > part.bin

Details:
Words of digits are ids too, so `--ids` may be left out. Ids from a pipe or a file are JSON, or text
if they begin with a digit.
"""

import argparse
import codecs
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from bpetite._inner import quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.io.formats import FORMATS, JSON_OR_TEXT
from bpetite_cli.io.inputs import Input
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal import messages

_MOST_BYTES: Final = 1 << 20
"""The most bytes to decode at once, unless a single token has more."""

_MOST_HELD: Final = 3
"""The most bytes of a character that is not complete, and so the most ids."""


class _Summary(fields.TextSize, fields.Outputs):
    """What is printed with `--output`."""


def add_command(commands: Commands) -> None:
    """Add `decode` to the command line."""
    parser = commands.add("decode", __doc__)
    arguments.add_model(parser)
    parser.add_file_argument(digits="--ids")
    arguments.add_options(parser, "--ids")
    parser.add_argument(
        "-i",
        "--input",
        metavar="FILE",
        help="same as FILE: ids written by encode (default: standard input)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help="of FILE, as for encode (default: json or text)",
    )
    parser.allow_one(["--input", "--format"], "--ids")
    arguments.add_options(parser, "--output", "--force")
    parser.need("--force", "--output")
    parser.add_argument(
        "--bytes", action="store_true", help="write raw bytes, even if they are not complete text"
    )
    parser.set_defaults(run=_run, prints={"--output": _Summary})


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "decoding") as pipe:
        chosen = FORMATS[options.format] if options.format else JSON_OR_TEXT
        paths = pipe.documents.paths
        joined = Joined(pipe.model.vocab, chosen.width if paths else None)
        ids = options.ids
        pipe.begin()
        if paths:
            source = Input(paths[0], {})
            blocks = chosen.read(source.name, source.blocks())
            ids = pipe.passed([source.with_sizes(blocks)])
        size = pipe.write(joined.bytes_of(ids) if options.bytes else joined.text_of(ids))
        if options.output is None:
            return
        summary: _Summary = {
            **fields.text_fields(size, joined.tokens),
            "outputs": [values.text_argument(options.output)],
        }
        of_text = "" if options.bytes else " of text"
        saved = f"saved: {quoted(options.output)}, {messages.in_units(size)}{of_text}"
        pipe.report(summary, saved=saved)


class Joined:
    """The bytes of ids, block by block. A block may end inside a character.

    A token may end one character and start the next, so a long text may have no id before
    which all characters are complete: bytes are decoded, not ids.

    vocab: the bytes of every id.
    width: the number of input bytes per id, or None if it varies.
    tokens: the number of ids joined so far.
    """

    def __init__(self, vocab: Mapping[int, bytes], width: int | None) -> None:
        self.tokens = 0
        self._vocab = vocab
        self._width = width
        self._last: list[int] = []  # the ids of the last block, and those of held bytes before

    def bytes_of(self, blocks: Iterable[list[int]]) -> Iterator[bytes]:
        """Yield the bytes of blocks of ids."""
        most = max(1, _MOST_BYTES // max(map(len, self._vocab.values())))
        for block in blocks:
            for start in range(0, len(block), most):
                ids = block[start : start + most]
                try:
                    data = b"".join(map(self._vocab.__getitem__, ids))
                except KeyError as error:
                    place = ids.index(error.args[0])
                    raise Failure(
                        f"unknown token id {ids[place]} at position "
                        f"{self._position(self.tokens + place)}; "
                        f"the ids are {messages.span(self._vocab)}"
                    ) from None
                self.tokens += len(ids)
                self._last = self._last[-_MOST_HELD:] + ids
                yield data

    def text_of(self, blocks: Iterable[list[int]]) -> Iterator[bytes]:
        """Yield the same bytes in blocks of characters; they must be UTF-8."""
        try:
            for text in codecs.iterdecode(self.bytes_of(blocks), "utf-8"):
                yield text.encode("utf-8")
        except UnicodeDecodeError as error:
            left = len(error.object) - error.start  # bytes from the wrong one to the last
            ends = accumulate(len(self._vocab[token_id]) for token_id in reversed(self._last))
            place = next(place for place, end in enumerate(ends, 1) if end >= left)
            raise Failure(
                f"these ids do not decode to UTF-8: {error.reason} (token id {self._last[-place]} "
                f"at position {self._position(self.tokens - place)}); use --bytes to write raw "
                "bytes"
            ) from None

    def _position(self, position: int) -> str:
        offset = "" if self._width is None else f", byte offset {position * self._width}"
        return f"{position}{offset}"
