"""Fill the tables of docs/benchmarks.md and the README from docs/benchmarks.json."""

from pathlib import Path
from typing import Final

from benchmarks.report import sections, short
from benchmarks.results import load_runs
from generate.places import filled

_ROOT: Final = Path(__file__).parents[2]
_ON_PAGE: Final = ("summary", "goals", "train", "gpt4", "encode", "cores", "runs")


def files() -> dict[Path, str]:
    """Return the page and the README."""
    runs = load_runs(_ROOT / "docs" / "benchmarks.json")
    made = sections(runs)
    on_page = {name: made[name] for name in _ON_PAGE}
    tables = {"docs/benchmarks.md": on_page, "README.md": {"speed": short(runs)}}
    return {
        Path(page): filled((_ROOT / page).read_text(encoding="utf-8"), shown)
        for page, shown in tables.items()
    }
