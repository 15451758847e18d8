"""End the command at the first signal, and ignore all later ones.

What is unfinished is undone after the first signal. That takes a moment; another signal in it,
or while the interpreter ends, would leave files or print a traceback. SIGQUIT still ends at once.
"""

import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = ["Ended", "end_at_first_signal", "ignore_signals"]

# Windows has no SIGHUP.
_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Ended(KeyboardInterrupt):
    """A signal asks the command to end.

    number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """Whether the next signal ends the command, and the hook that `_wait_again` replaces."""

    waiting = False
    hook = sys.unraisablehook


def end_at_first_signal() -> None:
    """Make the first signal raise `Ended`; a signal that is ignored, as by `nohup`, stays so."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread handles signals
    _State.waiting = True
    if sys.unraisablehook is not _wait_again:
        _State.hook, sys.unraisablehook = sys.unraisablehook, _wait_again
    for number in _SIGNALS:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _end)


def ignore_signals() -> None:
    """Ignore signals from now on, until the process is gone."""
    if threading.current_thread() is not threading.main_thread():
        return
    _State.waiting = False
    if hasattr(signal, "pthread_sigmask"):
        # Python would print an error if a signal came just before it is ignored.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _end(number: int, _: object) -> None:
    if _State.waiting:
        _State.waiting = False
        raise Ended(number)


def _wait_again(unraisable: "UnraisableHookArgs") -> None:
    """Wait for the next signal if Python has dropped the first, as it does in destructors."""
    if isinstance(unraisable.exc_value, Ended):
        _State.waiting = True
    else:
        _State.hook(unraisable)
