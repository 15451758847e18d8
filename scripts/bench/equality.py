"""Before anything is timed: the results are equal, or there are no figures.

Merges: those of the slow oracle of the tests, on a sample of each text.
Ids: those of tiktoken with our vocabulary, on the whole of each text, for every library.
Text: what each library decodes from its own ids.

Libraries carry Unicode tables of different years, so a few ids of a text with rare characters
may differ. They are counted and reported; more than a few are an error.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.libraries import PATTERNS, Coder, Vocabulary, load_tiktoken
from bpetite import Tokenizer
from bpetite._constants import PRETOKENIZER_PATTERN
from bpetite._pretokenizer import blocks

FEW: Final = 50
"""How many ids of one text may differ."""

ROOT: Final = Path(__file__).parents[2]

_SAMPLE_CHARACTERS: Final = 10_000
_SAMPLE_VOCAB_SIZE: Final = 400


class UnequalError(Exception):
    """Two results that must be equal differ."""


def check_merges(text: str, folder: Path) -> None:
    """Compare our merges with the oracle's, on the beginning of a text.

    Raises:
        UnequalError: they differ.
    """
    sys.path.append(str(ROOT / "tests"))
    from oracle import train

    path, sample = folder / "sample.json", text[:_SAMPLE_CHARACTERS]
    Tokenizer.train(sample, _SAMPLE_VOCAB_SIZE).save(path, overwrite=True)
    merges = [tuple(pair) for pair in json.loads(path.read_bytes())["merges"]]
    if merges != train([sample], _SAMPLE_VOCAB_SIZE):
        message = "the merges of bpetite differ from the oracle's"
        raise UnequalError(message)


def count_different_ids(name: str, coder: Coder, vocabulary: Vocabulary) -> int:
    """Compare the ids of a library with tiktoken's, and its decoded text with the text.

    Returns:
        How many of the ids differ: a few at most.

    Raises:
        UnequalError: the text differs, or more than a few ids do.
    """
    text = vocabulary.text
    ids = coder.encode(text)
    if coder.decode(ids) != text:
        message = f"{name} does not decode what it encodes"
        raise UnequalError(message)
    tiktoken = load_tiktoken(vocabulary, PATTERNS.get(name, PRETOKENIZER_PATTERN))
    if ids == tiktoken.encode(text):
        return 0
    # No chunk spans two blocks, so in small blocks a difference stays where it is.
    different = sum(
        _count_different(coder.encode(block), tiktoken.encode(block)) for block in blocks(text, 1)
    )
    if not 0 < different <= FEW:
        message = f"{different} ids of {name} differ from tiktoken's"
        raise UnequalError(message)
    return different


def _count_different(ids: Sequence[int], others: Sequence[int]) -> int:
    """Return how many ids one list has and the other lacks, whichever are more."""
    more, less = Counter(ids) - Counter(others), Counter(others) - Counter(ids)
    return max(more.total(), less.total())
