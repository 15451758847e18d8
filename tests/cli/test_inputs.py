"""The blocks that files are read in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite._pretokenizer import cut_safely, pretokenize

WHITESPACE = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
TEXTS = st.lists(st.text(st.sampled_from(WHITESPACE + "ab1'!船⛵") | st.characters(codec="utf-8")))


@given(TEXTS)
def test_blocks_join_to_the_text(texts: list[str]) -> None:
    """Nothing is lost, added or moved, and no block is empty."""
    blocks = list(cut_safely(filter(None, texts)))
    assert "".join(blocks) == "".join(texts)
    assert all(blocks)


@given(TEXTS)
def test_blocks_have_the_chunks_of_the_text(texts: list[str]) -> None:
    """A block ends only where a chunk of the whole text ends."""
    chunks = [chunk for block in cut_safely(filter(None, texts)) for chunk in pretokenize(block)]
    assert chunks == pretokenize("".join(texts))


def test_blocks_are_cut_when_possible() -> None:
    """A text of words is not kept in memory until its end."""
    texts = ["one two", " three", "four five "]
    assert list(cut_safely(texts)) == ["one", " two", " threefour five", " "]


@pytest.mark.parametrize("space", " \n\t\r\f\v")
def test_blocks_end_at_any_common_whitespace(space: str) -> None:
    """A file of lines or columns is cut, whatever whitespace separates them."""
    assert list(cut_safely([f"a{space}b"] * 3)) == ["a", f"{space}ba", f"{space}ba", f"{space}b"]
