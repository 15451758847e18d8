"""`bpetite count`: count the tokens of files or of standard input."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bpetite import Tokenizer
from bpetite_cli.kit import (
    STANDARD_INPUT,
    Commands,
    Failure,
    add_documents_in_files,
    add_model,
    add_parser,
    check_output,
    documents_of,
    explain,
    integer,
    is_typed,
    load_model,
    quoted,
    reading,
    say,
    text_argument,
    write_output,
)

__all__ = ["add_command"]

_MORE = (
    "\n\nEach FILE gets a line with its tokens, a tab and its name, and several get a\n"
    "line for the total. Standard input without a FILE gets the number alone. The\n"
    "text is UTF-8; no token spans two files, and every <|endoftext|> is one token.\n"
    "\n"
    "What cannot be read is told on standard error; the others are counted, and the\n"
    "exit status is 1. It is 1 also where there are more tokens than --max allows;\n"
    "what was counted is printed all the same."
)


@dataclass(frozen=True, slots=True)
class _Count:
    """What one input came to: its bytes and tokens, or what was wrong with it."""

    name: str
    size: int = 0
    tokens: int = 0
    error: str | None = None


def add_command(commands: Commands) -> None:
    """Add `count` to the command line."""
    parser = add_parser(
        commands,
        "count",
        "count the tokens of files, or of standard input",
        "  bpetite count --model tokenizer.json a.txt b.txt\n"
        "  bpetite count --model tokenizer.json --max 8000 < text.txt\n"
        "  bpetite count --model tokenizer.json --jsonl text docs.jsonl\n"
        "  gzip -dc corpus.gz | bpetite count --model tokenizer.json --json",
        _MORE,
    )
    add_model(parser)
    parser.add_argument(
        "input", nargs="*", metavar="FILE", help="text in UTF-8; - is standard input"
    )
    add_documents_in_files(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument(
        "--max", type=_limit, metavar="N", help="fail with status 1 above N tokens in all"
    )
    parser.set_defaults(run=_run)


def _limit(word: str) -> int:
    limit = integer(word)
    if limit < 0:
        message = f"expected 0 or more, found {limit}"
        raise argparse.ArgumentTypeError(message)
    return limit


def _run(options: argparse.Namespace) -> None:
    check_output()
    named = bool(options.input or options.files_from)
    if not named:
        options.input = [STANDARD_INPUT]
    documents = documents_of(options)
    tokenizer = load_model(options.model)
    if not named and is_typed(documents.paths):
        say("counting what you type; Ctrl-D at the start of a line ends it")
    with reading("counting", documents.paths) as advance:
        counts = [
            _count(tokenizer, path, documents.read_file(path, advance)) for path in documents.paths
        ]
    total = _Count("total", sum(count.size for count in counts), sum(c.tokens for c in counts))
    complaints = _complaints(counts, total.tokens, options.max)
    for complaint in complaints[:-1]:
        say(f"error: {complaint}")
    if options.json:
        write_output([_as_json(counts, total, options.max)])
    else:
        write_output(_as_lines(counts, total, named=named))
    if complaints:
        raise Failure(complaints[-1])


def _count(tokenizer: Tokenizer, path: str, documents: Iterable[Iterable[str]]) -> _Count:
    size = tokens = 0
    name = text_argument(path)
    try:
        for blocks in documents:
            for text in blocks:
                size += len(text.encode("utf-8"))
                tokens += len(tokenizer.encode(text))
    except Failure as failure:
        return _Count(name, error=str(failure))
    except OSError as error:
        return _Count(name, error=explain(error))
    return _Count(name, size, tokens)


def _complaints(counts: Sequence[_Count], tokens: int, limit: int | None) -> list[str]:
    """Return what makes the command fail, a line or two each."""
    complaints = [count.error for count in counts if count.error is not None]
    if complaints and len(counts) > 1:
        left_out = f"{len(complaints)} of {len(counts)} files"
        complaints.append(f"{left_out} could not be counted; the total is that of the others")
    if limit is not None and tokens > limit:
        complaints.append(
            f"{tokens:,} tokens are {tokens - limit:,} more than --max {limit}; "
            "shorten the text, or allow more"
        )
    return complaints


def _as_lines(counts: Sequence[_Count], total: _Count, *, named: bool) -> Iterator[bytes]:
    for count in counts:
        if count.error is None:
            yield _line(count) if named else b"%d\n" % count.tokens
    if len(counts) > 1:
        yield _line(total)


def _line(count: _Count) -> bytes:
    """Return a line of the table; a name that would break it is quoted."""
    name = count.name if count.name.isprintable() else quoted(count.name)
    return f"{count.tokens}\t{name}\n".encode()


def _as_json(counts: Sequence[_Count], total: _Count, limit: int | None) -> bytes:
    complete = all(count.error is None for count in counts)
    within = None if limit is None else total.tokens <= limit
    told = {
        "files": [{"path": count.name, **_figures(count)} for count in counts],
        **_figures(total),
        "max": limit,
        "within": within if complete or not within else None,
    }
    return json.dumps(told).encode("ascii") + b"\n"


def _figures(count: _Count) -> dict[str, int | float | str | None]:
    if count.error is not None:
        return {"error": count.error}
    ratio = round(count.size / count.tokens, 4) if count.tokens else None
    return {"bytes": count.size, "tokens": count.tokens, "bytes_per_token": ratio}
