"""docs/pictures.md and docs/vocabulary-size.md: their pictures, figures and commands."""

import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from pages import blocks
from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

PAGE: Final = ROOT / "docs" / "pictures.md"
ON_SIZES: Final = ROOT / "docs" / "vocabulary-size.md"


def test_the_page_shows_every_picture() -> None:
    """Each picture is on one of the pages with a description, and is small."""
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    text = PAGE.read_text(encoding="utf-8") + ON_SIZES.read_text(encoding="utf-8")
    shown = re.findall(r"^!\[[A-Z][^\]]{20,}\]\(pictures/(.+\.svg)\)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in pictures)
    assert all(path.stat().st_size < 100_000 for path in pictures)


def test_the_text_states_the_measured_figures() -> None:
    """Each figure in the text of the page follows from the committed figures."""
    page = PAGE.read_text(encoding="utf-8")
    measured = json.loads((ROOT / "docs" / "pictures.json").read_text(encoding="ascii"))
    prose, code, many = (measured["texts"][name] for name in ("prose", "code", "multilingual"))
    at = {size: place for place, size in enumerate(measured["sizes"])}
    other = many["bytes per token"]["multilingual"]
    used = code["held-out text"]["lengths"]
    learned = 256 + sum(code["vocabulary"]["lengths"].values())
    assert sum(code["vocabulary"]["classes"][name] for name in ("punctuation", "whitespace")) < 1000
    for words in (
        f"at {learned:,} tokens no pair is left",
        f"gives {prose['bytes per token']['multilingual'][-1]:.2f} bytes per token",
        f"less than the {other[at[512]]:.2f} that 512 tokens",
        f"{100 * used['1'] / sum(used.values()):.0f}% are single bytes",
    ):
        assert words in page, words


def test_the_page_on_sizes_states_the_measured_figures() -> None:
    """The same for the page on vocabulary sizes; 6.0 is of another run, with `gpt4`."""
    page = ON_SIZES.read_text(encoding="utf-8")
    measured = json.loads(ON_SIZES.with_suffix(".json").read_text(encoding="ascii"))
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
    for words in (
        f"still saves {100 * min(scripts):.1f} to {100 * max(scripts):.1f} %",
        f"instead of {own['malayalam'][-1]:.1f}",
        f"{round(counted['prose-1'], -3):,} tokens for 1 MB",
        f"{round(counted['prose-16'], -3):,} for 14 MB",
        f"and {round(min(whole), -3):,} to {round(max(whole), -3):,} for 54 MB",
    ):
        assert words in page, words


def test_the_page_draws_texts_of_your_own(tmp_path: Path) -> None:
    """Its commands, on one text, write a page and pictures in a folder of their own."""
    committed = (ROOT / "docs" / "pictures.json").read_bytes()
    text = tmp_path / "my $text$.txt"
    text.write_text("".join(f"low lower {count}\n" for count in range(20_000)), encoding="utf-8")
    ((_, commands),) = blocks(PAGE.read_text("utf-8"), "sh")
    for line in commands.splitlines():
        words = re.sub(r"^uv run .*?python ", "", line).replace("mine", str(tmp_path / "mine"))
        given = [text if word == "FILE..." else word for word in words.split()]
        result = run(sys.executable, *given, cwd=ROOT)
        assert result.returncode == 0, result.stderr
    page = (tmp_path / "mine" / "pictures.md").read_text(encoding="utf-8")
    assert "| tokens | my $text$ |" in page
    assert "prose" not in page
    shown = re.findall(r"\]\((pictures/.+\.svg)\)", page)
    drawn = [(tmp_path / "mine" / name).read_text(encoding="utf-8") for name in shown]
    assert len(drawn) == 4
    assert all("my $text$" in svg for svg in drawn)
    assert (ROOT / "docs" / "pictures.json").read_bytes() == committed
