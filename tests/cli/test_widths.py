"""Rows fit the screen in cells, whatever the script, and show a part of each token."""

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from cli_tools import bpetite, shown_in_terminal, terminal_width

pytestmark = pytest.mark.posix

TEXT: Final = (
    "한국어형태소분석은 हिन्दी में देवनागरीलिपि 👩‍👩‍👧 👍🏽👍🏽 🇰🇷🇫🇷 cafe\u0301\u0301 e\u0301 "
    "船夫说船夫说船夫说 ที่นี่ internationalisation "
)
SPECIAL: Final = [f"<|船夫说船夫说船夫说{number}|>" for number in range(30)]
COLOR: Final = re.compile(r"\x1b\[[\d;]*m")
ROWS: Final = {
    "chunks text": r" *[\d,]+  (.*)",
    "chunks --counts many": r" *[\d,]+  (.*)",
    "count -m m --by-token text": r" *\d+  (.*)",
    "count -m chat --by-token text": r" *\d+  (.*)",
    "inspect -m m": r"  (?!\d+ single|and )(\S.*)",
    "inspect -m chat": r"  (?!\d+ single|and )(\S.*)",
    "inspect -m chat --tokens": r" *\d+  (.*)",
    "inspect -m m --tokens": r" *\d+  (.*)",
    "inspect -m m --token-text ' internationalisation'": r"(.*)  id \d+.*",
    "inspect -m m --token-text 한국어형태소분석은": r"(.*)  id \d+.*",
    "show -m m text": r"(.*)",
    "show -m chat text": r"(.*)",
}
"""Commands that print rows, each with what a row looks like and the place of its token."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("widths")
    (folder / "text").write_text(f"{TEXT}{SPECIAL[0]}" * 20, encoding="utf-8")
    (folder / "many").write_text(f'{{"text": "{TEXT}", "count": 12345678}}', encoding="utf-8")
    words = ("train", "text", "--vocab-size", "999", "--output")
    assert bpetite(*words, "m", cwd=folder).returncode == 0
    own = ("--pattern", "gpt4", "--special", *SPECIAL)
    assert bpetite(*words, "chat", *own, cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("columns", [16, 28, 80, 200])
@pytest.mark.parametrize("words", ROWS)
def test_rows_fit(files: Path, words: str, columns: int) -> None:
    """No row is wider than the screen, and none hides its token; `show` fills the rows."""
    status, shown = shown_in_terminal(shlex.split(words), files, columns=columns)
    assert status == 0
    lines = COLOR.sub("", shown).splitlines()
    rows = [found for line in lines if (found := re.fullmatch(ROWS[words], line))]
    assert len(rows) >= 10
    for row in rows[:-1] if words.startswith("show") else rows:
        assert terminal_width(row[0]) <= columns
        assert row[1].rstrip() != "…" or words.startswith("show")
    if words.startswith("show"):
        assert max(terminal_width(row[0]) for row in rows[:-1]) > columns - 12


@pytest.mark.parametrize("columns", [16, 60, 80])
@pytest.mark.parametrize("model", ["m", "chat"])
def test_descriptions_of_steps_are_aligned(files: Path, model: str, columns: int) -> None:
    """A description beside the tokens begins in the same cell in each line, and fits."""
    words = ["show", "-m", model, "--steps", "--text", "한 하 船 🇰 e\u0301 प"]
    _, shown = shown_in_terminal(words, files, columns=columns)
    assert shown.startswith("pattern gpt4\n\n" if model == "chat" else "pattern gpt2\n\n")
    found = 0
    for chunk in COLOR.sub("", shown).split("\n\n"):
        beside = re.findall(r"(?m)^(  \S.*  )((?:bytes|rank) .*)$", chunk)
        assert len({terminal_width(begin) for begin, _ in beside}) <= 1
        assert all(terminal_width(begin + end) <= columns for begin, end in beside)
        found += len(beside)
    assert found or columns == 16
