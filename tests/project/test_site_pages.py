"""The site for its readers: links, pictures, headings, colors, code, and the search."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from project_tools import ROOT, node, run
from site_tools import (
    COLUMN,
    Page,
    broken_links,
    contrast,
    faults,
    palettes,
    reached,
    wide_lines,
)

pytestmark = pytest.mark.thorough

GOOD: Final = '<h1>A</h1><h2 id="b">B</h2><a href="#b">B</a><img src="x.svg" alt="a bar">'

# The fonts of every system have these: Europe's Latin letters, and a few signs.
GLYPHS: Final = {chr(point) for point in range(0xA0, 0x180)} | set("…←→‹›€�─│┌┐└┘├┤┬┴┼")

LEAST: Final = 4.5
"""The contrast that WCAG 2 requires for text, level AA."""


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """Return every page of the site, including the explorer's."""
    return {file: Page(file) for file in site.rglob("*.html")}


def named(site: Path, pages: dict[Path, Page]) -> dict[str, Page]:
    """Return the pages by their addresses."""
    return {file.relative_to(site).as_posix(): page for file, page in pages.items()}


def planted(folder: Path, html: str) -> Page:
    """Return a page with this text."""
    file = folder / "index.html"
    file.write_text(html, encoding="utf-8")
    (folder / "x.svg").touch()
    return Page(file)


def test_no_link_is_broken(site: Path, pages: dict[Path, Page]) -> None:
    """Every link on every page leads to an existing file and anchor."""
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert broken_links(site, pages) == []


def test_the_pages_are_accessible(site: Path, pages: dict[Path, Page]) -> None:
    """Pictures are described, headings are in order, and only the explorer needs JavaScript."""
    found = {name: faults(page) for name, page in named(site, pages).items()}
    # The explorer needs JavaScript, and the theme's search page gets its heading from it.
    del found["explorer/index.html"], found["search.html"]
    assert {name: told for name, told in found.items() if told} == {}
    assert ".no-js .theme-toggle-container{display:none}" in (
        site / "_static" / "styles" / "furo.css"
    ).read_text(encoding="utf-8")


def test_the_explorer_is_accessible(site: Path, pages: dict[Path, Page]) -> None:
    """The explorer also describes its pictures and orders its headings, and says what it needs."""
    explorer = pages[site / "explorer" / "index.html"]
    assert [told for told in faults(explorer) if not told.startswith("button: ")] == []
    assert "noscript" in explorer.tags
    assert "noscript" in pages[site / "search.html"].tags


def test_plain_links_reach_every_page(site: Path, pages: dict[Path, Page]) -> None:
    """Without JavaScript, the navigation leads from the front page to every other page."""
    assert set(pages) - reached(site, pages) == {site / "404.html", site / "search.html"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (' alt="a bar"', ""),
        (' alt="a bar"', ' alt=" "'),
        ("<h1>A</h1>", ""),
        ("<h1>A</h1>", "<h1>A</h1><h1>A</h1>"),
        ("</h2>", "</h2><h4>D</h4>"),
        ("</h2>", "</h2><button>More</button>"),
        ("<img", "<img onclick='more()'"),
        ("#b", "javascript:more()"),
    ],
)
def test_an_inaccessible_page_is_found(old: str, new: str, tmp_path: Path) -> None:
    """A picture without a description, unordered headings and JavaScript are found."""
    assert faults(planted(tmp_path, GOOD)) == []
    assert old in GOOD
    assert faults(planted(tmp_path, GOOD.replace(old, new))) != []


@pytest.mark.parametrize(
    ("old", "new"), [("#b", "#c"), ("#b", "gone.html"), ("#b", "/gone"), ("x.svg", "y.svg")]
)
def test_a_broken_link_is_found(old: str, new: str, tmp_path: Path) -> None:
    """A link to a missing part or page, and a missing picture, are found."""
    page = planted(tmp_path, GOOD)
    assert broken_links(tmp_path, {page.path: page}) == []
    assert reached(tmp_path, {page.path: page}) == {page.path}
    page = planted(tmp_path, GOOD.replace(old, new))
    assert len(broken_links(tmp_path, {page.path: page})) == 1


