"""The pictures: what is shown is what was measured, and a run measures on any texts."""

import json
import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Final

import pytest
from hypothesis import settings

from project_tools import ROOT, run

pytestmark = pytest.mark.thorough

BENCH: Final = ROOT / "scripts" / "bench"
PICTURES: Final = ROOT / "docs" / "pictures"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy the page, and the samples that it is made from."""
    (tmp_path / "docs").mkdir()
    for path in [*ROOT.glob("docs/pictures.*"), *ROOT.glob("docs/benchmarks*.json")]:
        shutil.copy(path, tmp_path / "docs")
    return tmp_path


def draw(folder: Path) -> str:
    """Make the page and the pictures of a folder again, and return the page."""
    result = run(sys.executable, BENCH / "pictures.py", cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    return (folder / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_the_tables_are_what_was_measured(clone: Path) -> None:
    """The tables of the page are those that the committed figures make."""
    assert draw(clone) == (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_the_pictures_are_what_was_measured(clone: Path) -> None:
    """The pictures are those that the committed figures make, byte for byte."""
    if find_spec("matplotlib") is None:
        pytest.skip("the group `bench`, which draws, is not installed")
    drawn_by = re.search(r"Matplotlib v([\d.]+)", (PICTURES / "merges.svg").read_text())
    assert drawn_by
    code = "import matplotlib; print(matplotlib.__version__)"
    if (installed := run(sys.executable, "-c", code).stdout.strip()) != drawn_by[1].rstrip("."):
        pytest.skip(f"drawn by matplotlib {drawn_by[1]}, and {installed} is installed")
    draw(clone)
    drawn = {path.name: path.read_bytes() for path in (clone / "docs" / "pictures").iterdir()}
    assert drawn == {path.name: path.read_bytes() for path in PICTURES.iterdir()}


def test_a_changed_figure_changes_the_page(clone: Path) -> None:
    """One other figure makes another page, so a stale one is found."""
    path = clone / "docs" / "pictures.json"
    measured = json.loads(path.read_text(encoding="ascii"))
    measured["texts"]["prose"]["bytes per token"]["code"][-1] += 1
    path.write_text(json.dumps(measured), encoding="ascii")
    assert draw(clone) != (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_the_page_shows_every_picture() -> None:
    """Each picture stands on the page with words for who cannot see it, and is small."""
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    shown = re.findall(r"^!\[[A-Z][^\]]{20,}\]\(pictures/(.+\.svg)\)$", page, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in PICTURES.iterdir())
    assert all(path.stat().st_size < 100_000 for path in PICTURES.iterdir())


def growth(corpus: str, case: str) -> float:
    """Return how many times as long the whole of a text took as an eighth of it."""
    series = json.loads((ROOT / "docs" / "benchmarks-growth.json").read_text("utf-8"))["series"]
    medians = {
        one["contestant"]: median(one["samples"])
        for one in series
        if (one["section"], one["corpus"], one["case"]) == ("growth", corpus, case)
    }
    return float(medians["1"] / medians["1/8"])


def test_what_the_page_says_in_words_is_what_was_measured() -> None:
    """Each figure in the text of the page follows from the figures that are committed."""
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    measured = json.loads((ROOT / "docs" / "pictures.json").read_text(encoding="ascii"))
    prose, code, many = (measured["texts"][name] for name in ("prose", "code", "multilingual"))
    at = {size: place for place, size in enumerate(measured["sizes"])}
    own, other = prose["bytes per token"]["prose"], many["bytes per token"]["multilingual"]
    used = code["held-out text"]["lengths"]
    learned = 256 + sum(code["vocabulary"]["lengths"].values())
    few = sum(code["vocabulary"]["classes"][name] for name in ("punctuation", "whitespace"))
    assert few < 1000
    for words in (
        f"{own[at[2048]] - own[at[512]]:.2f} bytes to the token from 512 to 2,048",
        f"and {own[at[32768]] - own[at[8192]]:.2f} from 8,192 to 32,768",
        f"wins {other[at[32768]] - other[at[8192]]:.2f} from 8,192 to 32,768",
        f"at {learned:,} tokens no pair is left",
        f"gives {prose['bytes per token']['multilingual'][-1]:.2f} bytes to the token",
        f"less than the {other[at[512]]:.2f} that 512 tokens",
        f"stood {dict(prose['merge counts'])[10000]} times in five megabytes",
        f"and {dict(many['merge counts'])[10000]} times in eight",
        f"{100 * used['1'] / sum(used.values()):.0f}% are single bytes",
        f"eight times the prose takes {growth('prose', 'train, s'):.1f} times as long",
        f"eight times the code takes {growth('code', 'encode, s'):.0f} times as long",
    ):
        assert words in page, words


def test_texts_are_measured(tmp_path: Path) -> None:
    """A run on other texts writes the figures of each, on itself and on the other."""
    for name, letters in (("one", "low lower lowest "), ("two", "новый новее ")):
        lines = [f"{letters * (count % 7)}{count}\n" for count in range(9_000)]
        (tmp_path / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    texts, figures = [tmp_path / f"{name}.txt" for name in ("one", "two")], tmp_path / "out.json"
    result = run(sys.executable, BENCH / "vocabularies.py", *texts, "--json", figures)
    assert result.returncode == 0, result.stderr
    measured = json.loads(figures.read_text(encoding="ascii"))["texts"]
    assert [list(one["bytes per token"]) for one in measured.values()] == [["one", "two"]] * 2
    assert measured["one"]["vocabulary"]["classes"].keys() >= {"Latin", "digits"}
    assert measured["two"]["vocabulary"]["classes"].keys() >= {"Cyrillic", "part of a character"}
    own, other = (measured["two"]["bytes per token"][name][-1] for name in ("two", "one"))
    assert own > other > 1


@pytest.mark.skipif(settings().max_examples < 5_000, reason="a minute; BPETITE_PROFILE=thorough")
def test_the_published_figures_are_those_of_the_texts(tmp_path: Path) -> None:
    """Measured again, the texts have the very figures that are published, where they are."""
    published = json.loads((ROOT / "docs" / "pictures.json").read_text(encoding="ascii"))
    folder = Path(os.environ.get("BPETITE_DATA", os.devnull))
    texts = [folder / f"{name}.txt" for name in published["texts"]]
    if not all(text.is_file() for text in texts):
        pytest.skip("BPETITE_DATA names no folder with the texts")
    figures = tmp_path / "out.json"
    run(sys.executable, BENCH / "vocabularies.py", *texts, "--json", figures)
    assert json.loads(figures.read_text(encoding="ascii"))["texts"] == published["texts"]


@pytest.mark.parametrize("content", [b"", b"\xff", None])
def test_a_text_that_cannot_be_measured_is_refused(content: bytes | None, tmp_path: Path) -> None:
    """A file that is too short, no UTF-8 or not there is an error in a line."""
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    result = run(sys.executable, BENCH / "vocabularies.py", path, "--json", tmp_path / "out.json")
    assert result.returncode == 1
    assert re.fullmatch(r"error: .*\n", result.stderr)
    assert not (tmp_path / "out.json").exists()
