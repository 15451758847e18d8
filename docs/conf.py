"""How Sphinx makes a site of these pages.

    uv run --group docs sphinx-build --fail-on-warning --fresh-env docs site

The pages are plain Markdown, for a host of code as much as for the site: what MyST adds to
the language is turned off, and the navigation stands here. A page that is not in it, a link
to a page or a heading that is not there, and code that its language does not know are
errors. Nothing in the site comes from another host, so it can be read offline; the search
works from a folder, too.
"""

import os
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
    ("Reference", *(f"reference/{name}.md" for name in ("api", "commands", "artifact", "errors"))),
    ("What it does", "pictures.md", "comparison.md", "benchmarks.md"),
    ("Why to trust it", "requirements.md", "reliability.md", "proof/README.md", "vectors.md"),
    ("How it is made", "words.md", "architecture.md", "decisions.md"),
)
"""A title, and the pages below it, as patterns of files that need not be there yet."""


def setup(app: Sphinx) -> None:
    """Take part in the making of the pages."""
    app.connect("source-read", _add_navigation)
    # Before 500, when Sphinx looks for the links to files.
    app.connect("doctree-read", _link_what_is_no_page, priority=400)


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


def _link_what_is_no_page(app: Sphinx, document: nodes.document) -> None:
    """Give a copy of a page of the repository that is none of the site, as of any other file."""
    for link in list(document.findall(addnodes.pending_xref)):
        file = Path(f"{link['reftarget']}.md")
        if link.get("refdomain") == "doc" and file.is_absolute() and file.is_file():
            folder = (_DOCS / app.env.docname).parent
            copy = addnodes.download_reference(reftarget=os.path.relpath(file, folder))
            copy += link.children
            link.replace_self(copy)
