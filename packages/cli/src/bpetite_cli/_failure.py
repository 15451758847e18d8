"""The one exception that carries a message for the person at the command line."""

__all__ = ["Failure", "explain", "quoted"]


class Failure(Exception):  # noqa: N818 - a failure of the command, not of the program
    """The command cannot do what was asked; the message says why, and what to do."""


def quoted(path: str) -> str:
    """Return a path as it is shown: quoted, on one line, whatever is in it."""
    return repr(path)


def explain(error: OSError | ValueError | KeyError) -> str:
    """Return an error of the core or of the system as one line."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{quoted(str(error.filename))}: " if error.filename is not None else ""
        return f"{place}{error.strerror}"
    if isinstance(error, KeyError):
        return str(error.args[0])  # `str` of a KeyError puts quotes around it
    return str(error)