def test_every_page_is_described(site: Path, pages: dict[Path, Page]) -> None:
    """Each page has its own title and description, for search engines and link previews."""
    written = {
        name: page.meta
        for name, page in named(site, pages).items()
        if name not in {"404.html", "search.html", "explorer/index.html"}
    }
    descriptions = [meta["description"] for meta in written.values()]
    assert len(set(descriptions)) == len(descriptions)
    assert [text for text in descriptions if not 40 <= len(text) <= 200] == []
    for name, meta in written.items():
        assert meta["og:description"] == meta["description"], name
        assert meta["og:title"], name
        assert meta["twitter:card"] == "summary"
    assert 40 <= len(pages[site / "explorer" / "index.html"].meta["description"]) <= 200


def test_a_wrong_address_has_a_page(site: Path, pages: dict[Path, Page]) -> None:
    """The page for wrong addresses works at any of them: it loads from the top of the site."""
    page = pages[site / "404.html"]
    local = [link for link in page.links + page.loaded if not re.match(r"https:|#", link)]
    assert len(local) > 20
    assert [link for link in local if not link.startswith("/")] == []


def test_code_can_be_copied_without_its_prompts(site: Path, pages: dict[Path, Page]) -> None:
    """Each page with code loads the copy button, which leaves out the prompts."""
    with_code = [page for page in pages.values() if page.blocks]
    assert len(with_code) > 20
    wanted = ("clipboard.min.js", "copybutton.js")
    assert [
        page.path
        for page in with_code
        if not all(any(f"/{name}?" in source for source in page.loaded) for name in wanted)
    ] == []
    script = (site / "_static" / "copybutton.js").read_text(encoding="utf-8")
    assert "formatCopyText(text, '$ ', false, true, true, false, '\\\\', '')" in script


def test_code_fits_its_column(site: Path, pages: dict[Path, Page], tmp_path: Path) -> None:
    """No line of code or command is wider than its column at 1,280 pixels; output is wrapped."""
    wide = {name: [*wide_lines(page)] for name, page in named(site, pages).items()}
    assert {name: lines for name, lines in wide.items() if lines} == {}
    css = (site / "_static" / "site.css").read_text(encoding="utf-8")
    assert re.search(r"@media \(min-width: 46em\) {\s*\.highlight pre { white-space: pre-wrap", css)
    line = "x" * (COLUMN + 1)
    for language, text in (("python", line), ("console", f"$ {line}")):
        html = f'<div class="highlight-{language} notranslate"><pre>{text}</pre></div>'
        assert [*wide_lines(planted(tmp_path, html))] == [text]
    html = f'<div class="highlight-text notranslate"><pre>{line}</pre></div>'
    assert [*wide_lines(planted(tmp_path, html))] == []


def colors_of_pages(site: Path) -> list[tuple[str, str, str]]:
    """Return the names of the texts on the pages, their colors and their backgrounds."""
    furo = (site / "_static" / "styles" / "furo.css").read_text(encoding="utf-8")
    explorer = (site / "explorer" / "style.css").read_text(encoding="utf-8")
    drawing = re.findall(
        r"<style>(.*?)</style>", (site / "_images" / "course-04-merge.svg").read_text(), re.DOTALL
    )[0]
    grounds = {
        furo: [
            (f"--color-{text}", f"--color-background-{ground}")
            for text in ("foreground-primary", "foreground-muted", "brand-primary", "brand-content")
            for ground in ("primary", "secondary")
        ],
        explorer: [
            *(
                (text, ground)
                for text in ("--ink", "--quiet", "--accent")
                for ground in ("--page", "--card")
            ),
            *(
                (text, ground)
                for text in ("--ink", "--byte", "--space")
                for ground in ("--odd", "--even")
            ),
            ("--on-accent", "--accent"),
            ("--ring", "--card"),
        ],
        drawing: [
            *((text, "--card") for text in ("--ink", "--quiet", "--accent", "--fault")),
            *(("--ink", ground) for ground in ("--odd", "--even", "--plain")),
            ("--on", "--accent"),
        ],
    }
    return [
        (f"{text} on {ground}", palette[text], palette[ground])
        for css, pairs in grounds.items()
        for palette in palettes(css)
        for text, ground in pairs
    ]


