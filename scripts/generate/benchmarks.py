"""The tables of docs/benchmarks.md, the README and the course, from docs/benchmarks.json."""

from pathlib import Path
from typing import Final

from bench.report import sections, short
from bench.results import Run, load_runs
from generate.places import filled

_ROOT: Final = Path(__file__).parents[2]


def files() -> dict[Path, str]:
    """Return the page, the README and a page of the course."""
    runs = read_runs()
    tables = {
        "docs/benchmarks.md": sections(runs),
        "README.md": {"speed": short(runs)},
        "docs/course/14-questions.md": {"summary": sections(runs)["summary"]},
    }
    return {
        Path(page): filled((_ROOT / page).read_text(encoding="utf-8"), made)
        for page, made in tables.items()
    }


def read_runs() -> list[Run]:
    """Return the runs that are committed."""
    return load_runs(_ROOT / "docs" / "benchmarks.json")
