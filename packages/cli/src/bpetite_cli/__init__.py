"""The command line of bpetite.

Results go to standard output as bytes; messages and progress go to standard error.

The first signal ends the command, which undoes what is unfinished. Later ones are ignored: they
would leave files, or show a traceback while the interpreter ends. SIGQUIT still ends at once.
"""

import sys

# Only what is already loaded: Ctrl-C during an import would show a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from sys import UnraisableHookArgs
else:
    import _signal

# Windows has no SIGHUP.
_SIGNALS = [
    getattr(_signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(_signal, name)
]


class Ended(KeyboardInterrupt):
    """A signal asks the command to end.

    number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        arguments: what follows `bpetite` on the command line. If there are any, signals are left
            to the caller. By default they are `sys.argv[1:]`, and the process is about to end:
            afterwards, signals are ignored.

    Returns:
        0, or 1 (a failure, reported on standard error), 2 (wrong usage), 130 (interrupted), or
        128 plus the number of the signal that ended it.
    """
    owns_process = arguments is None
    try:
        if owns_process:
            _end_at_first_signal()
        status = _run(sys.argv[1:] if arguments is None else arguments)
        if owns_process:
            _ignore_signals()
    except KeyboardInterrupt as end:  # while modules are loaded
        if owns_process:
            _ignore_signals()
        status = 128 + getattr(end, "number", _signal.SIGINT)
    return status


def _run(arguments: list[str]) -> int:
    try:
        from bpetite_cli.app import run  # noqa: PLC0415

        return run(arguments)
    except Exception as error:  # noqa: BLE001 - a user's file may shadow any module
        advice = (
            "a local file may shadow a Python module; rename it, or run bpetite from another folder"
        )
        # The system's loader has no error number, only these words.
        if isinstance(error, MemoryError) or "failed to map segment" in str(error):
            advice = "there is too little memory; raise its limit, such as that of `ulimit -v`"
        if sys.stderr is not None:
            sys.stderr.write(f"error: bpetite cannot start: {error!r}\n{advice}\n")
        return 1


class _State:
    """Whether the next signal ends the command, and the hook that `_wait_again` replaces."""

    waiting = False
    hook = sys.unraisablehook


def _end_at_first_signal() -> None:
    """Make the first signal raise `Ended`; a signal that is ignored, as by `nohup`, stays so."""
    _State.waiting = True
    try:
        for number in _SIGNALS:
            if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
                _signal.signal(number, _end)
    except ValueError:
        return  # only the main thread handles signals
    if sys.unraisablehook is not _wait_again:
        _State.hook = sys.unraisablehook
        sys.unraisablehook = _wait_again


def _ignore_signals() -> None:
    """Ignore signals from now on, until the process is gone."""
    _State.waiting = False
    try:
        if sys.platform != "win32":
            # Python would print an error if a signal came just before it is ignored.
            _signal.pthread_sigmask(_signal.SIG_BLOCK, _SIGNALS)
        for number in _SIGNALS:
            _signal.signal(number, _signal.SIG_IGN)
    except ValueError:
        return  # in another thread


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
