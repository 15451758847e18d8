"""The command line of bpetite.

Results go to standard output as bytes; messages and progress go to standard error.
"""

import sys  # only what is already loaded: Ctrl-C during an import would show a traceback

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        arguments: what follows `bpetite` on the command line; by default `sys.argv[1:]`.

    Returns:
        0, or 1 (a failure, reported on standard error), 2 (wrong usage), 130 (interrupted), or
        128 plus the number of the signal that ended it. Afterwards, signals are ignored: the
        process is about to end.
    """
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt as end:  # while modules are loaded
        from bpetite_cli.ending import ignore_signals  # noqa: PLC0415

        ignore_signals()
        status = 128 + getattr(end, "number", 2)
    return status


def _run(arguments: list[str]) -> int:
    try:
        from bpetite_cli.ending import end_at_first_signal, ignore_signals  # noqa: PLC0415

        end_at_first_signal()
        from bpetite_cli.run import run  # noqa: PLC0415

        status = run(arguments)
        ignore_signals()
    except Exception as error:  # noqa: BLE001 - a user's file may shadow any module
        if sys.stderr is not None:
            sys.stderr.write(
                f"error: bpetite cannot start: {error!r}\n"
                "a local file may shadow a Python module; "
                "rename it, or run bpetite from another folder\n"
            )
        return 1
    return status
