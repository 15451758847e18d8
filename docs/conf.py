"""How Sphinx makes a site of these pages.

    uv run --group docs sphinx-build --fail-on-warning --fresh-env docs site

The pages are plain Markdown, for a host of code as much as for the site: what MyST adds to
the language is turned off, and the navigation stands here. Broken links to pages and headings,
and code that its language does not know, are errors. Nothing in the site comes from another
host, so it can be read offline; the search works from a folder, too.
"""

import html
import os
import re
import shutil
from pathlib import Path
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx

project = "bpetite"
extensions = ["myst_parser", "notfound.extension", "sphinx_copybutton"]
nitpicky = True
exclude_patterns = ["**/.ipynb_checkpoints"]  # Jupyter leaves copies of the pages it opens
smartquotes = False  # what a page shows of a text must stay as it is

myst_heading_anchors = 4
myst_disable_syntax = [
    "colon_fence",
    "fieldlist",
    "myst_block_break",
    "myst_line_comment",
    "myst_role",
    "myst_target",
]

html_theme = "furo"
html_title = "bpetite"
html_favicon = "icon.svg"
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
html_use_index = False  # the pages define nothing that an index could list
pygments_dark_style = "github-dark"  # the default underlines the names of modules
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]

# A button copies the commands of a block, without the prompts and what they print.
copybutton_prompt_text = "$ "
copybutton_copy_empty_lines = False
copybutton_line_continuation_character = "\\"

# A heading that contains the query comes first.
html_search_scorer = str(Path(__file__).with_name("search.js"))

# The page for wrong addresses loads the rest of the site from its top. A host that serves the
# site below a path builds it with `-D notfound_urls_prefix=/PATH/`.
notfound_urls_prefix = "/"
notfound_context = {
    "title": "Page not found",
    "body": "<h1>Page not found</h1><p>There is no page at this address. The navigation lists"
    " all pages, and the search looks through them.</p>",
}

_DOCS: Final = Path(__file__).parent
_REFERENCE: Final = tuple(
    f"reference/{name}.md" for name in ("commands", "output", "api", "errors", "artifact")
)
_RULES: Final = ("reliability.md", "versions.md", "../CHANGELOG.md")
_OWN: Final = ("your-own.md", "patterns.md", "vocabulary-size.md", "large-corpora.md")
_NAVIGATION: Final = {
    "index": (
        ("Start", "../README.md", "install.md", "first-steps.md", "explorer.md"),
        ("Learn", "course/README.md", "exercises/README.md", "words.md"),
        ("Train", *_OWN),
        ("Open", "models.md", "extend.md", "shrink.md"),
        ("Use", "looking-for.md", "use-with.md", "untrusted-text.md"),
        ("Compare", "comparison.md", "benchmarks.md", "languages.md"),
        ("Look up", *_REFERENCE, "../packages/*/README.md"),
        ("Rely on it", "../SECURITY.md", "proof/README.md", *_RULES),
        ("Change it", "architecture.md", "decisions.md", "../CONTRIBUTING.md"),
    ),
    "course/README": (("", "course/[0-9]*.md"),),
    "exercises/README": (
        ("", *(f"exercises/{name}.md" for name in ("tasks", "hints", "answers/README"))),
    ),
}
"""For each page that has pages below it, in the order in which a newcomer needs them: titles and
patterns. Pages that no pattern matches follow under "More"."""

_ABOVE: Final = ("*.md", "packages/*/README.md")
"""Pages above this folder that the site has as well."""

_TITLES: Final = {
    "README": "README",  # its own is the name of the site
    "explorer": "Explorer",
    "course/README": "Course",
    "use-with": "Other tools",
    "models": "Models",
    "looking-for": "Names you know",
    "comparison": "Libraries",
    "languages": "Languages",
    "reference/output": "JSON",
    "reference/api": "API",
    "reference/artifact": "Tokenizer file",
    "versions": "Versions",
    "proof/README": "Proof",
}
"""Short titles for the navigation, so that it fits on the screen of a phone."""
_DESCRIPTION: Final = 200
_TO_EXPLORER: Final = re.compile(r"\[([^]\n]+)\]\(((?:\.\./)*explorer/[\w-]+\.html[^)\s]*)\)")


