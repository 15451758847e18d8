"""Share the work on a stream of items among processes, and yield the results in order.

The result does not depend on the number of processes: the batches are always the same.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Self, TypeVar

from bpetite_cli.jobs.signals import signals_blocked

if TYPE_CHECKING:
    from bpetite_cli.jobs.workers import Workers  # loads multiprocessing, which is slow

Item = TypeVar("Item")
Result = TypeVar("Result")

_CHARACTERS_OF_A_BATCH: Final = 1 << 18

_CHARACTERS_OF_AN_ITEM: Final = 64
"""The weight of an item in addition to its text."""

_WORTH_WORKERS: Final = 8 * 10**6
"""The number of bytes to read before workers start; each takes a tenth of a second."""

_AHEAD: Final = 2
"""The number of batches per worker to read ahead."""


class _Batch(NamedTuple, Generic[Item]):
    """Some items, and the number of bytes read for them."""

    items: list[Item]
    read: int


class Sharing(Generic[Item, Result]):
    """Work done by one or more processes, which end with the `with` statement.

    Args:
        work: turns some items into their result; it is pickled for each process.
        jobs: the number of processes. With 1, or for less than 8 MB, this process does the
            work alone.
        length: the number of characters of an item.
    """

    def __init__(
        self,
        work: Callable[[list[Item]], Result],
        jobs: int,
        length: Callable[[Item], int],
    ) -> None:
        self._work = work
        self._jobs = jobs
        self._length = length
        self._read = 0
        self._workers: Workers[list[Item], Result] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            with signals_blocked():
                self._workers.close()

    def read(self, size: int) -> None:
        """Record bytes read for the next item."""
        self._read += size

    def results(self, items: Iterable[Item], advance: Callable[[int], None]) -> Iterator[Result]:
        """Yield the results of batches of items, in order.

        Args:
            items: the items; reading one calls `read` with its bytes.
            advance: called after each result with the number of bytes read for it.

        Raises:
            Failure: a worker was killed.
        """
        batches = self._batches(items)
        first: list[_Batch[Item]] = []
        if self._jobs > 1:
            for batch in batches:
                first.append(batch)
                if self._read >= _WORTH_WORKERS:
                    yield from self._shared(chain(first, batches), advance)
                    return
        for batch in chain(first, batches):
            yield self._work(batch.items)
            advance(batch.read)

    def results_of_each(self, items: list[Item]) -> Iterator[Result]:
        """Yield the result of some items from each process, after all other results."""
        if self._workers is None:
            yield self._work(items)
        else:
            yield from self._workers.ask_each(items)

    def _shared(
        self, batches: Iterable[_Batch[Item]], advance: Callable[[int], None]
    ) -> Iterator[Result]:
        from bpetite_cli.jobs.workers import Workers  # noqa: PLC0415 - loads multiprocessing

        with signals_blocked():  # no signal may come before `__exit__` knows them
            self._workers = workers = Workers(self._work, self._jobs)
        begun = ((workers.submit(batch.items), batch.read) for batch in batches)
        for result, read in _ahead(begun, _AHEAD * self._jobs):
            yield result.result()
            advance(read)

    def _batches(self, items: Iterable[Item]) -> Iterator[_Batch[Item]]:
        before = self._read
        batch: list[Item] = []
        characters = 0
        for item in items:
            batch.append(item)
            characters += self._length(item) + _CHARACTERS_OF_AN_ITEM
            if characters >= _CHARACTERS_OF_A_BATCH:
                yield _Batch(batch, self._read - before)
                before, batch, characters = self._read, [], 0
        if batch or self._read > before:
            yield _Batch(batch, self._read - before)


def _ahead(items: Iterable[Item], number: int) -> Iterator[Item]:
    """Yield the items, taking some of them in advance."""
    taken: deque[Item] = deque()
    for item in items:
        taken.append(item)
        if len(taken) > number:
            yield taken.popleft()
    yield from taken
