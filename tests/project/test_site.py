"""The site: the strict build reports nothing, and its pages need nothing from elsewhere."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import pytest

from project_tools import ROOT, run, tool

pytestmark = pytest.mark.thorough

FOREIGN: Final = re.compile(
    r"(?:<(?!a\b)[^>]*\b(?:href|src)=[\"']|url\([\"']?|@import [\"'])((?:https?:)?//[^\"')]*)"
)
"""What a page or a style sheet loads from another host; links are not loaded."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built from the current pages; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    options = ("--fail-on-warning", "--fresh-env", "--quiet")
    result = run(tool("sphinx-build"), *options, ROOT / "docs", folder)
    assert (result.returncode, result.stderr) == (0, "")
    return folder


def test_the_site_works_offline(site: Path) -> None:
    """No font, script, style or picture of the site comes from another host."""
    files = [file for kind in ("html", "css", "svg") for file in site.rglob(f"*.{kind}")]
    found = {file: FOREIGN.findall(file.read_text(encoding="utf-8")) for file in files}
    assert {file: addresses for file, addresses in found.items() if addresses} == {}


def linked(page: Path) -> set[Path]:
    """Return the pages of the site that the text of a page links to."""
    article = page.read_text("utf-8").partition("<article")[2].partition("</article>")[0]
    links = re.findall(r'<a [^>]*\bhref="([^"#:]+\.html)["#]', article)
    return {(page.parent / unquote(link)).resolve() for link in links}


def test_every_page_is_two_clicks_away(site: Path) -> None:
    """The map on the first page leads to every page, directly or through one other."""
    site = site.resolve()
    first = linked(site / "index.html")
    pages = {*site.rglob("*.html")} - {site / f"{name}.html" for name in ("404", "index", "search")}
    assert pages - first - {page for each in first for page in linked(each)} == set()


def test_the_explorer_is_on_the_site(site: Path) -> None:
    """It links to pages of the site, and links to it keep the fragment with its state."""
    for file in (ROOT / "docs" / "explorer").iterdir():
        copied = file.read_bytes().replace(b'.md">', b'.html">')
        assert (site / "explorer" / file.name).read_bytes() == copied
    page = (site / "course" / "04-merging.html").read_text(encoding="utf-8")
    assert '"../explorer/index.html#view=' in page
    first = (site / "index.html").read_text(encoding="utf-8")
    assert '<a class="button" href="explorer/index.html">' in first
    assert re.search(r'<a href="explorer/index\.html#view=[^>]*><img [^>]*explorer\.png', first)
