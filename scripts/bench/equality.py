"""Before anything is timed: the results are equal, or there are no figures.

Merges: those of the slow oracle of the tests, on the beginning of each text.
Ids: those of tiktoken with our vocabulary, on the whole of each text, for every library.
Text: what each library decodes from its own ids.

Libraries carry Unicode tables of different years, so a few ids of a text with rare characters
may differ. They are counted and reported; more than a few are an error.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from bench.libraries import Coder, Documents
from bpetite._trainer import train_bpe

FEW: Final = 50
"""How many ids of one text may differ."""

_SAMPLE_CHARACTERS: Final = 10_000
_SAMPLE_VOCAB_SIZE: Final = 400


class UnequalError(Exception):
    """Two results that must be equal differ."""


def check_merges(text: str) -> None:
    """Compare our merges with the oracle's, on the beginning of a text.

    Raises:
        UnequalError: they differ.
    """
    sys.path.append(str(Path(__file__).parents[2] / "tests"))
    from oracle import train

    sample = text[:_SAMPLE_CHARACTERS]
    merges = train_bpe(sample, _SAMPLE_VOCAB_SIZE).merges
    if list(merges) != train([sample], _SAMPLE_VOCAB_SIZE):
        message = "the merges of bpetite differ from the oracle's"
        raise UnequalError(message)


def count_different_ids(name: str, coder: Coder, documents: Documents, right: Sequence[int]) -> int:
    """Compare a library's ids with the right ones, and its decoded text with the documents.

    Returns:
        How many of the ids differ: a few at most.

    Raises:
        UnequalError: the text differs, or more than a few ids do.
    """
    ids = coder.encode_all(documents)
    if any(map(str.__ne__, map(coder.decode, ids), documents)):
        message = f"{name} does not decode what it encodes"
        raise UnequalError(message)
    found = list(chain.from_iterable(ids))
    if found == list(right):
        return 0
    more, less = Counter(found) - Counter(right), Counter(right) - Counter(found)
    different = max(more.total(), less.total())
    if not 0 < different <= FEW:
        message = f"{different} ids of {name} differ from tiktoken's"
        raise UnequalError(message)
    return different
