"""Options and arguments that several commands share, and the parser of a command."""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from bpetite._inner import Pattern, checked_special_tokens
from bpetite_cli.io.destinations import check_destination
from bpetite_cli.io.documents import Documents, read_list
from bpetite_cli.io.inputs import STANDARD_INPUT, check_inputs, check_standard_input
from bpetite_cli.io.json_lines import field
from bpetite_cli.io.parquet import load_pyarrow
from bpetite_cli.jobs.cores import available_cores
from bpetite_cli.jobs.signals import signals_blocked
from bpetite_cli.values import Given, bounded, file_path, text_argument

_DEFAULT_INPUT: Final = " (default: standard input)"
_MOST_JOBS: Final = 256
_MOST_JOBS_BY_DEFAULT: Final = 8

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_parser(commands: Commands, name: str, doc: str | None) -> argparse.ArgumentParser:
    """Add the parser of a command.

    Its help is the docstring of the command's module: a summary, more text and examples. With
    `python -OO`, which drops docstrings, it is the name.
    """
    text, _, examples = (doc or name).partition("\nExamples:\n")
    summary = text.partition("\n")[0].rstrip(".")
    parser = commands.add_parser(
        name,
        help=f"{summary[0].lower()}{summary[1:]}",
        description=text.rstrip(),
        epilog=f"examples:\n{examples.rstrip()}" if examples else None,
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="write only errors to standard error"
    )
    return parser


def require(parser: argparse.ArgumentParser, option: str, *needed: str) -> None:
    """Reject an option unless one of those that it needs is given as well."""
    parser.set_defaults(needs={**(parser.get_default("needs") or {}), option: needed})


def advise(parser: argparse.ArgumentParser, option: str, advice: str) -> None:
    """Set the way out if an option is missing, or if the command does not have it."""
    parser.set_defaults(advice={**(parser.get_default("advice") or {}), option: advice})


def require_one(parser: argparse.ArgumentParser, *groups: Sequence[str]) -> None:
    """Require options of exactly one of these groups."""
    parser.set_defaults(alternatives=groups)


def allow_one(parser: argparse.ArgumentParser, *groups: Sequence[str]) -> None:
    """Accept options of only one of these groups."""
    parser.set_defaults(exclusive=groups)


def add_destination(parser: argparse.ArgumentParser, what: str = "the tokenizer file") -> None:
    """Add the options for the path of the result."""
    _add_output(parser, f"write {what} to PATH", required=True)


def add_model(parser: argparse.ArgumentParser, **options: Given) -> None:
    """Add the option for the tokenizer file."""
    settings = {"required": True, "metavar": "PATH", "help": "the tokenizer file", **options}
    parser.add_argument("-m", "--model", **settings)
    advise(parser, "--pattern", "the tokenizer file has it")


def add_model_or_encoding(parser: argparse.ArgumentParser) -> None:
    """Add the options for a tokenizer file and for a published encoding, of which one is needed."""
    add_model(parser, required=False)
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="instead of --model, an encoding such as cl100k_base or o200k_base, which tiktoken "
        "downloads on first use; requires bpetite-compare",
    )
    require_one(parser, ["--model"], ["--encoding"])


def add_vocab_size(parser: argparse.ArgumentParser, merges: str) -> None:
    """Add the option for the size of the vocabulary, which has 256 bytes and these merges."""
    parser.add_argument(
        "--vocab-size",
        required=True,
        type=bounded("at least 256 (one for each byte)", 256),
        metavar="N",
        help=f"vocabulary size: 256 bytes plus {merges}; special tokens are extra",
    )


def add_start(parser: argparse.ArgumentParser) -> None:
    """Add the option for the tokenizer that training continues."""
    parser.add_argument(
        "--start",
        metavar="PATH",
        help="a tokenizer file to continue: its merges and special tokens come first, and learning "
        "goes on from there; its pattern and ids stay, but special tokens move to the new last "
        "ids, unless it has schema version 3, as the imported tokenizers of models",
    )


def add_pattern(
    parser: argparse.ArgumentParser, default: str, patterns: Mapping[str, Pattern]
) -> None:
    """Add the option for the pattern, and describe the patterns above the options."""
    parser.add_argument(
        "--pattern",
        choices=patterns,
        metavar="NAME",
        help=f"the pattern that splits text into chunks, see above (default: {default})",
    )
    width = max(map(len, patterns))
    rows = (f"  {name:<{width}}  {pattern.note}\n" for name, pattern in patterns.items())
    parser.description = (
        f"{parser.description}\n\nPatterns:\n{''.join(rows)}\n"
        f"For a new model, take gpt4. gpt2 is the default because the specification fixes "
        "it and the course explains it."
    )


def add_special_tokens(parser: argparse.ArgumentParser) -> None:
    """Add the option for the special tokens."""
    parser.add_argument(
        "--special",
        nargs="*",
        action=_SpecialTokens,
        metavar="TOKEN",
        help="the special tokens instead of <|endoftext|>, such as '<|user|>' '<|end|>'; without "
        "a TOKEN, none; with --start, they are added to its own",
    )


