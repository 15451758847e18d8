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
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from bpetite import Tokenizer
from bpetite._inner import Artifact, ChunkCounter, CountedPart, quoted, tokenizer_of, write_parts
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, outputs, parquet
from bpetite_cli.io.documents import Documents
from bpetite_cli.jobs import MOST_JOBS_BY_DEFAULT, available_cores, signals_blocked
from bpetite_cli.plugins import Engine, Model, load_engine, load_model
from bpetite_cli.terminal.messages import counted, in_units, report, say
from bpetite_cli.terminal.progress import Bar

if TYPE_CHECKING:
    from concurrent.futures import Future

    from bpetite_cli.jobs.workers import Workers  # loads multiprocessing, which is slow

Item = TypeVar("Item")
Tag = TypeVar("Tag")
Result = TypeVar("Result")
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

_LONG_JOB: Final = 12 * 10**7
"""The number of bytes that bpetite may encode in a minute in one process: 2 to 5 MB a second."""

_SOONER: Final = (
    "note: this may take more than a minute; with `--engine tiktoken`, which bpetite-compare "
    "provides, the same ids take less"
)


class Pipe:
    """The way of documents through a command, with its bar.

    warnings: messages for the end, when no bar is in the way.
    total: the number of bytes to read, or None if it is unknown.
    engine: the name of `encoder`.

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
        self.documents = Documents(options)
        if self.documents.column is not None:
            with signals_blocked():  # pyarrow starts threads when it is loaded
                parquet.load_pyarrow()
        self.options = options
        self.warnings: list[str] = []
        self.engine = "bpetite"
        self._phase = phase
        self._typed = typed or phase
        self._workers: Workers[Any] | None = None
        self.total = self.documents.check()
        if check and self.documents.faults:
            raise Failure(self.documents.all_faults)
        given = vars(options)
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
        return self.load(self.options.model).artifact

    @cached_property
    def encoder(self) -> Tokenizer | Engine:
        """What encodes with this tokenizer: bpetite, or the engine of `--engine`."""
        given = vars(self.options)
        if given.get("engine"):
            engine = load_engine(self.model)
            self.engine = engine.name
            self.warnings.append(f"encoded by {engine.name}")
            return engine
        if "engine" in given and (self.total or 0) > _LONG_JOB * self._jobs:
            say(_SOONER)
        return tokenizer_of(self.model)

    @property
    def _jobs(self) -> int:
        return vars(self.options).get("jobs", 1) or min(available_cores(), MOST_JOBS_BY_DEFAULT)

    def load(self, word: str) -> Model:
        """Return the tokenizer that a word names."""
        return load_model(word, download=self.options.download, notes=self.warnings)

    # The way through

    def begin(self) -> None:
        """Begin to read; if a person types an input, explain how to end it."""
        if inputs.is_typed(self.documents.paths):
            say(f"{self._typed} what you type; Ctrl-D at the start of a line ends it")
        elif inputs.STANDARD_INPUT in self.documents.paths[:1] and not inputs.is_ready():
            say("waiting for standard input, which is a pipe without a byte so far")
        self.bar.begin(self._phase, self.total)

    def passed(self, documents: Iterable[Iterable[tuple[Item, int]]]) -> Iterator[Item]:
        """Yield the blocks of documents; the bar moves when the next one is asked for."""
        for document in documents:
            for block, size in document:
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
        self, counter: ChunkCounter, texts: Iterable[tuple[Tagged[int], int]]
    ) -> Iterator[CountedPart]:
        """Yield the counts of chunks as they come, after `begin`.

        Each process has a copy of the counter.
        """
        yield from self._results(counter, "count", texts, in_order=False)
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
        jobs, worth = self._jobs, 0
        while jobs != 1 and worth < _WORTH_WORKERS and (more := next(batches, None)):
            first.append(more)
            characters = sum(len(text) for batch, _ in first for text, _ in batch)
            worth = max(characters, sum(size for _, size in first))
        batches = chain(first, batches)
        if jobs > 1 and worth >= _WORTH_WORKERS:
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


def load_alone(word: str, *, download: bool) -> Model:
    """Return the tokenizer that a word names, for a command without a pipe."""
    notes: list[str] = []
    with Bar("loading"):
        model = load_model(word, download=download, notes=notes)
    say(*notes)
    return model
