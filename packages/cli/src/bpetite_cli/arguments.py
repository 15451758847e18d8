"""The options and arguments that several commands share, and the parser of a command."""

import argparse
from typing import TypeAlias

from bpetite_cli.streams.words import integer

__all__ = [
    "Commands",
    "add_corpus",
    "add_destination",
    "add_model",
    "add_output",
    "add_parser",
    "require",
    "vocab_size",
]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


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


def vocab_size(word: str) -> int:
    """Read the size of a vocabulary."""
    size = integer(word)
    if size < 256:
        message = f"expected at least 256, one for each byte, found {size}"
        raise argparse.ArgumentTypeError(message)
    return size


def require(parser: argparse.ArgumentParser, option: str, needed: str) -> None:
    """Refuse an option that does nothing without another, unless the other is given."""
    parser.set_defaults(needs={**(parser.get_default("needs") or {}), option: needed})


def add_destination(parser: argparse.ArgumentParser, what: str = "the artifact") -> None:
    """Add the options that say where a result goes."""
    parser.add_argument(
        "--output", required=True, type=_file, metavar="PATH", help=f"where {what} goes"
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
    require(parser, "--force", "--output")


def _file(word: str) -> str:
    """Refuse the dash, by which somebody will have meant standard output."""
    if word == "-":
        message = "- is standard input or output, and no file; for a file of that name write ./-"
        raise argparse.ArgumentTypeError(message)
    return word


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the files."""
    parser.add_argument(
        "--input",
        required=True,
        nargs="+",
        action="extend",
        metavar="FILE",
        help="text in UTF-8; - is standard input; no token spans two files",
    )