class _SpecialTokens(argparse.Action):
    """Extend a list of special tokens, and reject those that break a rule."""

    def __call__(self, _: object, namespace: Given, values: Given, *__: object) -> None:
        """Extend the list."""
        if files := [*filter(os.path.lexists, values)]:
            raise argparse.ArgumentError(
                self, f"{files[0][:40]!r} is a file; put it before --special, or after --input"
            )
        names = (*(getattr(namespace, self.dest) or ()), *map(text_argument, values))
        try:
            setattr(namespace, self.dest, checked_special_tokens(names))
        except ValueError as error:
            raise argparse.ArgumentError(self, str(error)) from None


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options for writing the result to a file."""
    _add_output(parser, "write to PATH instead of standard output", required=False)
    require(parser, "--force", "--output")


def _add_output(parser: argparse.ArgumentParser, what: str, *, required: bool) -> None:
    parser.add_argument(
        "-o", "--output", required=required, type=file_path, metavar="PATH", help=what
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the option for input files."""
    parser.add_argument(
        "-i",
        "--input",
        nargs="+",
        action="paths",
        metavar="FILE",
        help="UTF-8 text, also compressed with gzip, bzip2, xz or zstd; - is standard input; no "
        "token spans two files",
    )


def add_file_argument(parser: argparse.ArgumentParser, default: str = _DEFAULT_INPUT) -> None:
    """Add FILE as an argument besides `--input`; `StrictParser` merges the two."""
    parser.add_argument(
        "file",
        nargs="*",
        action="same as",
        option="--input",
        metavar="FILE",
        help=f"same as --input FILE{default}",
    )


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the options for the corpus, which must be named: to wait for one would surprise."""
    add_documents(parser, default="")
    for option in ("--jsonl", "--parquet"):
        require(parser, option, "--input", "--files-from")
    require_one(parser, ["--input", "--files-from"], ["--counts"])
    parser.add_argument(
        "--counts",
        nargs="+",
        action="paths",
        metavar="FILE",
        help='read documents with counts: each line of FILE is {"text": ..., "count": ...}; - is '
        "standard input; counts of equal texts add up, also in several files",
    )


def add_documents(parser: argparse.ArgumentParser, default: str = _DEFAULT_INPUT) -> None:
    """Add the options for files, lists of files, and documents inside files."""
    add_file_argument(parser, default)
    add_files(parser)
    parser.add_argument(
        "--files-from",
        metavar="FILE",
        help="read more paths from FILE, one per line; - is standard input",
    )
    parser.add_argument(
        "-0",
        "--null",
        action="store_true",
        help="paths in --files-from end with a NUL byte, as from find -print0",
    )
    parser._has_negative_number_optionals.clear()  # or argparse reads the -5 of --max as one
    require(parser, "--null", "--files-from")
    inside = parser.add_mutually_exclusive_group()
    inside.add_argument(
        "--jsonl",
        type=field,
        metavar="FIELD",
        help="read JSON Lines: FIELD of each object is a document; meta.text is the field text "
        "inside meta; no token spans two lines",
    )
    inside.add_argument(
        "--parquet",
        type=text_argument,
        metavar="COLUMN",
        help="read Parquet files: COLUMN of each row is a document; meta.text is the column text "
        "inside the struct meta; requires pyarrow",
    )


def add_ordinary(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option for untrusted text."""
    parser.add_argument(
        "--ordinary",
        action="store_true",
        help=f"read special tokens in the text as ordinary text, as for untrusted text{more}",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of processes."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=bounded(f"1 to {_MOST_JOBS}", 1, _MOST_JOBS),
        metavar="N",
        help="number of processes for inputs over 8 MB (default: one per core, at most "
        f"{_MOST_JOBS_BY_DEFAULT}); the result is the same for every N",
    )


def jobs_of(options: argparse.Namespace) -> int:
    """Return the number of processes to use."""
    return options.jobs or min(available_cores(), _MOST_JOBS_BY_DEFAULT)


def checked_documents(options: argparse.Namespace) -> tuple[Documents, int | None]:
    """Return the documents and their size, after checking the inputs and the destination."""
    documents, given = documents_of(options), vars(options)
    size = check_inputs(documents.paths)
    others = [given[name] for name in ("model", "start") if given.get(name) is not None]
    sources = [*others, *documents.sources]
    check_destination(given.get("output"), sources, force=given.get("force", False))
    return documents, size


def documents_of(options: argparse.Namespace) -> Documents:
    """Return the documents that the options select; without any, it is standard input."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    if "counts" in given:
        return Documents(options.counts, with_counts=True)
    lists: list[str] = [given["files_from"]] if "files_from" in given else []
    paths: list[str] = given.get("input", [])
    if isinstance(paths, str):
        paths = [paths]
    if not given.keys() & {"input", "files_from", "text", "ids"}:
        paths = [STANDARD_INPUT]
    paths = [*paths, *(path for name in lists for path in read_list(name, null=options.null))]
    if "parquet" in given:
        with signals_blocked():  # pyarrow starts threads when it is loaded
            load_pyarrow()
    text = text_argument(given["text"]) if "text" in given else None
    documents = Documents(paths, lists, given.get("jsonl"), given.get("parquet"), text=text)
    check_standard_input(documents.sources)
    return documents
