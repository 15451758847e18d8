"""Refuse to write a result over its own input."""

import os
from contextlib import suppress

from bpetite._files import quoted

__all__ = ["refuse_the_input"]


def refuse_the_input(path: str, source: str | os.PathLike[str]) -> None:
    """Refuse to write over the file that is read: it could not be had back from the result.

    Raises:
        ValueError: the path is that of the source, by whatever name.
    """
    with suppress(OSError):
        if os.path.samefile(path, source):
            message = f"{quoted(path)} is also an input and would be lost; name another output"
            raise ValueError(message)
