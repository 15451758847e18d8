"""The script that counts the distinct pieces and chunks of a text as it grows."""

import re
from pathlib import Path

import pytest

from benchmarks import distinct
from bpetite._pretokenizer import pretokenize
from project_tools import ROOT

pytestmark = pytest.mark.thorough

SAMPLE = ROOT / "docs" / "sample.txt"


def test_the_last_row_covers_all_texts() -> None:
    """The last row counts the pieces and chunks of all texts, which the test finds separately."""
    texts = [SAMPLE.read_bytes().decode("utf-8"), "one more\n\n text " * 3]
    *_, row = distinct.rows(texts, 1000)
    pieces = {piece for text in texts for piece in re.findall(r"\s*\S+|\s+", text)}
    chunks = {chunk for text in texts for chunk in pretokenize(text)}
    assert row.size == sum(len(text.encode("utf-8")) for text in texts)
    assert row.pieces == len(pieces)
    assert row.chunks == len(chunks)


def test_a_row_for_each_doubling() -> None:
    """A row appears at each doubling of the size, even if almost nothing is new."""
    sizes = [row.size for row in distinct.rows(["ab " * 20, "c " * 30, "d " * 60, "e"], 60)]
    assert sizes == [60, 120, 240]


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints a row in millions of bytes."""
    assert distinct.main([str(SAMPLE)]) == 0
    assert re.search(r"^\| 0 \| [\d,]+ \| 361 \|$", capsys.readouterr().out, re.MULTILINE)


def test_a_missing_file_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line names the file that cannot be read."""
    assert distinct.main([str(tmp_path / "missing")]) == 1
    assert re.fullmatch(r"error: .*missing'\n", capsys.readouterr().err)


def test_the_page_names_the_script() -> None:
    """docs/large-corpora.md shows the command and its table."""
    page = (ROOT / "docs" / "large-corpora.md").read_text(encoding="utf-8")
    assert Path(distinct.__file__).relative_to(ROOT).as_posix() in page
    assert " | distinct pieces | distinct chunks |" in page
