"""The blocks in which the comparison reads files."""

from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpetite import _boundaries
from bpetite._boundaries import cut_safely
from bpetite_compare import _text
from bpetite_compare._text import blocks
from compare_tools import PATTERNS

WHITESPACE = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
PARTS = st.lists(
    st.text(
        st.sampled_from(WHITESPACE + "ab1'!/.sS船⛵") | st.characters(codec="utf-8"), min_size=1
    )
)


def chunks(pattern: str, text: str) -> list[str]:
    return [match[0] for match in regex.finditer(pattern, text)]


@pytest.mark.parametrize("name", PATTERNS)
@given(PARTS)
def test_every_pattern_cuts_where_a_block_ends(name: str, parts: list[str]) -> None:
    """The chunks of the blocks are the chunks of the text, however small the blocks are."""
    pattern, text = PATTERNS[name], "".join(parts)
    for cut in (cut_safely(parts), _boundaries.blocks(text, 1)):
        assert [chunk for block in cut for chunk in chunks(pattern, block)] == chunks(pattern, text)


@pytest.mark.parametrize("size", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff", "0xff at offset 0"),
        (b"abc \xe9t\xe9", "0xe9 at offset 4"),
        ("日本".encode() + b"\xe6\x97", "0xe6 at offset 6"),
        (b"a \xed\xa0\x80", "0xed at offset 2"),
    ],
)
def test_invalid_utf_8_is_located(
    data: bytes, place: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error gives a wrong byte's offset in the file, wherever a read ends."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", size)
    path = tmp_path / "text"
    path.write_bytes(data)
    message = rf"{path} is not UTF-8: byte {place};"
    with pytest.raises(ValueError, match=message):
        list(blocks(path))
