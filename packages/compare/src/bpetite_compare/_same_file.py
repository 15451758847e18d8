"""Reject a result that would overwrite its own input."""

import os
from contextlib import suppress

from bpetite._files import quoted


def refuse_the_input(path: str, source: str | os.PathLike[str]) -> None:
    """Reject an output that is also an input: the result could not restore it.

    Raises:
        ValueError: both paths lead to the same file.
    """
    with suppress(OSError):
        if os.path.samefile(path, source):
            message = (
                f"{quoted(path)} is also an input and would be overwritten; choose another output"
            )
            raise ValueError(message)
