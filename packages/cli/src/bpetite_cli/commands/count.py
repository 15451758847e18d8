"""`bpetite count`: count the tokens of files or of standard input."""

import argparse
import collections
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, NamedTuple, TypeAlias, TypedDict

from bpetite import Tokenizer
from bpetite._files import quoted
from bpetite_cli import arguments, fields, values
from bpetite_cli.arguments import Commands
from bpetite_cli.errors import Failure, explain
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.io.documents import Documents
from bpetite_cli.io.inputs import STANDARD_INPUT, Advance
from bpetite_cli.jobs.sharing import Sharing
from bpetite_cli.plugins import Counter, load_counter
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views.frequencies import Frequency, draw_frequencies, frequency_data

_MORE = (
    "\n\nPrints one line per FILE: the number of tokens, a tab, and the name. Several\n"
    "files also get a total. Without FILE, reads standard input and prints only the\n"
    "number. No token spans two files. Each <|endoftext|> is one token, unless the text\n"
    "is --ordinary.\n"
    "\n"
    "If a file cannot be read, the other files are still counted, and the exit status\n"
    "is 1. With --by-token, nothing is printed then."
)


_Part: TypeAlias = tuple[int, str]
"""The number of a file, and part of its text, which ends at a safe boundary."""


class _Sizes(NamedTuple):
    """The number of a file, the bytes and tokens of a part of it, and any error."""

    number: int
    size: int
    tokens: int
    error: str | None = None


@dataclass(slots=True)
class _Count:
    """The bytes and tokens of one input, or its error."""

    name: str
    size: int = 0
    tokens: int = 0
    error: str | None = None


class _File(TypedDict):
    """The figures of a file, or its error."""

    path: Annotated[str, "the path of the file; `-` is standard input"]
    bytes: int | None
    tokens: int | None
    bytes_per_token: float | None
    error: Annotated[str | None, "why the file could not be read, or null"]


class _Counted(fields.Files, fields.Text):
    max: Annotated[int | None, "the limit of `--max` in tokens"]
    within: Annotated[bool | None, "whether `tokens` is at most `max`; null if unknown"]
    per_file: Annotated[list[_File], "the figures of each file"]


