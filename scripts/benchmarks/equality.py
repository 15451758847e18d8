"""Compare results before anything is timed: if they differ, there are no figures.

Ids: each library's compared with tiktoken's on each whole text, using our vocabulary.
Text: each library must decode its ids to the text.

Libraries have Unicode tables of different years, so a few ids of a text with rare characters
may differ. They are counted and reported; more than a few are an error.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final

from benchmarks.libraries import Coder, Documents

_FEW: Final = 50


class BenchError(Exception):
    """A job failed, or two results that must be equal differ."""


def count_different_ids(name: str, coder: Coder, documents: Documents, right: Sequence[int]) -> int:
    """Compare a library's ids and its decoded text; return how many ids differ."""
    ids = coder.encode_all(documents)
    if any(map(str.__ne__, map(coder.decode, ids), documents)):
        message = f"{name} does not decode what it encodes"
        raise BenchError(message)
    found = list(chain.from_iterable(ids))
    if found == list(right):
        return 0
    more, less = Counter(found) - Counter(right), Counter(right) - Counter(found)
    different = max(more.total(), less.total())
    if not 0 < different <= _FEW:
        message = f"{different} ids of {name} differ from tiktoken's"
        raise BenchError(message)
    return different
