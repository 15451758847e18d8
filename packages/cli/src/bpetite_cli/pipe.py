"""The pipe: documents, blocks of text, a function, results, a way out.

Every command that works through text is such a pipe. It checks the options, the inputs and the
destination, then the model, and then works. What is read yields a text and the bytes read for
it, which the bar shows once the text is done. A function gets batches of texts, in this process
or in several. In order, the results do not depend on the number of processes: the batches are
always the same. Results that are only summed up are taken as they come, so no process waits.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeAlias, TypeVar

from bpetite._inner import Artifact, quoted, write_parts
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, outputs, parquet
from bpetite_cli.io.documents import REASONS, Documents, expand_patterns, read_list
from bpetite_cli.io.folders import Folder, read_folders
from bpetite_cli.jobs import MOST_JOBS_BY_DEFAULT, available_cores, signals_blocked
from bpetite_cli.plugins import load_model
from bpetite_cli.terminal.messages import counted, in_units, report, say
from bpetite_cli.terminal.progress import Bar
from bpetite_cli.values import text_argument

if TYPE_CHECKING:
    from concurrent.futures import Future

    from bpetite_cli.jobs.workers import Workers  # loads multiprocessing, which is slow

Item = TypeVar("Item")
Tag = TypeVar("Tag")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)
Tagged: TypeAlias = tuple[str, Tag]
"""A text that ends at a safe boundary, and what the command has to know about it."""

_CHARACTERS_OF_A_BATCH: Final = 1 << 20

_CHARACTERS_OF_A_TEXT: Final = 64
"""The weight of a text in addition to its characters."""

_WORTH_WORKERS: Final = 8 * 10**6
"""The number of bytes to read before workers start; each takes a tenth of a second.

