"""Worker processes with a copy of an object each, of which they call one method at a time.

A worker is a spawned process with its own pipe; a thread in this process sends it a task and
waits for the result. Each side notices at once when the other is killed, even in the middle
of a result. (The processes of `concurrent.futures` share one pipe for results: if one is
killed while it writes, the others wait forever.)
"""

import signal
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from bpetite_cli.errors import Failure
from bpetite_cli.jobs import signals_blocked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import _ConnectionBase as Connection

Result = TypeVar("Result")

_SPAWN: Final = get_context("spawn")


class Workers(Generic[Result]):
    """Processes that start with this object and end with `close`.

    Args:
        target: the object, or function, to call; it is pickled once for each process.
        number: the number of processes.
    """

    def __init__(self, target: object, number: int) -> None:
        self._workers: list[_Worker[Result]] = []
        self._idle: SimpleQueue[_Worker[Result]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number)
        try:
            with signals_blocked():  # in the workers: this process handles them
                if sys.platform != "win32":
                    resource_tracker.ensure_running()  # otherwise the first process would start it
                with signals_blocked():  # starting it unblocks some of them
                    for _ in range(number):
                        self._workers.append(_Worker(target))
                        self._idle.put(self._workers[-1])
        except BaseException as error:
            self.close()
            if isinstance(error, BrokenPipeError):
                raise _ended("killed while it started") from None
            if isinstance(error, OSError):
                reason = f"cannot start another process: {error.strerror}"
                raise Failure(f"{reason}; use --jobs 1") from None
            raise

    def submit(self, method: str, *arguments: object) -> "Future[Result]":
        """Call a method as soon as a worker is free.

        The result raises `Failure` if the worker was killed.
        """
        return self._threads.submit(self._call, method, *arguments)

    def call_each(self, method: str) -> "Iterator[Result]":
        """Call a method in every worker after all other calls, and return the results."""
        return self._threads.map(lambda worker: worker.call(method), self._workers)

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.process.kill()  # it has nothing to undo
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()

    def _call(self, method: str, *arguments: object) -> Result:
        worker = self._idle.get()
        try:
            return worker.call(method, *arguments)
        finally:
            self._idle.put(worker)


class _Worker(Generic[Result]):
    """One process and the pipe to it."""

    def __init__(self, target: object) -> None:
        self.pipe, end = _SPAWN.Pipe()
        with end:  # close this copy, so that the pipe ends with the process
            self.process = _SPAWN.Process(target=_serve, args=(end, target), daemon=True)
            self.process.start()

    def call(self, method: str, *arguments: object) -> Result:
        """Call a method there and wait for its result."""
        try:
            _send(self.pipe, (method, arguments))
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


def _serve(pipe: "Connection", target: object) -> None:
    """Call the methods that the pipe names until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Windows, Ctrl-C reaches every process
    with suppress(EOFError, OSError):
        while True:
            method, arguments = pipe.recv()
            try:
                result: object = getattr(target, method)(*arguments)
            except MemoryError as error:  # other errors of a function are bugs
                result = error
            _send(pipe, result)


def _send(pipe: "Connection", message: object) -> None:
    # With `pipe.send`, or a view of the bytes, CPython 3.13 warns on stderr if the pipe breaks
    # within a message.
    pipe.send_bytes(bytes(ForkingPickler.dumps(message)))
