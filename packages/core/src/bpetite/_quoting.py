"""Quote paths for messages."""

import os
import re
import sys
from typing import Final

_PLAIN: Final = re.compile(r"[\w./+@%=~-]+")


def quoted(path: str | os.PathLike[str]) -> str:
    """Return a path for a message: on one line, and in quotes only if it could be misread."""
    name = os.fspath(path)
    if _PLAIN.fullmatch(name):
        return name
    # On Windows, a backslash separates folders; `repr` writes it twice.
    return repr(name).replace(r"\\", "\\") if sys.platform == "win32" else repr(name)
