"""Fill the tables of docs/benchmarks.md and the README from docs/benchmarks.json."""

from pathlib import Path
from typing import Final

from benchmarks.report import sections, short
from benchmarks.results import Run, load_runs
from generate.places import filled

_ROOT: Final = Path(__file__).parents[2]


def files() -> dict[Path, str]:
    """Return the page and the README."""
    runs = read_runs()
    tables = {
        "docs/benchmarks.md": sections(runs),
        "README.md": {"speed": short(runs)},
    }
    return {
        Path(page): filled((_ROOT / page).read_text(encoding="utf-8"), made)
        for page, made in tables.items()
    }


def read_runs() -> list[Run]:
    """Return the committed runs."""
    return load_runs(_ROOT / "docs" / "benchmarks.json")
