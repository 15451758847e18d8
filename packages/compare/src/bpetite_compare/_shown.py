"""Paths in messages."""

import os
import re
from typing import Final

__all__ = ["shown"]

_PLAIN: Final = re.compile(r"[\w./+@%=~-]+")


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path for a message, in quotes only where it could be misread."""
    name = os.fspath(path)
    return name if _PLAIN.fullmatch(name) else repr(name)
