"""docs/pictures.md: it shows every picture, its text is right, and texts can be measured."""

import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

PAGE: Final = ROOT / "docs" / "pictures.md"
MEASURE: Final = ROOT / "scripts" / "benchmarks" / "vocabularies.py"


def test_the_page_shows_every_picture() -> None:
    """Each picture is on the page with a description, and is small."""
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    text = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^!\[[A-Z][^\]]{20,}\]\(pictures/(.+\.svg)\)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in pictures)
    assert all(path.stat().st_size < 100_000 for path in pictures)


def test_the_text_states_the_measured_figures() -> None:
    """Each figure in the text of the page follows from the committed figures."""
    page = PAGE.read_text(encoding="utf-8")
    measured = json.loads((ROOT / "docs" / "pictures.json").read_text(encoding="ascii"))
    prose, code, many = (measured["texts"][name] for name in ("prose", "code", "multilingual"))
    at = {size: place for place, size in enumerate(measured["sizes"])}
    own, other = prose["bytes per token"]["prose"], many["bytes per token"]["multilingual"]
    used = code["held-out text"]["lengths"]
    learned = 256 + sum(code["vocabulary"]["lengths"].values())
    few = sum(code["vocabulary"]["classes"][name] for name in ("punctuation", "whitespace"))
    assert few < 1000
    for words in (
        f"{own[at[2048]] - own[at[512]]:.2f} bytes per token from 512 to 2,048",
        f"and {own[at[32768]] - own[at[8192]]:.2f} from 8,192 to 32,768",
        f"gains {other[at[32768]] - other[at[8192]]:.2f} from 8,192 to 32,768",
        f"at {learned:,} tokens no pair is left",
        f"gives {prose['bytes per token']['multilingual'][-1]:.2f} bytes per token",
        f"less than the {other[at[512]]:.2f} that 512 tokens",
        f"occurred {dict(prose['merge counts'])[10000]} times in five megabytes",
        f"and {dict(many['merge counts'])[10000]} times in eight",
        f"{100 * used['1'] / sum(used.values()):.0f}% are single bytes",
    ):
        assert words in page, words


def test_the_page_draws_texts_of_your_own(tmp_path: Path) -> None:
    """Its commands, on one text, write a page and pictures in a folder of their own."""
    committed = (ROOT / "docs" / "pictures.json").read_bytes()
    text = tmp_path / "my $text$.txt"
    text.write_text("".join(f"low lower {count}\n" for count in range(20_000)), encoding="utf-8")
    (commands,) = re.findall(
        r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
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
