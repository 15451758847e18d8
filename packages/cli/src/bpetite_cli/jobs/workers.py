"""Worker processes that do one task at a time each.

A worker is a spawned process with its own pipe; a thread in this process sends it a task and
waits for the result. Each side notices at once when the other is killed, even in the middle
of a result. (The processes of `concurrent.futures` share one pipe for results: if one is
killed while it writes, the others wait forever.)
"""

import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from bpetite_cli.errors import Failure
from bpetite_cli.jobs.signals import signals_blocked

if TYPE_CHECKING:
    from multiprocessing.connection import _ConnectionBase as Connection

Task = TypeVar("Task")
Result = TypeVar("Result")

_SPAWN: Final = get_context("spawn")


class Workers(Generic[Task, Result]):
    """Processes that start with this object and end with `close`.

    Args:
        work: the function to run; it is pickled once for each process.
        number: the number of processes.
    """

    def __init__(self, work: Callable[[Task], Result], number: int) -> None:
        self._workers: list[_Worker[Task, Result]] = []
        self._idle: SimpleQueue[_Worker[Task, Result]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number)
        try:
            with signals_blocked():  # in the workers: this process handles them
                if sys.platform != "win32":
                    resource_tracker.ensure_running()  # otherwise the first process would start it
                with signals_blocked():  # starting it unblocks some of them
                    for _ in range(number):
                        self._workers.append(_Worker(work))
                        self._idle.put(self._workers[-1])
        except BaseException as error:
            self.close()
            if isinstance(error, BrokenPipeError):
                raise _ended("killed while it started") from None
            if isinstance(error, OSError):
                reason = f"cannot start another process: {error.strerror}"
                raise Failure(f"{reason}; use --jobs 1") from None
            raise

    def submit(self, task: Task) -> "Future[Result]":
        """Run a task as soon as a worker is free.

        The result raises `Failure` if the worker was killed.
        """
        return self._threads.submit(self._do, task)

    def ask_each(self, task: Task) -> "Iterator[Result]":
        """Run a task in every worker after all other tasks, and return the results."""
        return self._threads.map(lambda worker: worker.do(task), self._workers)

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.process.kill()  # it has nothing to undo
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()

    def _do(self, task: Task) -> Result:
        worker = self._idle.get()
        try:
            return worker.do(task)
        finally:
            self._idle.put(worker)


class _Worker(Generic[Task, Result]):
    """One process and the pipe to it."""

    def __init__(self, work: Callable[[Task], Result]) -> None:
        self.pipe, end = _SPAWN.Pipe()
        with end:  # close this copy, so that the pipe ends with the process
            self.process = _SPAWN.Process(target=_serve, args=(end, work), daemon=True)
            self.process.start()

    def do(self, task: Task) -> Result:
        """Send a task and wait for its result."""
        try:
            _send(self.pipe, task)
            result: Result | MemoryError = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            status = self.process.exitcode or 0
            killed = f"killed by {signal.Signals(-status).name}" if status < 0 else ""
            raise _ended(killed or f"exit status {status}") from None
        if isinstance(result, MemoryError):
            raise result
        return result


def _ended(reason: str) -> Failure:
    return Failure(
        f"a worker process ended unexpectedly: {reason}\n"
        "if memory ran out, use fewer processes: --jobs 1"
    )


def _serve(pipe: "Connection", work: Callable[[Task], Result]) -> None:
    """Run the tasks from the pipe until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Windows, Ctrl-C reaches every process
    with suppress(EOFError, OSError):
        while True:
            task: Task = pipe.recv()
            try:
                result: Result | MemoryError = work(task)
            except MemoryError as error:
                result = error
            _send(pipe, result)


def _send(pipe: "Connection", message: object) -> None:
    # With `pipe.send`, or a view of the bytes, CPython 3.13 warns on stderr if the pipe breaks
    # within a message.
    pipe.send_bytes(bytes(ForkingPickler.dumps(message)))
