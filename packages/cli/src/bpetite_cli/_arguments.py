"""What the commands have in common on the command line."""

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_cli._failure import Failure, explain, quoted

__all__ = [
    "Commands",
    "add_destination",
    "add_model",
    "add_need",
    "add_output",
    "add_parser",
    "integer",
    "load_artifact",
    "load_model",
    "save_artifact",
    "text_argument",
    "vocab_size",
]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_INTEGER: Final = re.compile(r"-?[0-9]+")
_MOST_DIGITS: Final = 30


def add_parser(
    commands: Commands, name: str, summary: str, example: str, more: str = ""
) -> argparse.ArgumentParser:
    """Add the parser of one command; its help has a summary, what more is said, an example."""
    return commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.{more}",
        epilog=f"example:\n{example}",
    )


def integer(word: str) -> int:
    """Read an integer in plain decimal: `int` alone takes 1_0 and other scripts' digits."""
    if not _INTEGER.fullmatch(word):
        message = f"expected an integer, found {word[:40]!r}"
        raise argparse.ArgumentTypeError(message)
    if len(word) > _MOST_DIGITS:
        message = f"expected an integer of at most {_MOST_DIGITS} digits, found {len(word)}"
        raise argparse.ArgumentTypeError(message)
    return int(word)


def vocab_size(word: str) -> int:
    """Read the size of a vocabulary."""
    size = integer(word)
    if size < 256:
        message = f"expected at least 256, one for each byte, found {size}"
        raise argparse.ArgumentTypeError(message)
    return size


def text_argument(word: str) -> str:
    """Return the text of an argument, which Python may have read by a locale that is not UTF-8."""
    return os.fsencode(word).decode("utf-8")


def add_need(parser: argparse.ArgumentParser, option: str, needed: str) -> None:
    """Have an option refused where another is not given, without which it would do nothing."""
    parser.set_defaults(needs={**(parser.get_default("needs") or {}), option: needed})


def add_destination(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where an artifact goes."""
    parser.add_argument(
        "--output", required=True, type=_file, metavar="PATH", help="where the artifact goes"
    )
    parser.add_argument("--force", action="store_true", help="replace the file at PATH")


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the artifact."""
    parser.add_argument("--model", required=True, metavar="PATH", help="the artifact of `train`")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a file for a result that may be long."""
    parser.add_argument(
        "--output", type=_file, metavar="PATH", help="write a file, and not to standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace the file at PATH")
    add_need(parser, "--force", "--output")


def _file(word: str) -> str:
    """Refuse the dash, by which somebody will have meant standard output."""
    if word == "-":
        message = "- is standard input or output, and no file; for a file of that name write ./-"
        raise argparse.ArgumentTypeError(message)
    return word


def load_model(path: str) -> Tokenizer:
    """Load a tokenizer, or say why it cannot be."""
    with _told_of_model(path):
        return Tokenizer.load(path)


def load_artifact(path: str) -> Artifact:
    """Load a tokenizer with its merges and tokens, or say why it cannot be."""
    with _told_of_model(path):
        return Artifact.read(path)


def save_artifact(artifact: Artifact, path: str, *, force: bool) -> None:
    """Save a tokenizer, or say why it cannot be."""
    try:
        artifact.write(path, overwrite=force)
    except (OSError, ValueError) as error:
        message = f"saving the tokenizer: {explain(error)}"
        raise Failure(message) from None


@contextmanager
def _told_of_model(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        message = f"there is no model {quoted(path)}; `bpetite train` makes one"
        raise Failure(message) from None
    except (KeyError, ValueError) as error:
        message = f"this model cannot be used: {explain(error)}"
        raise Failure(message) from None
