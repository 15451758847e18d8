"""docs/vocabulary-size.md: its picture and figures."""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

PAGE: Final = ROOT / "docs" / "vocabulary-size.md"
YOUR_OWN: Final = ROOT / "docs" / "your-own.md"
COMMITTED: Final = json.loads(PAGE.with_suffix(".json").read_text(encoding="ascii"))


def test_the_page_states_the_measured_figures() -> None:
    """Each figure in the text follows from the committed figures; 6.0 is of another run."""
    page = PAGE.read_text(encoding="utf-8") + YOUR_OWN.read_text(encoding="utf-8")
    texts, sizes = COMMITTED["texts"], COMMITTED["sizes"]
    own = {name: one["bytes per token"][name] for name, one in texts.items()}
    saved = {name: [1 - a / b for a, b in pairwise(found)] for name, found in own.items()}
    scripts = [100 * saved[name][-1] for name in ("russian", "chinese", "malayalam")]
    assert max(*saved["prose"][5:], *saved["code"][5:]) < 0.1
    counted = {
        name: round(max(256 + n for n, count in one["merge counts"] if count >= 100), -3)
        for name, one in texts.items()
    }
    whole = [size for name, size in counted.items() if "-" not in name]
    for words in (
        "](pictures/vocabulary-size.svg)",
        f"no doubling beyond {sizes[5]:,} tokens saves a tenth",
        f"still saves {min(scripts):.1f} to {max(scripts):.1f} %",
        f"instead of {own['malayalam'][-1]:.1f}",
        f"cut prose into {texts['russian']['bytes per token']['prose'][-1]:.2f} bytes per token",
        f"512 of its own do as well, {own['prose'][sizes.index(512)]:.2f}",
        f"| 1 MB | {counted['prose-1']:,} |",
        f"| 14 MB | {counted['prose-16']:,} |",
        f"| 54 MB | {min(whole):,} to {max(whole):,} |",
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
    (one,) = measured["texts"].values()
    assert measured.keys() == COMMITTED.keys()
    assert one.keys() == COMMITTED["texts"]["prose"].keys()
    held_out = text.stat().st_size - one["bytes learned from"]
    assert one["bytes held out"] == held_out
    assert 0.05 < held_out / text.stat().st_size < 0.1
