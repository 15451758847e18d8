"""`bpetite decode`: turn ids into text, block by block."""

import argparse
import codecs
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from bpetite._files import quoted, write_parts
from bpetite_cli import arguments, fields, values
from bpetite_cli.arguments import Commands
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.io.formats import FORMATS, Counted
from bpetite_cli.io.inputs import STANDARD_INPUT
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.results import write_result

_MOST_BYTES: Final = 1 << 20
"""The most bytes to decode at once, unless a single token has more."""


class _Summary(fields.Text, fields.Outputs):
    """What is printed with `--output`."""


def add_command(commands: Commands) -> None:
    """Add `decode` to the command line."""
    parser = arguments.add_parser(
        commands,
        "decode",
        "turn token ids into text",
        "  bpetite decode --model tokenizer.json --ids 72 101 108 108 111\n"
        "  bpetite decode --model tokenizer.json ids.json\n"
        "  bpetite encode --model tokenizer.json text.txt |\n"
        "    bpetite decode --model tokenizer.json\n"
        "  bpetite encode --model tokenizer.json text.txt --format u16 |\n"
        "    bpetite decode --model tokenizer.json --format u16\n"
        "  bpetite decode --model tokenizer.json --ids 72 101 --output hello.txt\n"
        "  bpetite decode --model tokenizer.json --ids 226 155 --bytes > part.bin",
        "\n\nWith --output, the file appears only when it is complete, and standard output\n"
        "gets a JSON object with the numbers of tokens and bytes.",
    )
    arguments.add_model(parser)
    arguments.add_file_argument(parser)
    parser.add_argument(
        "--ids",
        nargs="*",
        type=_ids,
        action="extend",
        metavar="N",
        help="token ids: 72 101, 72,101 or '[72,101]'",
    )
    parser.add_argument(
        "-i",
        "--input",
        metavar="FILE",
        help="ids written by `encode`; - is standard input",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="format of FILE, as for `encode` (default: json); text allows any whitespace "
        "between ids",
    )
    arguments.allow_one(parser, ["--input", "--format"], ["--ids"])
    arguments.add_output(parser)
    parser.add_argument(
        "--bytes",
        action="store_true",
        help="write raw bytes, even if they are not complete text",
    )
    parser.set_defaults(run=_run, prints={"--output": _Summary})


def _ids(word: str) -> list[int]:
    """Read one id, ids separated by commas, or a JSON array of ids."""
    listed = word.strip()
    if listed.startswith("[") and listed.endswith("]"):
        listed = listed[1:-1].strip()
        if not listed:
            return []
    return [values.integer(part.strip()) for part in listed.split(",")]


def _run(options: argparse.Namespace) -> None:
    outputs.check_output()
    if options.ids is None and options.input is None:
        options.input = STANDARD_INPUT
    files = [] if options.input is None else [options.input]
    size = inputs.check_inputs(files)
    outputs.check_destination(options.output, [options.model, *files], force=options.force)
    with Work("loading", files) as work:
        tokens = models.load_artifact(options.model).vocab
        chosen = FORMATS[options.format or "json"]
        messages.say_if_typed("decoding", files)
        work.begin("decoding", size)
        ids = Counted(chosen.read(options.input, work.advance) if files else options.ids)
        width = chosen.width if files else None
        texts = _texts(tokens, ids, width, is_text=not options.bytes)
        if options.output is None:
            held = outputs.hold_output(texts)
            work.send(held)
            if held.end not in {b"", b"\n"} and outputs.is_terminal():
                messages.say("")  # a prompt starts a line of its own
            return
        written = write_parts(options.output, texts, overwrite=options.force)
    summary: _Summary = {
        **fields.text_fields(written, ids.tokens),
        "outputs": [values.text_argument(options.output)],
    }
    of_text = "" if options.bytes else " of text"
    saved = f"saved: {quoted(options.output)}, {messages.in_units(written)}{of_text}"
    write_result(summary, saved)


def _texts(
    tokens: Mapping[int, bytes],
    blocks: Iterable[list[int]],
    width: int | None,
    *,
    is_text: bool = True,
) -> Iterator[bytes]:
    """Yield the text of blocks of ids; a block may end inside a character."""
    decoder = _Decoder(tokens, width, is_text=is_text)
    most = max(1, _MOST_BYTES // max(map(len, tokens.values())))
    for block in blocks:
        for start in range(0, len(block), most):
            yield decoder.decode(block[start : start + most])
    yield decoder.decode([], final=True)


class _Decoder:
    """Decodes ids block by block, keeping only the ids of an incomplete character.

    It decodes bytes, not ids: a token may end one character and start the next, so a long
    text may have no id before which all characters are complete.

    tokens: the bytes of every id.
    width: the number of input bytes per id, or None if it varies.
    is_text: whether the bytes must be UTF-8; if not, they are returned unchanged.
    """

    def __init__(self, tokens: Mapping[int, bytes], width: int | None, *, is_text: bool) -> None:
        self._tokens = tokens
        self._width = width
        self._is_text = is_text
        self._held: list[int] = []
        self._begin = 0  # the position of the first held id
        self._written = 0  # the number of bytes of the held ids already returned

    def decode(self, ids: list[int], *, final: bool = False) -> bytes:
        """Return the bytes of all characters that these ids complete, or all bytes."""
        ids = self._held + ids
        try:
            data = b"".join(map(self._tokens.__getitem__, ids))
        except KeyError:
            raise self._unknown(ids) from None
        rest = data[self._written :]
        size = len(rest)
        if self._is_text:
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
            f"these ids do not decode to UTF-8: {error.reason} (token id {ids[place]} at position "
            f"{self._position(place)}); use --bytes to write raw bytes"
        )

    def _position(self, place: int) -> str:
        """Return the position of an id in the whole input, from its position in this block."""
        position = self._begin + place
        offset = "" if self._width is None else f", byte offset {position * self._width}"
        return f"{position}{offset}"
