"""How Sphinx makes a site of these pages.

    uv run --group docs sphinx-build --fail-on-warning --fresh-env docs site

The pages are plain Markdown, for a host of code as much as for the site: what MyST adds to
the language is turned off, and the navigation stands here. A page that is not in it, a link
to a page or a heading that is not there, and code that its language does not know are
errors. Nothing in the site comes from another host, so it can be read offline; the search
works from a folder, too.
"""

import html
import os
import re
import shutil
from pathlib import Path
from typing import Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

project = "bpetite"
extensions = ["myst_parser"]
nitpicky = True
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
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
pygments_dark_style = "github-dark"  # the default underlines the names of modules
html_static_path = ["site.css"]
html_css_files = ["site.css"]

_DOCS: Final = Path(__file__).parent
_NAVIGATION: Final = (
    ("Course", "course/README.md", "course/[0-9]*.md"),
    (
        "Exercises",
        *(f"exercises/{name}.md" for name in ("README", "tasks", "hints", "answers/README")),
    ),
    (
        "Reference",
        *(f"reference/{name}.md" for name in ("api", "commands", "output", "artifact", "errors")),
    ),
    (
        "What it does",
        *(f"{name}.md" for name in ("pictures", "patterns", "comparison", "benchmarks")),
        "large-corpora.md",
    ),
    ("Why to trust it", "requirements.md", "reliability.md", "proof/README.md"),
    ("How it is made", "words.md", "architecture.md", "decisions.md"),
)
"""A title, and the pages below it, as patterns of files that need not be there yet."""

_TO_EXPLORER: Final = re.compile(r"\[([^]\n]+)\]\(((?:\.\./)*explorer/index\.html[^)\s]*)\)")


def setup(app: Sphinx) -> None:
    """Take part in the making of the pages."""
    app.connect("source-read", _add_navigation)
    app.connect("source-read", _link_explorer)
    # Before 500, when Sphinx looks for the links to files.
    app.connect("doctree-read", _link_what_is_no_page, priority=400)
    app.connect("build-finished", _copy_explorer)


def _add_navigation(_app: Sphinx, page: str, source: list[str]) -> None:
    """End the front page with the navigation, which Sphinx shows beside every page."""
    if page != "index":
        return
    for title, *patterns in _NAVIGATION:
        files = [file for pattern in patterns for file in sorted(_DOCS.glob(pattern))]
        pages = [file.relative_to(_DOCS).with_suffix("").as_posix() for file in files]
        if pages:
            head = ["", "```{toctree}", ":hidden:", f":caption: {title}", ""]
            source[0] += "\n".join([*head, *pages, "```", ""])


def _link_explorer(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Link to the explorer with its fragment, which MyST would take off a link to a file."""
    source[0] = _TO_EXPLORER.sub(
        lambda link: f'<a href="{html.escape(link[2])}">{html.escape(link[1])}</a>', source[0]
    )


def _link_what_is_no_page(app: Sphinx, document: nodes.document) -> None:
    """Give a copy of a page of the repository that is none of the site, as of any other file."""
    for link in list(document.findall(addnodes.pending_xref)):
        file = Path(f"{link['reftarget']}.md")
        if link.get("refdomain") == "doc" and file.is_absolute() and file.is_file():
            folder = (_DOCS / app.env.docname).parent
            copy = addnodes.download_reference(reftarget=os.path.relpath(file, folder))
            copy += link.children
            link.replace_self(copy)


def _copy_explorer(app: Sphinx, error: Exception | None) -> None:
    """Put the explorer on the site as it is: a page of its own, which also works from a disk."""
    explorer = _DOCS / "explorer"
    if error is None and explorer.is_dir() and app.builder.format == "html":
        shutil.copytree(explorer, app.outdir / "explorer", dirs_exist_ok=True)
