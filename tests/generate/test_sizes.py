"""docs/vocabulary-size.md: its pictures and figures."""

import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

PAGE: Final = ROOT / "docs" / "vocabulary-size.md"


def test_the_page_shows_every_picture() -> None:
    """Each picture is on the page with a description, and is small."""
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    text = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^!\[[A-Z][^\]]{20,}\]\(pictures/(.+\.svg)\)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in pictures)
    assert all(path.stat().st_size < 100_000 for path in pictures)


def test_the_page_states_the_measured_figures() -> None:
    """Each figure in the text follows from the committed figures; 6.0 is of another run."""
    page = PAGE.read_text(encoding="utf-8")
    measured = json.loads(PAGE.with_suffix(".json").read_text(encoding="ascii"))
    texts, sizes = measured["texts"], measured["sizes"]
    own = {name: one["bytes per token"][name] for name, one in texts.items()}
    saved = {
        name: {size: 1 - a / b for size, a, b in zip(sizes[1:], found, found[1:], strict=False)}
        for name, found in own.items()
    }
    scripts = [saved[name][65536] for name in ("russian", "chinese", "malayalam")]
    assert max(saved[name][size] for name in ("prose", "code") for size in sizes[6:]) < 0.1
    counted = {
        name: max(256 + merges for merges, count in one["merge counts"] if count >= 100)
        for name, one in texts.items()
    }
    whole = [size for name, size in counted.items() if "-" not in name]
    of_russian = texts["russian"]["bytes per token"]["prose"][-1]
    for words in (
        f"still saves {100 * min(scripts):.1f} to {100 * max(scripts):.1f} %",
        f"instead of {own['malayalam'][-1]:.1f}",
        f"cut prose into {of_russian:.2f} bytes per token",
        f"512 of its own do as well, {own['prose'][sizes.index(512)]:.2f}",
        f"{round(counted['prose-1'], -3):,} tokens for 1 MB",
        f"{round(counted['prose-16'], -3):,} for 14 MB",
        f"and {round(min(whole), -3):,} to {round(max(whole), -3):,} for 54 MB",
    ):
        assert words in page, words


def test_a_text_is_measured(tmp_path: Path) -> None:
    """The script writes figures of the committed form; nine tenths of the text are learned from."""
    text, figures = tmp_path / "text.txt", tmp_path / "figures.json"
    text.write_text("".join(f"low lower {count}\n" for count in range(20_000)), encoding="utf-8")
    script = ROOT / "scripts" / "benchmarks" / "vocabularies.py"
    options = ("--vocab-size", "512", "--pattern", "gpt4", "--json", figures)
    result = run(sys.executable, script, text, *options)
    assert result.returncode == 0, result.stderr
    measured = json.loads(figures.read_text(encoding="ascii"))
    committed = json.loads(PAGE.with_suffix(".json").read_text(encoding="ascii"))
    (one,) = measured["texts"].values()
    assert measured.keys() == committed.keys()
    assert one.keys() == committed["texts"]["prose"].keys()
    held_out = text.stat().st_size - one["bytes learned from"]
    assert one["bytes held out"] == held_out
    assert 0.05 < held_out / text.stat().st_size < 0.1