Of compressed text, this many characters are enough.
"""

_AHEAD: Final = 2
"""The number of batches per worker to read ahead."""


class Counter(Protocol[Tag, Result_co]):
    """Counts batches of texts, and may keep what it has counted until the end."""

    def count(self, batch: list[Tagged[Tag]], /) -> Result_co:
        """Count a batch."""

    def flush(self) -> Result_co:
        """Return what no result has had so far."""


class Pipe:
    """The way of documents through a command, with its bar.

    warnings: messages for the end, when no bar is in the way.

    Args:
        options: the options of the command, by their names in `arguments`; those that it does not
            have do not count. Its inputs and its destination are checked here.
        phase: what the bar calls the work on the documents.
        typed: what it is called for a person who types the input, if not the same.
        check: whether an input that cannot be read is an error before the work.
    """

    def __init__(
        self, options: argparse.Namespace, phase: str, typed: str = "", *, check: bool = True
    ) -> None:
        self.documents = documents_of(options)
        self.options = options
        self.warnings: list[str] = []
        self._phase = phase
        self._typed = typed or phase
        self._workers: Workers[Any] | None = None
        given = vars(options)
        faults, folders = self.documents.faults, self.documents.folders
        known = {path for folder in folders for path in folder.files}
        is_text = "glob" in given and self.documents.column is None
        self._total = inputs.check_inputs(
            self.documents.paths, faults, known if is_text else None, given
        )
        if check and faults:
            raise Failure(self.documents.all_faults)
        sources = [given[name] for name in ("model", "start") if given.get(name) is not None]
        sources += [*self.documents.paths, *self.documents.lists]
        outputs.check_destination(given.get("output"), sources, force=given.get("force", False))
        self.bar = Bar("loading" if "model" in given else phase, self.documents.paths)

    def __enter__(self) -> Self:
        self.bar.__enter__()
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if self._workers is not None:
            with signals_blocked():
                self._workers.close()
        self.bar.hide()
        if error is None:
            for folder in self.documents.folders:
                read = f"{counted(len(folder.files), 'file')}, {in_units(folder.bytes)}"
                say(f"{quoted(folder.path)}: {read}{folder.what_is_skipped}")
        if self.warnings:
            say(*self.warnings)
        skipped = self.documents.skipped
        if skipped and any(skipped.values()):
            told = (f"{n:,} {reason.replace('_', ' ')}" for reason, n in skipped.items() if n)
            say(f"skipped: {counted(sum(skipped.values()), 'document')} ({', '.join(told)})")
        for (one, several, about), (first, *others) in self.documents.odd.items():
            begin = f"and {len(others):,} more {several}" if others else one
            say(f"warning: {first} {begin} {about}")

    @cached_property
    def model(self) -> Artifact:
        """The tokenizer of `--model`."""
        model, download = self.options.model, self.options.download
        return load_model(model, download=download, notes=self.warnings)[0]

    # The way through

    def begin(self) -> None:
        """Begin to read; if a person types an input, explain how to end it."""
        if inputs.is_typed(self.documents.paths):
            say(f"{self._typed} what you type; Ctrl-D at the start of a line ends it")
        elif inputs.STANDARD_INPUT in self.documents.paths[:1] and not inputs.is_ready():
            say("waiting for standard input, which is a pipe without a byte so far")
        self.bar.begin(self._phase, self._total)

    def texts(self) -> Iterator[str]:
        """Yield the blocks of all documents; the bar moves when the next one is asked for."""
        self.begin()
        for document in self.documents.read():
            yield from self.passed(document)

    def text_of(self, path: str) -> Iterator[str]:
        """Yield the blocks of one of the files in the same way."""
        for document in self.documents.read_file(path):
            yield from self.passed(document)

    def passed(self, blocks: Iterable[tuple[Item, int]]) -> Iterator[Item]:
        """Yield blocks in the same way."""
        for block, size in blocks:
            yield block
            self.bar.advance(size)

    def results(
        self,
        function: Callable[[list[Tagged[Tag]]], Result],
        texts: Iterable[tuple[Tagged[Tag], int]],
        *,
        in_order: bool = True,
    ) -> Iterator[Result]:
        """Yield the results of a function for batches of texts.

        Args:
            function: it is pickled for each process.
            texts: the texts, with the bytes read for each.
            in_order: whether results wait for those of earlier texts. The texts of a document may
                be in several batches.

        Raises:
            Failure: a worker was killed.
        """
        self.begin()
        return self._results(function, "__call__", texts, in_order=in_order)

    def counts(
        self, counter: Counter[Tag, Result], texts: Iterable[tuple[Tagged[Tag], int]]
    ) -> Iterator[Result]:
        """Yield the results of a counter as they come; each process has a copy of it."""
        self.begin()
        results: Iterator[Result] = self._results(counter, "count", texts, in_order=False)
        return chain(results, self._flushed(counter))

    def _flushed(self, counter: Counter[Tag, Result]) -> Iterator[Result]:
        if self._workers is None:
            yield counter.flush()
        else:
            yield from self._workers.call_each("flush")

    def _results(
        self,
        target: object,
        method: str,
        texts: Iterable[tuple[Tagged[Tag], int]],
        *,
        in_order: bool,
    ) -> Iterator[Result]:
        call: Callable[[list[Tagged[Tag]]], Result] = getattr(target, method)
        batches = _batches(texts)
        first: list[_Batch[Tag]] = []
        jobs = vars(self.options).get("jobs", 1)
        worth = 0
        while jobs != 1 and worth < _WORTH_WORKERS and (more := next(batches, None)):
            first.append(more)
            characters = sum(len(text) for batch, _ in first for text, _ in batch)
            worth = max(characters, sum(size for _, size in first))
        batches = chain(first, batches)
        if jobs is None and worth >= _WORTH_WORKERS:
            jobs = min(available_cores(), MOST_JOBS_BY_DEFAULT)
        if worth >= _WORTH_WORKERS and jobs > 1:
            from bpetite_cli.jobs.workers import Workers  # noqa: PLC0415 - loads multiprocessing

            with signals_blocked():  # no signal may come before `__exit__` knows them
                self._workers = workers = Workers[Result](target, jobs)
            begun = ((workers.submit(method, batch), size) for batch, size in batches)
            for result, size in _awaited(begun, _AHEAD * jobs, in_order=in_order):
                yield result.result()
                self.bar.advance(size)
            return
        for batch, size in batches:
            yield call(batch)
            self.bar.advance(size)

    # The ways out

    def write(self, parts: Iterable[bytes]) -> int:
        """Write parts to standard output or `--output` once all exist; return their size."""
        path: str | None = vars(self.options).get("output")
        if path is not None:
            return write_parts(path, parts, overwrite=self.options.force, keep=True)
        with outputs.held(parts) as result:
            self.bar.hide()  # it may be where standard output goes
            outputs.send(result)
            size = result.tell()
            result.seek(max(0, size - 1))
            if result.read() not in {b"", b"\n"} and outputs.is_terminal(sys.stdout):
                outputs.write_output([b"\n"])  # a prompt starts a line of its own
            return size

    def stream(self, parts: Iterable[str]) -> None:
        """Write each part to standard output as it comes."""
        self.bar.hide()
        outputs.stream_output(parts)

    def report(self, data: Mapping[str, object], *lines: str, saved: str = "") -> None:
        """Write what the command did, as `messages.report` does."""
        self.bar.hide()
        report(data, *lines, saved=saved)


_Batch: TypeAlias = tuple[list[Tagged[Tag]], int]
"""Some texts, and the number of bytes read for them."""


def _batches(texts: Iterable[tuple[Tagged[Tag], int]]) -> Iterator[_Batch[Tag]]:
    """Yield batches of texts."""
    batch: list[Tagged[Tag]] = []
    characters = read = 0
    for tagged, size in texts:
        batch.append(tagged)
        characters += len(tagged[0]) + _CHARACTERS_OF_A_TEXT
        read += size
        if characters >= _CHARACTERS_OF_A_BATCH:
            yield batch, read
            batch = []
            characters = read = 0
    if batch:
        yield batch, read


_Begun: TypeAlias = "tuple[Future[Result], int]"
"""A result that is awaited, and the number of bytes read for it."""


def _awaited(
    begun: "Iterable[_Begun[Result]]", number: int, *, in_order: bool
) -> "Iterator[_Begun[Result]]":
    """Yield the results in order or as they come, beginning some of them in advance."""
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - slow to load

    waiting: dict[Future[Result], int] = {}
    left = iter(begun)
    while True:
        waiting.update(islice(left, number + 1 - len(waiting)))
        if not waiting:
            return
        first = [next(iter(waiting))]
        done = first if in_order else wait(waiting, return_when=FIRST_COMPLETED).done
        yield from ((one, waiting.pop(one)) for one in done)


def documents_of(options: argparse.Namespace) -> Documents:
    """Return the documents that the options select; without any, it is standard input."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    lists: list[str] = [given["files_from"]] if "files_from" in given else []
    named: str | list[str] = given.get("counts") or given.get("input", [])
    paths = expand_patterns([named] if isinstance(named, str) else named)
    is_unnamed = not given.keys() & {"input", "files_from", "counts", "text", "ids"}
    if is_unnamed:
        paths = [inputs.STANDARD_INPUT]
    for name in lists:
        paths += read_list(name, null=options.null)
    folders: list[Folder] = []
    if "glob" in vars(options):
        pattern, output = given.get("glob"), given.get("output")
        paths, folders = read_folders(paths, pattern, output, parquet="parquet" in given)
    if [*paths, *lists].count(inputs.STANDARD_INPUT) > 1:
        raise Failure("standard input (-) can be read only once; name it once")
    if "parquet" in given:
        with signals_blocked():  # pyarrow starts threads when it is loaded
            parquet.load_pyarrow()
    return Documents(
        odd={},
        skipped=dict.fromkeys(REASONS, 0) if given.get("skip_invalid") else None,
        faults={path: fault for folder in folders for path, fault in folder.faults.items()},
        paths=paths,
        lists=lists,
        folders=folders,
        field=given.get("jsonl"),
        column=given.get("parquet"),
        separator=given.get("document_separator"),
        with_counts="counts" in given,
        text=text_argument(given["text"]) if "text" in given else None,
        is_unnamed=is_unnamed,
    )
