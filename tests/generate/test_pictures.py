"""Each generated picture can be read on a phone, and shows what bpetite and its files have."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

from bpetite import Tokenizer
from chromium import Chromium
from generate import charts, pictures
from project_tools import ROOT

DRAWN: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("pictures", "course/pictures")
    for path in (ROOT / "docs" / folder).glob("*.svg")
)
WIDTH: Final = 360
PHONE: Final = 328
"""The pixels that a picture gets on a phone of 360."""

SVG: Final = "{http://www.w3.org/2000/svg}"


def parsed(name: str) -> ET.Element:
    return ET.parse(ROOT / name).getroot()  # noqa: S314 - our own file


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_can_be_read_on_a_phone(name: str) -> None:
    """It is as wide as others, has colors for the dark, and no letter is below 10 pixels."""
    picture = parsed(name)
    width = float(picture.attrib["viewBox"].split()[2])
    style = picture.findtext(f"{SVG}style") or ""
    assert width == WIDTH
    assert "prefers-color-scheme: dark" in style
    sizes = [float(size) for size in re.findall(r"font(?:-size)?: (\d+)px", style)]
    assert min(sizes) * PHONE / width >= 10


@pytest.mark.parametrize("name", [name for name in DRAWN if "/course/" not in name])
def test_a_picture_describes_itself(name: str) -> None:
    """It has a title and a description, for whoever opens it alone."""
    picture = parsed(name)
    assert picture.attrib["aria-labelledby"] == "title desc"
    title, description = (picture.findtext(f"{SVG}{tag}") or "" for tag in ("title", "desc"))
    assert 10 < len(title) < 100 < len(description)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """Return Chromium, which all tests share."""
    page = Chromium(tmp_path_factory.mktemp("chromium"))
    yield page
    page.close()


MEASURE: Final = """\
[...document.querySelectorAll("text")].map((one) => {
  const { x, y, width, height } = one.getBBox();
  return [one.textContent, x, y + height * 0.15, x + width, y + height * 0.85];
})"""
"""The text and the box of each line, without the room above and below its letters."""


@pytest.mark.thorough
@pytest.mark.posix
@pytest.mark.parametrize("name", DRAWN)
def test_no_label_touches_another_or_the_edge(chromium: Chromium, name: str) -> None:
    """Each text is inside the picture, and outside the others, in a wide font."""
    picture = parsed(name)
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    chromium.open((ROOT / name).as_uri())
    labels: list[tuple[str, float, float, float, float]] = chromium.run(MEASURE)
    assert len(labels) == len(picture.findall(f"{SVG}text"))
    for text, left, top, right, bottom in labels:
        assert left >= 4, text
        assert right <= width - 4, text
        assert 0 <= top < bottom <= height, text
    for (one, left, top, right, bottom), (other, *box) in combinations(labels, 2):
        apart = right + 1 <= box[0] or box[2] + 1 <= left or bottom <= box[1] or box[3] <= top
        assert apart, (one, other)


def test_the_way_of_a_text_has_its_merges_and_ids() -> None:
    """The picture has the ids that `encode` gives, and the rank of every merge on the way."""
    tokenizer = Tokenizer.train(pictures.sample(), 512)
    ids = tokenizer.encode(pictures.TEXT)
    texts = [one.text or "" for one in parsed("docs/pictures/text-way.svg").findall(f"{SVG}text")]
    assert f"A model reads {' '.join(map(str, ids))}." in texts
    assert [text for text in map(str, ids) if text not in texts] == []
    made = pictures.made_of(b" river", tokenizer._artifact.merges)
    assert [one.rank for one in made] == [3, 26, 48, 78, 130]  # as `show --steps` prints
    assert [one.level for one in made] == [1, 1, 2, 2, 3]
    assert {str(one.rank) for one in made} <= {*texts}


def test_the_chart_of_languages_has_the_table() -> None:
    """Each language but English has the ratio of each tokenizer, as the page counts them."""
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    tokens = charts.table(page)
    description = parsed("docs/pictures/languages.svg").findtext(f"{SVG}desc") or ""
    assert len(tokens) == 10
    assert {len(counts) for counts in tokens.values()} == {5}
    assert "Tamil: qwen3 7.1, deepseek_v3 3.5, gpt2 18, cl100k_base 9.1, o200k_base 2.3." in (
        description
    )
    assert [language for language in tokens if f"{language}: " not in description] == ["English"]


def test_the_chart_of_speed_has_the_measured_figures() -> None:
    """It names the release and the date of the run, and its figures are medians of the samples."""
    runs: list[Any] = json.loads((ROOT / "docs" / "benchmarks.json").read_bytes())
    texts = [one.text or "" for one in parsed("docs/pictures/speed.svg").findall(f"{SVG}text")]
    (facts,) = (
        run["facts"] for run in runs if any(one["section"] == "train" for one in run["series"])
    )
    release = re.findall(r"bpetite-core ([\d.]+)", facts["versions"])[0]
    assert any(text.startswith(f"bpetite {release}, {facts['date'][:10]}") for text in texts)
    for run in runs:
        for one in run["series"]:
            shown = (one["section"], one["case"]) in [("train", "seconds"), ("encode", "first")]
            hidden = one["corpus"] == "code-large" or one["contestant"] == "bpetite, one process"
            if shown and not hidden:
                seconds = sorted(one["samples"])[len(one["samples"]) // 2]
                assert f"{seconds:.0f}" in texts or f"{seconds:.1f}" in texts


def test_each_page_of_the_tree_exists() -> None:
    """The tree names pages and folders of docs/."""
    names = {name for pages in pictures.PAGES.values() for name in pages.values()}
    docs = ROOT / "docs"
    missing = [n for n in names if not (docs / f"{n}.md").is_file() and not (docs / n).is_dir()]
    assert missing == []
