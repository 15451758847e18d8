"""Safe boundaries: where text may be cut for every pattern."""

from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite._boundaries import blocks, cut_safely
from texts import SEPARATORS, TEXTS, WHITESPACE

BLANK = WHITESPACE + SEPARATORS
LINES = st.text(st.sampled_from("\r\n ab1;/。字'\x1c\u2003")) | TEXTS


def safe_boundaries(text: str) -> list[int]:
    """Return the positions that the three rules allow."""
    return [place for place in range(1, len(text)) if is_safe(text, place)]


def is_safe(text: str, place: int) -> bool:
    earlier, before, after = text[: place - 1][-1:], text[place - 1], text[place]
    if after in "\r\n":
        return before.isascii() and before.isalnum()
    if after in WHITESPACE:
        return before not in BLANK
    return before in "\r\n" and earlier not in [*BLANK, ""] and after not in [*BLANK, "/"]


@given(LINES)
@example("a\n b")
@example("。\n字")
@example("/\n/x")
def test_chunks_of_a_text_are_the_chunks_of_its_parts(text: str) -> None:
    """If a text is cut at any safe boundary, its chunks are those of the two parts."""
    expected = oracle.chunks_of(text)
    for place in safe_boundaries(text):
        assert oracle.chunks_of(text[:place]) + oracle.chunks_of(text[place:]) == expected


@given(LINES, st.integers(1, 12))
@example("ab \x1c \x1c  c", 1)
@example("a\u2003\x1f\u2003b", 1)
def test_a_block_ends_at_the_first_safe_boundary(text: str, size: int) -> None:
    """A block has at least `size` characters, and ends at the next safe boundary."""
    ends = [0]
    for boundary in safe_boundaries(text):
        if boundary >= ends[-1] + size:
            ends.append(boundary)
    starts = [*ends, len(text)]
    expected = [text[start:end] for start, end in zip(ends, starts[1:], strict=True) if start < end]
    assert list(blocks(text, size)) == expected


def test_text_without_a_safe_boundary_is_one_block() -> None:
    """Without a safe boundary, a block continues to the end of the text."""
    for text in ("a" * 5000, " " * 5000, "\x1c " * 2500, "日" * 5000, ";\n/" * 900):
        assert list(blocks(text, 10)) == [text]
        assert list(cut_safely([text, text])) == [text + text]


@given(st.lists(LINES))
def test_a_text_in_parts_is_cut_at_safe_boundaries(texts: list[str]) -> None:
    """The blocks join to the text, none is empty, and all but the last end at safe boundaries."""
    parts = list(cut_safely(filter(None, texts)))
    whole = "".join(texts)
    assert "".join(parts) == whole
    assert all(parts)
    ends = [len("".join(parts[:number])) for number in range(1, len(parts))]
    assert set(ends) <= set(safe_boundaries(whole))


def test_a_long_text_is_never_whole_in_memory() -> None:
    """With boundaries in it, the parts of a text are about as long as the parts that are read."""
    for line in ("a b", "a\t", "字。\n", "x\r", "a\u3000"):
        assert max(map(len, cut_safely([line * 100] * 9))) < len(line) * 102
