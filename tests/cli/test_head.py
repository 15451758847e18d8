"""`bpetite head`: the first tokens of a text."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import texts
from artifacts import artifact_with, canonical, write_artifact
from bpetite import Tokenizer
from cli_tools import call, pipeline, printed, refusal, shown_in_terminal, tuned

SPACES: Final = " " * 3
QUOTED: Final = artifact_with([(39, 108)])
"""A merge of an apostrophe and l, which are one chunk only in 'll."""


def whole(token: bytes) -> dict[str, object]:
    """Return a tokenizer with one whole token."""
    content = artifact_with([]) | {"schema_version": 3, "special_tokens": {}}
    vocab = {str(byte): [byte] for byte in range(256)} | {"256": list(token)}
    return content | {"mergeable_vocab_size": 257, "vocab": vocab}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("most", "begin", "told"),
    [
        (0, "", "cut after 0 tokens, 0 bytes"),
        (2, "Hello world", "cut after 2 tokens, 11 bytes"),
        (5, "Hello world, hello words", "cut after 5 tokens, 24 bytes"),
    ],
)
def test_what_was_cut_is_told(most: int, begin: str, told: str) -> None:
    """Standard output has the text alone, standard error whether it goes on, unless `--quiet`."""
    result = call(f"head -m m.json --tokens {most} a.txt")
    assert (result.returncode, result.stdout.decode(), result.told) == (0, begin, [told])
