"""`bpetite decode`: turn ids into text, without holding all of either."""

import argparse
import codecs
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from bpetite._files import write_parts
from bpetite_cli.kit import (
    Commands,
    Failure,
    add_model,
    add_output,
    add_parser,
    check_destination,
    check_inputs,
    check_output,
    hold_output,
    integer,
    load_artifact,
    quoted,
    reading,
    require,
    say,
    send_output,
    write_json,
)
from bpetite_cli.streams.formats import FORMATS, Counted

__all__ = ["add_command"]

_MOST_BYTES: Final = 1 << 20
"""How many bytes are decoded at once, where no single token has more."""


def add_command(commands: Commands) -> None:
    """Add `decode` to the command line."""
    parser = add_parser(
        commands,
        "decode",
        "turn token ids into text, on standard output",
        "  bpetite decode --model tokenizer.json --ids 72 101 108 108 111\n"
        "  bpetite encode --model tokenizer.json --input text.txt |\n"
        "    bpetite decode --model tokenizer.json --input -\n"
        "  bpetite encode --model tokenizer.json --input text.txt --format u16 |\n"
        "    bpetite decode --model tokenizer.json --input - --format u16",
        "\n\nWith --output the file is written as the text comes, whole or not at all, and\n"
        "standard output gets a JSON object that says how many tokens and bytes it has.",
    )
    add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--ids", nargs="*", type=integer, action="extend", metavar="N", help="the ids themselves"
    )
    source.add_argument(
        "--input",
        metavar="FILE",
        help="a file with what `encode` made; - is standard input",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how FILE was written: the --format of `encode`, json by default; text is any ids "
        "in decimal with whitespace between them",
    )
    require(parser, "--format", "--input")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    files = [] if options.input is None else [options.input]
    check_inputs(files)
    if options.output is not None:
        check_destination(options.output, [options.model, *files], force=options.force)
    tokens = load_artifact(options.model).vocab
    chosen = FORMATS[options.format or "json"]
    with reading("decoding", files) as advance:
        ids = Counted(chosen.read(options.input, advance) if files else [options.ids])
        texts = _texts(tokens, ids, chosen.width if files else None)
        if options.output is None:
            held = hold_output(texts)
        else:
            size = write_parts(options.output, texts, overwrite=options.force)
    if options.output is None:
        send_output(held)
        return
    say(f"saved: {quoted(options.output)}, {size:,} bytes of text")
    summary = {"tokens": ids.tokens, "bytes": size}
    write_json(summary)


def _texts(
    tokens: Mapping[int, bytes], blocks: Iterable[list[int]], width: int | None
) -> Iterator[bytes]:
    """Yield the text of blocks of ids, which may end anywhere, even inside a character."""
    decoder = _Decoder(tokens, width)
    most = max(1, _MOST_BYTES // max(map(len, tokens.values())))
    for block in blocks:
        for start in range(0, len(block), most):
            yield decoder.decode(block[start : start + most])
    yield decoder.decode([], final=True)


class _Decoder:
    """Decodes ids as they come, and keeps only the ids of an unfinished character.

    It decodes bytes and not ids: a token may end one character and begin the next, so in
    a long text there may be no id before which all characters are finished.

    tokens: the bytes of every id.
    width: how many bytes of the input each id takes, or None if that depends on the id.
    """

    def __init__(self, tokens: Mapping[int, bytes], width: int | None) -> None:
        self._tokens = tokens
        self._width = width
        self._held: list[int] = []
        self._begin = 0  # the position of the first held id
        self._written = 0  # how many bytes of the held ids have been returned

    def decode(self, ids: list[int], *, final: bool = False) -> bytes:
        """Return the bytes of all characters that these ids finish."""
        ids = self._held + ids
        try:
            data = b"".join(map(self._tokens.__getitem__, ids))
        except KeyError:
            raise self._unknown(ids) from None
        rest = data[self._written :]
        try:
            _, size = codecs.utf_8_decode(rest, "strict", final)
        except UnicodeDecodeError as error:
            raise self._not_text(ids, error) from None
        self._hold(ids, len(rest) - size)
        return rest[:size]

    def _hold(self, ids: list[int], size: int) -> None:
        """Keep the ids of the last `size` bytes."""
        first, held = len(ids), 0
        while held < size:
            first -= 1
            held += len(self._tokens[ids[first]])
        self._held, self._written = ids[first:], held - size
        self._begin += first

    def _unknown(self, ids: list[int]) -> Failure:
        place = next(place for place, token_id in enumerate(ids) if token_id not in self._tokens)
        return Failure(
            f"unknown token id {ids[place]} at position {self._position(place)}; "
            f"the ids are 0 to {len(self._tokens) - 1}"
        )

    def _not_text(self, ids: list[int], error: UnicodeDecodeError) -> Failure:
        ends = accumulate(len(self._tokens[token_id]) for token_id in ids)
        wrong = self._written + error.start
        place = next(place for place, end in enumerate(ends) if end > wrong)
        return Failure(
            f"the bytes of these ids are not UTF-8: {error.reason} "
            f"(token id {ids[place]} at position {self._position(place)})"
        )

    def _position(self, place: int) -> str:
        """Return the position of one of the ids at hand, counted from the first id of all."""
        position = self._begin + place
        offset = "" if self._width is None else f", byte offset {position * self._width}"
        return f"{position}{offset}"
