"""The README's moving picture: real merges, whole at every moment, and readable without motion."""

from typing import Final

import pytest

import project_tools
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from generate.merging import SENTENCE, read_merges, replay

MERGES: Final = read_merges()
STEPS: Final = replay(MERGES)


@pytest.mark.parametrize("size", [256, 300, 1000, 256 + len(MERGES)])
def test_the_merges_are_those_of_the_encoder(size: int) -> None:
    """With the first merges of the sample, the picture ends with the ids that bpetite gives."""
    merges = MERGES[: size - 256]
    tokens = replay(merges)[-1].tokens
    ids = Tokenizer._of(Artifact.of_merges(merges)).encode(SENTENCE)
    assert [token.token_id for token in tokens] == ids


def test_the_readme_describes_the_picture() -> None:
    """The text for those who do not see the picture has its numbers."""
    page = (project_tools.ROOT / "README.md").read_text(encoding="utf-8")
    merges, tokens = len(STEPS) - 2, len(STEPS[-1].tokens)
    assert f"![A sentence of {len(SENTENCE)} bytes: {merges} merges, " in page
    assert f", turn it into {tokens} tokens, each with its id](docs/merging.svg)" in page
