"""Print the first tokens of a text.

The output is the beginning of the text, in whole characters, with at most N tokens. Standard
error says whether anything was cut.

Examples:
  bpetite head --model tokenizer.json --tokens 100 text.txt > begin.txt
  bpetite head --model tokenizer.json --tokens 1 --text "Hello world"

Details:
Usually it is the text of the first N tokens. It is shorter if these end inside a character, or if
their text has more tokens alone, because the pattern or a whole token needs what follows. For the
exact ids, use `encode --format text`.
"""

import argparse
from collections.abc import Iterator
from functools import partial

from bpetite._inner import tokenizer_of
from bpetite_cli import arguments
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.messages import counted, say
from bpetite_cli.values import bounded


def add_command(commands: Commands) -> None:
    """Add `head` to the command line."""
    parser = commands.add("head", __doc__)
    arguments.add_model(parser)
    number = bounded("0 or more", 0)
    parser.add_argument(
        "-n", "--tokens", required=True, type=number, metavar="N", help="the most tokens to print"
    )
    arguments.add_text(parser, "cut")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    left, rest = options.tokens, ""
    with Pipe(options, "encoding", "cutting") as pipe:
        encode = partial(tokenizer_of(pipe.model).encode, ordinary=options.ordinary)
        vocab = pipe.model.vocab
        pipe.begin()
        texts = pipe.passed(pipe.documents.read())

        def first() -> Iterator[bytes]:
            """Yield the first tokens, and read no further than to know whether these are all."""
            nonlocal left, rest
            for text in texts:
                begin = text
                # Alone, the text of the first tokens may have more tokens than these.
                while len(ids := encode(begin)) > left:
                    known = b"".join(map(vocab.__getitem__, ids[:left]))
                    begin = known.decode("utf-8", "ignore")  # whole characters
                yield begin.encode("utf-8")
                left, rest = left - len(ids), text[len(begin) :]
                if rest:
                    return

        size = pipe.write(first())
    figures = f"{counted(options.tokens - left, 'token')}, {counted(size, 'byte')}"
    say(f"cut after {figures}" if rest else f"nothing was cut: {figures}")