def setup(app: Sphinx) -> None:
    """Take part in the making of the pages."""
    app.connect("env-get-outdated", _add_pages_above)
    app.connect("source-read", _add_navigation)
    app.connect("source-read", _link_explorer)
    app.connect("html-page-context", _describe)
    app.connect("build-finished", _copy_explorer)


def _add_pages_above(app: Sphinx, *_changes: object) -> list[str]:
    """Add the pages above this folder. Their links work here as they do on a host of code."""
    added = {_name(file): file for pattern in _ABOVE for file in _DOCS.parent.glob(pattern)}
    app.project.docnames.update(added)
    for name, file in added.items():  # Sphinx has no public way to read a page from elsewhere
        app.project._docname_to_path[name] = Path(os.path.relpath(file, _DOCS))
        app.project._path_to_docname[file] = name
    return [*added]


def _add_navigation(_app: Sphinx, page: str, source: list[str]) -> None:
    """End a page that has pages below it with their list, which Sphinx shows beside each page."""
    sections = [*_NAVIGATION.get(page, ())]
    if page == "index":
        sections.append(("More", *_unlisted()))
    for title, *patterns in sections:
        files = [file for pattern in patterns for file in sorted(_DOCS.glob(pattern))]
        names = [_name(file) for file in files]
        below = [f"{_TITLES[name]} </{name}>" if name in _TITLES else f"/{name}" for name in names]
        if below:
            caption = [f":caption: {title}"] if title else []
            source[0] += "\n".join(
                ["", "```{toctree}", ":hidden:", *caption, "", *below, "```", ""]
            )


def _name(file: Path) -> str:
    """Return the name of a page: its path below this folder, or below the one above."""
    return os.path.relpath(file.with_suffix(""), _DOCS).removeprefix(f"..{os.sep}")


def _unlisted() -> list[str]:
    """Return the paths of the pages that the navigation does not have."""
    sections = [section for below in _NAVIGATION.values() for section in below]
    listed = {file for _, *patterns in sections for each in patterns for file in _DOCS.glob(each)}
    pages = {*_DOCS.rglob("*.md")} - {*_DOCS.glob("**/.*/*")} - listed - {_DOCS / "index.md"}
    return sorted(page.relative_to(_DOCS).as_posix() for page in pages)


def _link_explorer(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Link to the explorer with its fragment, which MyST would take off a link to a file."""
    source[0] = _TO_EXPLORER.sub(
        lambda link: f'<a href="{html.escape(link[2])}">{html.escape(link[1])}</a>', source[0]
    )


def _describe(
    _app: Sphinx,
    _page: str,
    _template: str,
    context: dict[str, str],
    document: nodes.document | None,
) -> None:
    """Describe a page by its first sentences, for search engines and for who is sent a link."""
    if document is None:
        return
    about = {"og:title": context["title"], "og:site_name": project, "og:type": "website"}
    lines = [
        f'<meta property="{name}" content="{html.escape(html.unescape(value))}">'
        for name, value in about.items()
    ]
    text = html.escape(_first_sentences(document))
    lines += [
        f'<meta name="description" content="{text}">',
        f'<meta property="og:description" content="{text}">',
        '<meta name="twitter:card" content="summary">',
    ]
    context["metatags"] += "\n".join(["", *lines, ""])


def _first_sentences(document: nodes.document) -> str:
    """Return the text of the first paragraphs that are words alone, at most 200 characters."""
    paragraphs = [
        paragraph.astext()
        for paragraph in document.findall(nodes.paragraph)
        if isinstance(paragraph.parent, nodes.section)
        and not any(paragraph.findall(lambda node: isinstance(node, nodes.image | nodes.raw)))
    ]
    text = " ".join(" ".join(paragraphs).split())
    if len(text) <= _DESCRIPTION:
        return text
    return text[: _DESCRIPTION - 1].rsplit(" ", 1)[0].rstrip(".,:;") + "…"


def _copy_explorer(app: Sphinx, error: Exception | None) -> None:
    """Copy the explorer, which also works from a clone; there its links lead to Markdown."""
    explorer = _DOCS / "explorer"
    if error is None and explorer.is_dir() and app.builder.format == "html":
        page = shutil.copytree(explorer, app.outdir / "explorer", dirs_exist_ok=True) / "index.html"
        page.write_text(page.read_text("utf-8").replace('.md">', '.html">'), "utf-8")
