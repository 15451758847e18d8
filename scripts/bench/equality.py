"""Before anything is timed: the results are equal, or there are no figures.

Merges: those of the slow oracle of the tests, on a sample of each text.
Ids: those of tiktoken with our vocabulary, on the whole of each text, by every coder.
Text: what every coder makes of its own ids.

Which characters are letters or numbers is decided by the Unicode tables of `regex` here
and of each peer there, and they are of different years. So a few ids of a text with rare
characters may differ; they are counted and reported, and more than a few are an error.
"""

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from coders import Coder, Tiktoken, TiktokenCl100k
from corpora import Corpus, blocks
from machine import ROOT
from ours import Artifact, train_artifact

FEW: Final = 50
"""How many ids of one text may differ."""

_SAMPLE_CHARACTERS: Final = 10_000
_SAMPLE_VOCAB_SIZE: Final = 400

_Merges = list[tuple[int, int]]


class UnequalError(Exception):
    """Two results that must be equal are not."""


def check_merges(corpus: Corpus, folder: Path) -> None:
    """Hold our merges to the oracle's, on the beginning of a text."""
    sample = corpus.prefix(_SAMPLE_CHARACTERS)
    ours = train_artifact(sample, folder, _SAMPLE_VOCAB_SIZE).merges
    if ours != _oracle()([sample.text], _SAMPLE_VOCAB_SIZE):
        message = f"{sample.name}: the merges of bpetite are not those of the oracle"
        raise UnequalError(message)


def _oracle() -> Callable[[Iterable[str], int], _Merges]:
    """Return the training of the tests' oracle, a file that is in no package."""
    spec = importlib.util.spec_from_file_location("oracle", ROOT / "tests" / "oracle.py")
    if spec is None or spec.loader is None:
        message = "tests/oracle.py is not there; run the benchmark in a clone"
        raise UnequalError(message)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    train: Callable[[Iterable[str], int], _Merges] = module.train
    return train


def differing_ids(maker: type[Coder], artifact: Artifact) -> int:
    """Hold the ids of a coder to tiktoken's, and its text to the text.

    Returns:
        How many of the ids differ, a few at most.
    """
    text = artifact.corpus.text
    coder = maker(artifact)
    ids = coder.encode(text)
    if coder.decode(ids) != text:
        message = f"{artifact.corpus.name}: {maker.name} does not decode what it encodes"
        raise UnequalError(message)
    reference = (Tiktoken if maker.pattern == Tiktoken.pattern else TiktokenCl100k)(artifact)
    if ids == reference.encode(text):
        return 0
    # No chunk spans two blocks, so in small blocks a difference stays where it is.
    differing = sum(
        _differing(coder.encode(block), reference.encode(block)) for block in blocks(text, 1)
    )
    if not 0 < differing <= FEW:
        message = f"{artifact.corpus.name}: {differing} ids of {maker.name} are not tiktoken's"
        raise UnequalError(message)
    return differing


def _differing(ids: Sequence[int], others: Sequence[int]) -> int:
    """Return how many ids one list has and the other has not, whichever are more."""
    more, less = Counter(ids) - Counter(others), Counter(others) - Counter(ids)
    return max(more.total(), less.total())
