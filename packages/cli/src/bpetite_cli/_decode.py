"""`bpetite decode`: ids to the text itself."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from bpetite import Tokenizer
from bpetite_cli._arguments import Commands, add_model, add_parser, integer, load_model
from bpetite_cli._failure import Failure, explain, quoted
from bpetite_cli._inputs import STANDARD_INPUT, open_input, total_size
from bpetite_cli._outputs import check_output, write_output
from bpetite_cli._progress import reading
from bpetite_cli._training import Advance

__all__ = ["add_command"]

_BLOCK_BYTES: Final = 1 << 20


def add_command(commands: Commands) -> None:
    """Add `decode` to the command line."""
    parser = add_parser(
        commands,
        "decode",
        "turn token ids into text, on standard output",
        "  bpetite decode --model tokenizer.json --ids 72 101 108 108 111\n"
        "  bpetite encode --model tokenizer.json --input text.txt |\n"
        "    bpetite decode --model tokenizer.json --input -",
    )
    add_model(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--ids", nargs="*", type=integer, action="extend", metavar="N", help="the ids themselves"
    )
    source.add_argument(
        "--input",
        metavar="FILE",
        help="a file with what `encode` printed; - is standard input",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_output()
    tokenizer = load_model(options.model)
    if options.input is None:
        write_output(_texts(tokenizer, [options.ids]))
        return
    with reading("decoding", total_size([options.input])) as advance:
        write_output(_texts(tokenizer, _read_ids(options.input, advance)))


def _texts(tokenizer: Tokenizer, blocks: Iterable[list[int]]) -> Iterator[bytes]:
    """Yield the text of blocks of ids, which may end anywhere, even inside a character."""
    held: list[int] = []
    last: list[int] = []
    begin = 0
    for block in blocks:
        end = _end_of_whole_token(tokenizer, last)
        held += last[:end]
        if end:
            yield _decoded(tokenizer, held, begin)
            begin += len(held)
            held = []
        held += last[end:]
        last = block
    yield _decoded(tokenizer, held + last, begin)


def _end_of_whole_token(tokenizer: Tokenizer, ids: list[int]) -> int:
    """Return how many ids there are up to the last token that is text by itself.

    In ids that are text, a character ends there and the next one begins: a safe cut.
    """
    for end in range(len(ids), 0, -1):
        try:
            tokenizer.decode(ids[end - 1 : end])
        except UnicodeDecodeError:
            continue
        except KeyError:
            return len(ids)  # it is about to be refused, with all the ids before it
        return end
    return 0


def _decoded(tokenizer: Tokenizer, ids: list[int], begin: int) -> bytes:
    try:
        return tokenizer.decode(ids).encode("utf-8")
    except (KeyError, UnicodeDecodeError) as error:
        told = explain(error) if isinstance(error, KeyError) else _not_text(error)
        # The core counts from the first of the ids that it was given.
        told = re.sub(r"(?<=at position )\d+", lambda n: str(begin + int(n[0])), told)
        raise Failure(told) from None


def _not_text(error: UnicodeDecodeError) -> str:
    return f"the bytes of these ids are not UTF-8: {error.reason}"


def _read_ids(path: str, advance: Advance) -> Iterator[list[int]]:
    """Yield the ids of a JSON array, as many at a time as stand in a block of the file."""
    with open_input(path) as file:
        read = file.read(_BLOCK_BYTES)
        held = read.lstrip()
        if not held.startswith(b"["):
            raise _no_array(path, held)
        held = held[1:]
        more = False  # whether a comma says that another id follows
        while read:
            advance(len(read))
            numbers, comma, held = held.rpartition(b",")
            if comma:
                yield _parse_ids(path, numbers)
                more = True
            if len(held) > _BLOCK_BYTES:
                raise _no_array(path, held)
            read = file.read(_BLOCK_BYTES)
            held += read
        numbers, bracket, rest = held.rpartition(b"]")
        if not bracket:
            raise _no_array(path, b"the end, with no ] before it")
        if rest.strip():
            raise _no_array(path, rest.strip())
        if more or numbers.strip():
            yield _parse_ids(path, numbers)


def _parse_ids(path: str, numbers: bytes) -> list[int]:
    """Return the integers between two commas, or between a comma and a bracket."""
    try:
        ids: list[int] = json.loads(f"[{numbers.decode('ascii')}]")
    except (ValueError, RecursionError):
        ids = []
    if not ids or not set(map(type, ids)) <= {int}:
        wrong = next((number for number in numbers.split(b",") if not _is_integer(number)), numbers)
        raise _no_array(path, wrong.strip() or b"nothing between two commas or brackets")
    return ids


def _is_integer(number: bytes) -> bool:
    try:
        return integer(number.strip().decode("ascii")) is not None
    except (UnicodeDecodeError, argparse.ArgumentTypeError):
        return False


def _no_array(path: str, found: bytes) -> Failure:
    name = "standard input" if path == STANDARD_INPUT else quoted(path)
    shown = found[:40].decode("ascii", errors="backslashreplace")
    return Failure(
        f"{name} holds no JSON array of token ids, such as [72,101]: found {shown!r}"
        "\n`bpetite encode` prints such an array"
    )
