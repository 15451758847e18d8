"""Generate the table of split patterns in docs/patterns.md."""

from pathlib import Path
from typing import Final

from bpetite._patterns import ALL_PATTERNS, PATTERNS
from generate.command import filled

_PAGE: Final = Path("docs/patterns.md")
_EXAMPLES: Final = {
    "numbers": "in 12345",
    "newlines": 'so."\n\nIt',
    "contractions": "it's IT'S",
    "code": "f(x);\n    getName()",
    "marks": "हिन्दी",
}


def files() -> dict[Path, str]:
    """Return the page."""
    notes = "| pattern | of whom, and what it does |\n|---|---|\n"
    notes += "".join(f"| `{one.name}` | {one.note} |\n" for one in ALL_PATTERNS.values())
    chunks = f"| | `{'` | `'.join(PATTERNS)}` |\n|---{'|---' * len(PATTERNS)}|\n"
    for what, text in _EXAMPLES.items():
        cells = (_shown(pattern.split(text)) for pattern in PATTERNS.values())
        chunks += f"| {what} | {' | '.join(cells)} |\n"
    return {_PAGE: filled(str(_PAGE), {"patterns": notes, "chunks": chunks})}


def _shown(chunks: list[str]) -> str:
    """Return chunks as code, with a bar between them."""
    return f"`{'│'.join(chunks)}`".replace("\n", "\\n")
