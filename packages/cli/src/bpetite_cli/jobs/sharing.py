"""Share the work on a stream of items among processes, and yield the results.

In order, the results do not depend on the number of processes: the batches are always the same.
Results that are only summed up are taken as they come, so no process waits for another.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, Generic, Self, TypeAlias, TypeVar

from bpetite_cli.io.reading import Oddity, Reading
from bpetite_cli.jobs.signals import signals_blocked

if TYPE_CHECKING:
    from concurrent.futures import Future

    from bpetite_cli.jobs.workers import Workers  # loads multiprocessing, which is slow

Item = TypeVar("Item")
Result = TypeVar("Result")

_CHARACTERS_OF_A_BATCH: Final = 1 << 20

_CHARACTERS_OF_AN_ITEM: Final = 64
"""The weight of an item in addition to its text."""

_WORTH_WORKERS: Final = 8 * 10**6
"""The number of bytes to read before workers start; each takes a tenth of a second.

Of compressed text, this many characters are enough.
"""

_AHEAD: Final = 2
"""The number of batches per worker to read ahead."""

_Batch: TypeAlias = tuple[list[Item], int]
"""Some items, and the number of bytes read for them."""


@dataclass(eq=False)
class Sharing(Generic[Item, Result]):
    """Work done by one or more processes, which end with the `with` statement.

    work: turns some items into their result; it is pickled for each process.
    jobs: the number of processes. With 1, or for less than 8 MB, this process does the work alone.
    length: the number of characters of an item.
    reading: gets what is told while items are read: oddities at once, and bytes with the results
        of their items.
    """

    work: Callable[[list[Item]], Result]
    jobs: int
    length: Callable[[Item], int]
    reading: Reading
    _read: int = field(default=0, init=False)
    _characters: int = field(default=0, init=False)
    _workers: "Workers[list[Item], Result] | None" = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            with signals_blocked():
                self._workers.close()

    def advance(self, size: int) -> None:
        """Record bytes read for the next item."""
        self._read += size

    def note(self, name: str, oddity: Oddity) -> None:
        """Pass on that an input is odd."""
        self.reading.note(name, oddity)

    def results(self, items: Iterable[Item], *, in_order: bool = True) -> Iterator[Result]:
        """Yield the results of batches of items.

        Args:
            items: the items; reading one calls `advance` with its bytes.
            in_order: whether results wait for those of earlier items.

        Raises:
            Failure: a worker was killed.
        """
        batches = self._batches(items)
        first: list[_Batch[Item]] = []
        if self.jobs > 1:
            for batch in batches:
                first.append(batch)
                if max(self._read, self._characters) >= _WORTH_WORKERS:
                    yield from self._shared(chain(first, batches), in_order=in_order)
                    return
        for part, read in chain(first, batches):
            yield self.work(part)
            self.reading.advance(read)

    def results_of_each(self, items: list[Item]) -> Iterator[Result]:
        """Yield the result of some items from each process, after all other results."""
        if self._workers is None:
            yield self.work(items)
        else:
            yield from self._workers.ask_each(items)

    def _shared(self, batches: Iterable[_Batch[Item]], *, in_order: bool) -> Iterator[Result]:
        from bpetite_cli.jobs.workers import Workers  # noqa: PLC0415 - loads multiprocessing

        with signals_blocked():  # no signal may come before `__exit__` knows them
            self._workers = workers = Workers(self.work, self.jobs)
        begun = ((workers.submit(items), read) for items, read in batches)
        for result, read in _awaited(begun, _AHEAD * self.jobs, in_order=in_order):
            yield result.result()
            self.reading.advance(read)

    def _batches(self, items: Iterable[Item]) -> Iterator[_Batch[Item]]:
        before = self._read
        batch: list[Item] = []
        characters = 0
        for item in items:
            batch.append(item)
            length = self.length(item)
            self._characters += length
            characters += length + _CHARACTERS_OF_AN_ITEM
            if characters >= _CHARACTERS_OF_A_BATCH:
                yield batch, self._read - before
                before, batch, characters = self._read, [], 0
        if batch or self._read > before:
            yield batch, self._read - before


_Begun: TypeAlias = "tuple[Future[Result], int]"
"""A result that is awaited, and the number of bytes read for it."""


def _awaited(
    begun: "Iterable[_Begun[Result]]", number: int, *, in_order: bool
) -> "Iterator[_Begun[Result]]":
    """Yield the results in order or as they come, beginning some of them in advance."""
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - slow to load

    waiting: dict[Future[Result], int] = {}
    for result, read in begun:
        waiting[result] = read
        if len(waiting) > number:
            first = [next(iter(waiting))]
            done = first if in_order else wait(waiting, return_when=FIRST_COMPLETED).done
            yield from ((one, waiting.pop(one)) for one in done)
    yield from waiting.items()