def colors_of_code(site: Path) -> list[tuple[str, str, str]]:
    """Return the kinds of words in code, their colors and the background, in both themes."""
    css = (site / "_static" / "pygments.css").read_text(encoding="utf-8")
    found = []
    for dark in ("", r'body\[data-theme="dark"\] '):
        rules = dict(re.findall(rf"^ *{dark}\.highlight( \.\w+)? {{([^}}]*)}}", css, re.MULTILINE))
        ground = re.search(r"background: (#\w+)", rules[""])
        assert ground
        for name, rule in rules.items():
            if (color := re.search(r"(?<![-\w])color: (#\w+)", rule)) and not re.search(
                r"lineno| \.w$", name
            ):
                own = re.search(r"background-color: (#\w+)", rule)
                found.append((f"{dark}{name}", color[1], (own or ground)[1]))
    return found


def test_text_has_enough_contrast(site: Path) -> None:
    """The colors of pages, code, the explorer and drawings have enough contrast."""
    colors = colors_of_pages(site) + colors_of_code(site)
    assert len(colors) > 100
    assert [each for each in colors if contrast(each[1], each[2]) < LEAST] == []


def test_weak_colors_are_found() -> None:
    """Black on white has the greatest contrast, light gray too little; dark is separate."""
    assert round(contrast("#000", "#ffffff"), 3) == 21
    assert contrast("#999999", "#fff") < LEAST < contrast("#666666", "#fff")
    css = ":root{--a: #111; --b: #222}@media (prefers-color-scheme: dark){:root{--a: #333}}"
    assert palettes(css) == ({"--a": "#111", "--b": "#222"}, {"--a": "#333", "--b": "#222"})


def uncommon_glyphs(svg: str) -> set[str]:
    """Return a picture's characters for which some systems have no font."""
    text = "".join(re.findall(r"<text[^>]*>([^<]*)<", svg))
    return {character for character in text if character > "~"} - GLYPHS


def test_pictures_need_no_special_fonts() -> None:
    """The pictures use only characters that the fonts of every system have."""
    pictures = [*(ROOT / "docs").rglob("*.svg")]
    assert len(pictures) > 15
    found = {path.name: uncommon_glyphs(path.read_text(encoding="utf-8")) for path in pictures}
    assert {name: glyphs for name, glyphs in found.items() if glyphs} == {}
    assert uncommon_glyphs('<text x="1">the river 船·</text>') == {"船"}


SEARCH: Final = """
const fs = require("node:fs"), vm = require("node:vm");
const document = { readyState: "loading", addEventListener() {}, getElementById: () => null };
const page = { document, _ready() {}, SPHINX_HIGHLIGHT_ENABLED: false };
page.window = page;
const context = vm.createContext(page);
const [queries, ...files] = process.argv.slice(1);
for (const file of files) vm.runInContext(fs.readFileSync(file, "utf8"), context);
const search = vm.runInContext("(q) => Search._performSearch(...Search._parseQuery(q))", context);
const found = JSON.parse(queries).map((query) => search(query).reverse().slice(0, 3));
console.log(JSON.stringify(found.map((hits) => hits.map((hit) => hit[5] + hit[2]))));
"""


def test_the_search_finds_what_people_look_for(site: Path) -> None:
    """A query finds the page about it, with Sphinx's own program and the site's own index."""
    program = node()
    if program is None:
        pytest.skip("there is no node: neither from `--group node` nor on PATH")
    wanted = {
        "count tokens": "first-steps.md#count-tokens",
        "train a tokenizer": "first-steps.md#train-a-tokenizer",
        "explorer": "explorer.md",
        "special token": "course/08-special-tokens.md",
        "verify": "reference/commands.md#verify",
    }
    scripts = [
        site / source.split("?")[0]
        for source in Page(site / "search.html").loaded
        if re.search(r"searchtools|language_data|searchindex", source)
    ]
    result = run(program, "-e", SEARCH, json.dumps([*wanted]), *scripts)
    assert result.returncode == 0, result.stderr
    found = dict(zip(wanted, json.loads(result.stdout), strict=True))
    assert {query: hits for query, hits in found.items() if wanted[query] not in hits} == {}
    assert found["count tokens"][0] == wanted["count tokens"]


def test_the_front_page_shows_a_theorem_that_is_proved() -> None:
    """The theorem on the front page is in the proof, word for word."""
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    (theorem,) = re.findall(r"```coq\n(.*?)```", page, re.DOTALL)
    proof = (ROOT / "docs" / "proof" / "Tokenizer.v").read_text(encoding="utf-8")
    assert " ".join(theorem.split()) in " ".join(proof.split())