def add_command(commands: Commands) -> None:
    """Add `count` to the command line."""
    parser = arguments.add_parser(
        commands,
        "count",
        "count the tokens in files or standard input",
        "  bpetite count --model tokenizer.json text.txt\n"
        "  bpetite count --model tokenizer.json a.txt b.txt\n"
        "  bpetite count --model tokenizer.json --max 8000 < text.txt\n"
        "  bpetite count --model tokenizer.json --jsonl text docs.jsonl\n"
        "  bpetite count --model tokenizer.json --json corpus.gz\n"
        "  bpetite count --model tokenizer.json --by-token text.txt > by-token.jsonl",
        _MORE,
    )
    arguments.add_model(parser, required=False)
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="instead of --model, an encoding such as cl100k_base or o200k_base, which tiktoken "
        "downloads on first use; requires bpetite-compare",
    )
    arguments.require_one(parser, ["--model"], ["--encoding"])
    arguments.add_file_argument(parser)
    arguments.add_files(parser)
    arguments.add_documents_in_files(parser)
    arguments.add_ordinary(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument(
        "--max",
        type=_limit,
        metavar="N",
        help="print the counts, then exit with status 1 if there are more than N tokens in total",
    )
    parser.add_argument(
        "--by-token",
        action="store_true",
        help="print how often each token of the vocabulary occurs in all files, the most frequent "
        "first: rows on a terminal, JSON Lines elsewhere and with --json",
    )
    arguments.allow_one(parser, ["--by-token"], ["--encoding", "--max"])
    arguments.add_jobs(parser)
    parser.set_defaults(run=_run, prints={"--json": _Counted, "--by-token": Frequency})


def _limit(word: str) -> int:
    limit = values.integer(word)
    if limit < 0:
        raise argparse.ArgumentTypeError(f"expected 0 or more, found {limit}")
    return limit


def _run(options: argparse.Namespace) -> None:
    outputs.check_output()
    named = bool(options.input or options.files_from)
    if not named:
        options.input = [STANDARD_INPUT]
    documents = arguments.documents_of(options)
    if options.by_token:
        _print_by_token(options, documents)
        return
    with Work("loading", documents.paths) as work:
        counter = (
            _OfModel(models.load_model(options.model), options.ordinary)
            if options.encoding is None
            else load_counter(options.encoding, ordinary=options.ordinary)
        )
        messages.say_if_typed("counting", documents.paths)
        work.begin("counting", inputs.total_size(documents.paths))
        counts = _counted(documents, counter, arguments.jobs_of(options), work)
    good = [count for count in counts if count.error is None]
    total = _Count("total", sum(count.size for count in good), sum(c.tokens for c in good))
    complaints = _complaints(counts, total.tokens, options.max)
    for complaint in complaints[:-1]:
        messages.say_error(complaint)
    if options.json:
        outputs.write_json(_data(counts, total, options.max))
    else:
        outputs.write_output(_as_lines(counts, total, named=named))
    if complaints:
        raise Failure(complaints[-1])


def _counted(documents: Documents, counter: Counter, jobs: int, work: Work) -> list[_Count]:
    counts = [_Count(values.text_argument(path)) for path in documents.paths]
    with Sharing(_Counting(counter), jobs, _length) as sharing:
        parts = _read(documents, counter, counts, sharing.read)
        for batch in sharing.results(parts, work.advance):
            for number, size, tokens, error in batch:
                counts[number].size += size
                counts[number].tokens += tokens
                if error is not None:
                    counts[number].error = f"{inputs.name_of(documents.paths[number])}: {error}"
    return counts


@dataclass(frozen=True, slots=True)
class _OfModel:
    """Counts tokens with a tokenizer file."""

    tokenizer: Tokenizer
    ordinary: bool

    def cut(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the texts unchanged: files are read in blocks that end at safe boundaries."""
        yield from texts

    def __call__(self, text: str) -> int:
        return len(self.tokenizer.encode(text, ordinary=self.ordinary))


@dataclass(frozen=True, slots=True)
class _Counting:
    """The work on a batch of texts: count the bytes and tokens of each."""

    counter: Counter

    def __call__(self, batch: list[_Part]) -> list[_Sizes]:
        return [self._sizes(number, text) for number, text in batch]

    def _sizes(self, number: int, text: str) -> _Sizes:
        try:
            return _Sizes(number, len(text.encode("utf-8")), self.counter(text))
        except ValueError as error:
            return _Sizes(number, 0, 0, str(error))


def _read(
    documents: Documents, counter: Counter, counts: Sequence[_Count], advance: Advance
) -> Iterator[_Part]:
    """Yield the texts of all files; an error goes to the count of its file."""
    for number, path in enumerate(documents.paths):
        try:
            for blocks in documents.read_file(path, advance):
                for text in counter.cut(blocks):
                    yield number, text
        except Failure as failure:
            counts[number].error = str(failure)
        except OSError as error:
            counts[number].error = explain(error)


def _length(part: _Part) -> int:
    return len(part[1])


def _complaints(counts: Sequence[_Count], tokens: int, limit: int | None) -> list[str]:
    """Return the errors, one or two lines each."""
    complaints = [count.error for count in counts if count.error is not None]
    if complaints and len(counts) > 1:
        left_out = f"{len(complaints)} of {len(counts)} files"
        complaints.append(f"{left_out} could not be counted; the total covers the others")
    if limit is not None and tokens > limit:
        complaints.append(
            f"{tokens:,} tokens exceed --max {limit} by {tokens - limit:,}; "
            "shorten the text, or raise --max"
        )
    return complaints


def _as_lines(counts: Sequence[_Count], total: _Count, *, named: bool) -> Iterator[bytes]:
    for count in counts:
        if count.error is None:
            yield _line(count) if named else b"%d\n" % count.tokens
    if len(counts) > 1:
        yield _line(total)


def _line(count: _Count) -> bytes:
    """Return a line of the table, with the name quoted if it would break the table."""
    name = count.name if count.name.isprintable() else quoted(count.name)
    return f"{count.tokens}\t{name}\n".encode()


def _data(counts: Sequence[_Count], total: _Count, limit: int | None) -> _Counted:
    good = sum(count.error is None for count in counts)
    within = None if limit is None else total.tokens <= limit
    return {
        "files": good,
        **fields.text_fields(total.size, total.tokens),
        "max": limit,
        "within": within if good == len(counts) or not within else None,
        "per_file": list(map(_file, counts)),
    }


def _file(count: _Count) -> _File:
    if count.error is None:
        return {"path": count.name, **fields.text_fields(count.size, count.tokens), "error": None}
    return {
        "path": count.name,
        "bytes": None,
        "tokens": None,
        "bytes_per_token": None,
        "error": count.error,
    }


def _print_by_token(options: argparse.Namespace, documents: Documents) -> None:
    """Print the frequency of each token in all documents."""
    size = inputs.check_inputs(documents.paths)
    with Work("loading", documents.paths) as work:
        artifact = models.load_artifact(options.model)
        messages.say_if_typed("counting", documents.paths)
        work.begin("counting", size)
        tally = _Tally(Tokenizer._of(artifact), options.ordinary)
        counts = [0] * (artifact.highest_id + 1)
        with Sharing(tally, arguments.jobs_of(options), len) as sharing:
            texts = chain.from_iterable(documents.read(sharing.read))
            for frequencies in sharing.results(texts, work.advance, in_order=False):
                for token_id, count in frequencies.items():
                    counts[token_id] += count
        if outputs.is_terminal() and not options.json:
            work.hide()
            outputs.stream_output(draw_frequencies(artifact, counts, look_at_output()))
            return
        lines = map(outputs.json_line, frequency_data(artifact, counts))
        work.send(outputs.hold_output(lines))


@dataclass(frozen=True, slots=True)
class _Tally:
    """The work on a batch of texts for `--by-token`: count each id."""

    tokenizer: Tokenizer
    ordinary: bool

    def __call__(self, batch: list[str]) -> collections.Counter[int]:
        frequencies: collections.Counter[int] = collections.Counter()
        for text in batch:
            frequencies.update(self.tokenizer.encode(text, ordinary=self.ordinary))
        return frequencies
