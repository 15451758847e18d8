"""Generate the table of split patterns in docs/patterns.md."""

from pathlib import Path
from typing import Final

from bpetite._patterns import ALL_PATTERNS, PATTERNS
from generate.places import filled

_PAGE: Final = Path("docs/patterns.md")
_ROOT: Final = Path(__file__).parents[2]
_EXAMPLES: Final = {
    "numbers": "in 12345",
    "newlines": 'so."\n\nIt',
    "contractions": "it's IT'S",
    "code": "f(x);\n    getName()",
    "marks": "हिन्दी",
}


def files() -> dict[Path, str]:
    """Return the page."""
    page = (_ROOT / _PAGE).read_text(encoding="utf-8")
    return {_PAGE: filled(page, {"patterns": _notes(), "chunks": _chunks()})}


def _notes() -> str:
    rows = [f"| `{pattern.name}` | {pattern.note} |" for pattern in ALL_PATTERNS.values()]
    return "\n".join(["| pattern | of whom, and what it does |", "|---|---|", *rows, ""])


def _chunks() -> str:
    """Return a table with the chunks of each example, one column for each pattern."""
    rows = [
        " | ".join([what, *(_shown(pattern.split(text)) for pattern in PATTERNS.values())])
        for what, text in _EXAMPLES.items()
    ]
    head = " | ".join(["", *(f"`{name}`" for name in PATTERNS)])
    return "\n".join(
        [f"|{head} |", "|---" * (len(PATTERNS) + 1) + "|", *map("| {} |".format, rows), ""]
    )


def _shown(chunks: list[str]) -> str:
    """Return chunks as code, with a bar between them."""
    return f"`{'│'.join(chunks)}`".replace("\n", "\\n")
