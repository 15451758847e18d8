"""The script that counts the distinct pieces and chunks of a text as it grows."""

import re

import pytest

from benchmarks import distinct
from bpetite._pretokenizer import pretokenize
from project_tools import ROOT

pytestmark = pytest.mark.thorough


def test_there_is_a_row_for_each_doubling_and_for_the_whole() -> None:
    """The last row counts the pieces and chunks of all texts, which the test finds separately."""
    sample = (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")
    texts = [sample, "one more\n\n text " * 3]
    *_, row = distinct.rows(texts, 1000)
    pieces = {piece for text in texts for piece in re.findall(r"\s*\S+|\s+", text)}
    chunks = {chunk for text in texts for chunk in pretokenize(text)}
    assert row == (sum(len(text.encode("utf-8")) for text in texts), len(pieces), len(chunks))
    sizes = [row[0] for row in distinct.rows(["ab " * 20, "c " * 30, "d " * 60, "e"], 60)]
    assert sizes == [60, 120, 240]
