"""Values and paths in messages."""

import os
import re
import sys
from reprlib import Repr
from typing import Final

_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 40
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 2
_PLAIN: Final = re.compile(r"[\w./+@%=~-]+")


def quoted(path: str | os.PathLike[str]) -> str:
    """Return a path for a message: on one line, and in quotes only if it could be misread."""
    name = os.fspath(path)
    if _PLAIN.fullmatch(name):
        return name
    # On Windows, a backslash separates folders; `repr` writes it twice.
    return repr(name).replace(r"\\", "\\") if sys.platform == "win32" else repr(name)


def shortened(value: object) -> str:
    """Return a value for a message."""
    return _SHORT.repr(value)
