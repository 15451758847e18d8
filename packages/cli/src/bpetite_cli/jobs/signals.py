"""Leave signals to the main thread of the first process, which ends all others."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Have the processes and threads that start here leave signals to the main thread.

    They inherit the signals that are blocked; the main thread gets them afterwards. (If
    another thread received a signal, the main thread would not wake from a system call.)
    """
    if sys.platform == "win32":  # it blocks no signals, so workers ignore Ctrl-C
        yield
        return
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
