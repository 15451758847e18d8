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
        128 plus the number of the signal that ended it.
    """
    try:
        from bpetite_cli.run import run  # noqa: PLC0415

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - a user's file may shadow any module
        if sys.stderr is not None:
            sys.stderr.write(
                f"error: bpetite cannot start: {error!r}\n"
                "a local file may shadow a Python module; "
                "rename it, or run bpetite from another folder\n"
            )
        return 1
