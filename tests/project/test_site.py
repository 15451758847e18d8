"""The site of the pages: the strict build finds errors, and the site works offline."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, build_site
from site_tools import Page, broken_links

pytestmark = pytest.mark.thorough

LOADED: Final = {"audio", "embed", "iframe", "img", "link", "object", "script", "source", "video"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Make a small repository: two pages, one outside docs and a script."""
    (tmp_path / "docs").mkdir()
    for name in ("conf.py", "icon.svg", "search.js", "site.css"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    (tmp_path / "docs" / "index.md").write_text("# Pages\n")
    (tmp_path / "docs" / "words.md").write_text("# Words\n")
    (tmp_path / "SECURITY.md").write_text("# Security\n")
    (tmp_path / "fuzz.py").write_text("print('fuzz')\n")
    return tmp_path


class Addresses(HTMLParser):
    """The addresses that a page loads itself, not the ones that it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the address of an element that is loaded with the page."""
        if tag in LOADED:
            self.found += [value for name, value in attrs if name in {"href", "src"} and value]


def foreign(text: str) -> list[str]:
    """Return the addresses on other hosts that a page or a style sheet loads."""
    addresses = Addresses()
    addresses.feed(text)
    addresses.found += re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", text)
    return [address for address in addresses.found if re.match(r"(https?:)?//", address)]


def test_every_page_is_in_the_site(site: Path) -> None:
    """The strict build reports nothing, and includes every page of docs."""
    pages = [page.relative_to(ROOT / "docs") for page in ROOT.glob("docs/**/*.md")]
    assert len(pages) > 5
    assert [page for page in pages if not (site / page.with_suffix(".html")).is_file()] == []


def test_the_site_works_offline(site: Path) -> None:
    """No font, script, style or picture of the site comes from another host."""
    files = [file for kind in ("html", "css", "svg") for file in site.rglob(f"*.{kind}")]
    assert files
    assert [(file, foreign(file.read_text())) for file in files if foreign(file.read_text())] == []


def test_the_explorer_is_on_the_site_and_linked_with_its_state(site: Path, clone: Path) -> None:
    """The site has the explorer, with links to its own pages; a link to it keeps its fragment."""
    for file in (ROOT / "docs" / "explorer").iterdir():
        copied = file.read_bytes().replace(b'.md">', b'.html">')
        assert (site / "explorer" / file.name).read_bytes() == copied
    assert 'href="explorer/index.html"' in (site / "index.html").read_text()
    (clone / "docs" / "words.md").write_text(
        "# Links\n\n[a tie](explorer/index.html#view=train&step=2)\n"
    )
    result = build_site(clone / "docs", clone / "site")
    assert (result.returncode, result.stderr) == (0, "")
    html = (clone / "site" / "words.html").read_text()
    assert '<a href="explorer/index.html#view=train&amp;step=2">a tie</a>' in html


def test_the_links_of_the_explorer_work_in_a_clone() -> None:
    """In a clone, it links to the Markdown pages, which the site replaces with its own."""
    page = Page(ROOT / "docs" / "explorer" / "index.html")
    assert {"../index.md", "../course/README.md"} <= set(page.links)
    assert broken_links(ROOT / "docs", {page.path: page}) == []


def test_the_explorer_sends_no_requests() -> None:
    """Its policy allows its own scripts and styles, and no connection, font, frame or form."""
    page = (ROOT / "docs" / "explorer" / "index.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy"\s+content="([^"]+)"', page)
    allowed = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    assert allowed == {
        "default-src": "'none'",
        "script-src": "'self' file:",
        "style-src": "'self' file:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert re.findall(r"<script(?! src=)|<style| style=| on\w+=", page) == []


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://host/x.js"></script>',
        '<link rel="stylesheet" href="//host/x.css">',
        '<img src="http://host/x.png">',
        "@import 'https://host/x.css';",
        "@font-face { src: url(https://host/x.woff2) }",
    ],
)
def test_external_resources_are_found(text: str) -> None:
    """A script, a style, a picture and a font of another host are found; a link is not."""
    assert foreign(text)
    assert foreign('<a href="https://host/">host</a><img src="x.png">') == []


FAULTS: Final = {
    "[gone](gone.md)": "target not found: 'gone.md'",
    "[gone](words.md#gone)": "local id not found in doc 'words': 'gone'",
    "[gone](#gone)": "target not found: 'gone'",
    "![gone](gone.svg)": "image file not readable: gone.svg",
    "[gone](../scripts/gone.py)": "target not found: '../scripts/gone.py'",
    "```nolanguage\nx\n```": "Pygments lexer name 'nolanguage' is not known",
}


def test_faults_stop_the_build_site(clone: Path) -> None:
    """A missing link target, anchor or picture, or an unknown language, is an error."""
    (clone / "docs" / "index.md").write_text("# Faults\n\n" + "\n\n".join(FAULTS))
    result = build_site(clone / "docs", clone / "site")
    assert result.returncode == 1
    assert [told for told in FAULTS.values() if told not in result.stderr] == []


def test_an_unlisted_page_stops_the_build_site(clone: Path) -> None:
    """A page that is missing from the navigation is an error."""
    (clone / "docs" / "lost.md").write_text("# Lost\n", encoding="utf-8")
    result = build_site(clone / "docs", clone / "site")
    assert result.returncode == 1
    assert "lost.md: WARNING: document isn't included in any toctree" in result.stderr


def test_a_page_is_plain_markdown(clone: Path) -> None:
    """MyST's additions to Markdown stay text; a link out of docs leads to a copy of the file."""
    page = clone / "docs" / "words.md"
    page.write_text(
        "# Plain\n\n(x)=\n\n% seen\n\n{ref}`x` :a: b\n\n+++\n\n"
        "[one](../SECURITY.md), [two](../fuzz.py)\n"
    )
    result = build_site(clone / "docs", clone / "site")
    assert (result.returncode, result.stderr) == (0, "")
    html = (clone / "site" / "words.html").read_text()
    assert all(text in html for text in ("(x)=", "% seen", "{ref}", ":a: b", "+++"))
    copies = [clone / "site" / path for path in re.findall(r'href="(_downloads/[^"]+)"', html)]
    originals = [clone / "SECURITY.md", clone / "fuzz.py"]
    assert [path.read_bytes() for path in copies] == [path.read_bytes() for path in originals]


def test_the_pages_name_the_command_that_builds_the_site() -> None:
    """The README, CONTRIBUTING and the configuration of Sphinx name the strict command."""
    command = "uv run --group docs sphinx-build --fail-on-warning --fresh-env docs site"
    for path in ("README.md", "CONTRIBUTING.md", "docs/conf.py"):
        assert command in (ROOT / path).read_text(), path
