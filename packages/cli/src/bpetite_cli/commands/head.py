"""Print the first tokens of a text.

The output is the beginning of the text, in whole characters, with at most N tokens. Standard
error says whether anything was cut.

Examples:
  bpetite head --model tokenizer.json --tokens 100 text.txt > begin.txt
  bpetite head --model tokenizer.json --tokens 1 --text "Hello world"
  cat a.txt b.txt | bpetite head --model tokenizer.json --tokens 50 > begin.txt

Details:
The output has at most N tokens when it is encoded alone, and lies in the first N tokens of the
text. Usually it is their text, but it is shorter in two cases: if they end inside a character, and
if their text has more tokens alone than in the whole text, because the pattern or a whole token
needs what follows. `bpetite encode --format text` has the exact ids.

It reads no more than it needs, so a large file takes no longer than its beginning. Several files
are one text with `cat`.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from bpetite._inner import tokenizer_of
from bpetite_cli import arguments, values
from bpetite_cli.io import outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.messages import counted, say


def add_command(commands: Commands) -> None:
    """Add `head` to the command line."""
    parser = commands.add("head", __doc__)
    arguments.add_model(parser)
    parser.add_argument(
        "-n",
        "--tokens",
        required=True,
        type=values.bounded("0 or more", 0),
        metavar="N",
        help="the most tokens of the output",
    )
    parser.add_argument("--text", help="text to cut, instead of a file")
    parser.add_file_argument()
    parser.add_argument(
        "-i", "--input", metavar="FILE", help="same as FILE (default: standard input)"
    )
    parser.allow_one("--input", "--text")
    arguments.add_options(parser, "--ordinary")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "encoding", "cutting") as pipe:
        encode = partial(tokenizer_of(pipe.model).encode, ordinary=options.ordinary)
        head = _Head(encode, pipe.model.vocab, options.tokens)
        size = pipe.write(head.of(pipe.texts()))
        if head.end not in {"", "\n"} and outputs.is_terminal(sys.stdout):
            outputs.write_output([b"\n"])  # a prompt starts a line of its own
    tokens = counted(options.tokens - head.left, "token")
    say(f"{'cut after' if head.is_cut else 'nothing was cut:'} {tokens}, {counted(size, 'byte')}")


@dataclass
class _Head:
    """The beginning of a text, which may have some tokens.

    left: how many more tokens it may have.
    end: its last character, if there is one.
    is_cut: whether the text goes on.
    """

    encode: Callable[[str], list[int]]
    vocab: Mapping[int, bytes]
    left: int
    end: str = ""
    is_cut: bool = False

    def of(self, texts: Iterable[str]) -> Iterator[bytes]:
        """Yield it in parts, and read no more of the text than it takes to know whether it ends."""
        for text in texts:
            begin = text
            # Alone, the text of the first tokens may have more tokens than these.
            while len(ids := self.encode(begin)) > self.left:
                first = b"".join(map(self.vocab.__getitem__, ids[: self.left]))
                begin = first.decode("utf-8", "ignore")  # without a character that is incomplete
            self.left -= len(ids)
            self.end = begin[-1:] or self.end
            yield begin.encode("utf-8")
            if begin != text:
                self.is_cut = True
                return
