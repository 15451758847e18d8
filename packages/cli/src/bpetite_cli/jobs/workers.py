"""Processes that do some work, one task at a time each.

A worker is a spawned process with a pipe of its own, and a thread here that sends it a task
and waits for the result. So each side notices at once when the other is killed, even in the
middle of a result. (The processes of `concurrent.futures` share one pipe for their results:
one that is killed while it writes there leaves the others waiting.)
"""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

from bpetite_cli.streams.failure import Failure

__all__ = ["Workers"]

Task = TypeVar("Task")
Result = TypeVar("Result")

_SPAWN: Final = get_context("spawn")


class Workers(Generic[Task, Result]):
    """Processes that start when this is made, and end with `close`.

    Args:
        work: what they do; it is sent to each of them once, by pickle.
        number: how many there are.
    """

    def __init__(self, work: Callable[[Task], Result], number: int) -> None:
        self._workers: list[_Worker[Task, Result]] = []
        self._idle: SimpleQueue[_Worker[Task, Result]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number)
        try:
            with _signals_blocked():
                for _ in range(number):
                    self._workers.append(_Worker(work))
                    self._idle.put(self._workers[-1])
        except OSError as error:
            self.close()
            message = f"another process cannot be started: {error.strerror}; use --jobs 1"
            raise Failure(message) from None
        except BaseException:
            self.close()
            raise

    def submit(self, task: Task) -> "Future[Result]":
        """Have a task done as soon as a worker is free.

        The result raises `Failure` if the worker has been killed.
        """
        return self._threads.submit(self._do, task)

    def ask_each(self, task: Task) -> "Iterator[Result]":
        """Have every worker do a task, when all others are done; yield their results."""
        results = [self._threads.submit(worker.do, task) for worker in self._workers]
        yield from (result.result() for result in results)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _do(self, task: Task) -> Result:
        worker = self._idle.get()
        try:
            return worker.do(task)
        finally:
            self._idle.put(worker)


class _Worker(Generic[Task, Result]):
    """One process, and the pipe to it."""

    def __init__(self, work: Callable[[Task], Result]) -> None:
        self._pipe, end = _SPAWN.Pipe()
        with end:  # closed here, so that the pipe ends with the process
            self._process = _SPAWN.Process(target=_serve, args=(end, work), daemon=True)
            self._process.start()

    def do(self, task: Task) -> Result:
        """Send a task and wait for its result."""
        try:
            _send(self._pipe, task)
            result: Result | MemoryError = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            message = (
                f"a process of this job has ended before its work: {self._reason()}\n"
                "if memory ran out, fewer processes need less of it: --jobs 1"
            )
            raise Failure(message) from None
        if isinstance(result, MemoryError):
            raise result
        return result

    def kill(self) -> None:
        """End the process at once; it has nothing to undo."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the end of a process that was killed."""
        self._process.join()
        self._pipe.close()

    def _reason(self) -> str:
        status = self._process.exitcode
        if status is None or status >= 0:
            return f"exit status {status}"
        return f"killed by {signal.Signals(-status).name}"


def _serve(pipe: Connection, work: Callable[[Task], Result]) -> None:
    """Do what comes through the pipe, until it ends."""
    with suppress(EOFError, OSError):
        while True:
            task: Task = pipe.recv()
            try:
                result: Result | MemoryError = work(task)
            except MemoryError as error:
                result = error
            _send(pipe, result)


def _send(pipe: Connection, message: object) -> None:
    # With `pipe.send`, CPython 3.13 warns on stderr if the pipe breaks within a message.
    pipe.send_bytes(bytes(ForkingPickler.dumps(message)))


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Have the processes that start here leave signals to this one, which ends them.

    A process inherits the signals that are blocked. They reach this one afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        resource_tracker.ensure_running()  # the first process starts it otherwise
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # starting it unblocks some of them
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
