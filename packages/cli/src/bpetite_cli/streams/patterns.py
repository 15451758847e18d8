"""Replace patterns such as `*.txt` by the files that match, on Windows, where no shell does it."""

import os
import sys
from collections.abc import Iterable

from bpetite._files import quoted
from bpetite_cli.streams.failure import Failure


def expand_patterns(words: Iterable[str]) -> list[str]:
    """Return the paths that the words name, in the order of the words and then by name."""
    if sys.platform != "win32":
        return list(words)
    return [path for word in words for path in _paths(word)]


def _paths(word: str) -> list[str]:
    from glob import glob  # noqa: PLC0415 - only Windows needs it

    if not {"*", "?"} & set(word) or os.path.lexists(word):
        return [word]
    if found := sorted(glob(word.replace("[", "[[]"))):  # brackets are no pattern there
        return found
    message = f"no file matches {quoted(word)}; check the pattern"
    raise Failure(message)
