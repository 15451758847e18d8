"""Options that several commands share."""

from collections.abc import Mapping
from typing import Final

from bpetite._inner import Pattern
from bpetite_cli.jobs import MOST_JOBS_BY_DEFAULT
from bpetite_cli.strict_parser import Given, StrictParser
from bpetite_cli.values import (
    bounded,
    document_separator,
    field,
    file_path,
    ids,
    text_argument,
    vocab_size,
)

_MOST_JOBS: Final = 256

_INSIDE_FILES: Final = ("--jsonl", "--parquet", "--document-separator")
"""The options for documents that are parts of files."""

_SHARED: Final[Mapping[str, Mapping[str, Given]]] = {
    "--download": {
        "action": "store_true",
        "help": "let tiktoken download what its cache lacks",
    },
    "--start": {
        "metavar": "PATH",
        "help": "a tokenizer to continue",
    },
    "--input": {
        "letter": "-i",
        "nargs": "+",
        "action": "extend",
        "metavar": "FILE",
        "help": "same as FILE: text, also compressed, or folders (default: standard input)",
    },
    "--glob": {
        "metavar": "GLOB",
        "help": "of files in folders, only such names: '*.md'",
    },
    "--vocab-size": {
        "required": True,
        "type": vocab_size,
        "metavar": "N",
        "help": "256 bytes and N - 256 merges; special tokens are extra",
    },
    "--ids": {
        "nargs": "*",
        "type": ids,
        "action": "extend",
        "metavar": "N",
        "help": "token ids: 72 101, 72,101 or '[72,101]'",
    },
    "--ordinary": {
        "action": "store_true",
        "help": "read special tokens in the text as ordinary text",
    },
    "--engine": {
        "choices": ("tiktoken",),
        "metavar": "NAME",
        "help": "tiktoken: let it encode; the same ids, sooner",
    },
    "--output": {
        "letter": "-o",
        "type": file_path,
        "metavar": "PATH",
        "help": "write to PATH, which appears only when complete",
    },
    "--force": {"action": "store_true", "help": "replace an existing file"},
    "--jobs": {
        "letter": "-j",
        "type": bounded(f"1 to {_MOST_JOBS}", 1, _MOST_JOBS),
        "metavar": "N",
        "help": f"processes (default: one per core, at most {MOST_JOBS_BY_DEFAULT})",
    },
}
"""The options that several commands have, by name."""


def add_options(parser: StrictParser, *names: str, **changed: Given) -> None:
    """Add options that several commands have, with changed settings."""
    for name in names:
        settings = {**_SHARED[name], **changed}
        letter = settings.pop("letter", None)
        parser.add_argument(*([letter] if letter else []), name, **settings)


def add_model(parser: StrictParser, **changed: Given) -> None:
    """Add the options for a tokenizer: a file, or what bpetite-compare opens."""
    told = "a tokenizer file, a model's folder or file, or a name such as gpt-4o"
    settings = {"required": True, "metavar": "TOKENIZER", "help": told, **changed}
    parser.add_argument("-m", "--model", **settings)
    parser.advice["--model"] = "for example, --model tokenizer.json or --model gpt-4o"
    add_options(parser, "--download")


def add_text(parser: StrictParser, verb: str, files: str = "same as FILE: text") -> None:
    """Add the options for one text."""
    parser.add_argument("--text", help=f"text to {verb}, instead of files")
    parser.add_file_argument()
    told = f"{files}, also compressed (default: standard input)"
    parser.add_argument("-i", "--input", metavar="FILE", help=told)
    parser.allow_one("--input", "--text")
    add_options(parser, "--ordinary")


def add_documents(parser: StrictParser) -> None:
    """Add FILE and the options for files, lists of files, and documents inside files."""
    parser.add_file_argument()
    add_options(parser, "--input")
    told = "read more paths from FILE, one on each line"
    parser.add_argument("--files-from", metavar="FILE", help=told)
    told = "or -0: NUL bytes end them, as from find -print0"
    parser.add_argument("--null", action="store_true", help=told)
    add_options(parser, "--glob")
    told = "FIELD of each line of JSON is a document, or messages[].content"
    parser.add_argument("--jsonl", type=field, metavar="FIELD", help=told)
    told = "COLUMN of each row is a document"
    parser.add_argument("--parquet", type=text_argument, metavar="COLUMN", help=told)
    told = "ends documents in text: '<|endoftext|>' or '\\n\\n'"
    parser.add_argument("--document-separator", type=document_separator, metavar="TEXT", help=told)
    told = "leave out documents that are null, missing or not text"
    parser.add_argument("--skip-invalid", action="store_true", help=told)
    parser.need("--null", "--files-from")
    parser.need("--skip-invalid", "--jsonl", "--parquet")
    parser.allow_one(*_INSIDE_FILES)


def add_text_or_documents(parser: StrictParser, text: str, *of_files: str) -> None:
    """Add `--text` besides the options for documents.

    Args:
        parser: the parser of the command.
        text: the help of the option.
        of_files: other options of the command that need files.
    """
    parser.add_argument("--text", help=text)
    add_documents(parser)
    parser.allow_one(["--input", "--files-from", "--glob", *_INSIDE_FILES, *of_files], "--text")


def add_corpus(parser: StrictParser) -> None:
    """Add the options for the corpus, which is named, or piped."""
    add_documents(parser)
    told = 'lines of {"text": ..., "count": ...}, as from chunks'
    parser.add_argument("--counts", nargs="+", action="extend", metavar="FILE", help=told)
    parser.allow_one(_INSIDE_FILES, "--counts")
    parser.require_one(["--input", "--files-from"], "--counts", or_pipe=True)


def add_destination(parser: StrictParser, what: str = "the tokenizer file") -> None:
    """Add the options for the path of the result, which is required."""
    add_options(parser, "--output", required=True, help=f"write {what} to PATH")
    add_options(parser, "--force")


def add_pattern(parser: StrictParser, default: str, patterns: Mapping[str, Pattern]) -> None:
    """Add the option for the pattern, and describe the patterns above the options."""
    parser.add_argument(
        "--pattern",
        choices=patterns,
        metavar="NAME",
        help=f"how text is cut into chunks: {', '.join(patterns)} (default: {default})",
    )
