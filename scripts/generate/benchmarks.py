"""docs/benchmarks.md and the README's table, from the samples in docs/benchmarks*.json."""

import re
from pathlib import Path
from typing import Final

from bench.report import page, short
from bench.results import Run, load_run

_ROOT: Final = Path(__file__).parents[2]
_BETWEEN_MARKERS: Final = re.compile(
    r"(?<=<!-- made by scripts/generate -->\n).*(?=<!-- end -->)", re.DOTALL
)


def files() -> dict[Path, str]:
    """Return the page, and the README with its table."""
    runs = read_runs()
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")
    return {
        Path("README.md"): with_table(readme, short(runs)),
        Path("docs/benchmarks.md"): page(runs, "benchmarks.svg"),
    }


def read_runs() -> list[Run]:
    """Return the runs that are committed."""
    paths = sorted((_ROOT / "docs").glob("benchmarks*.json"), key=lambda path: path.stem)
    return [load_run(path) for path in paths]


def with_table(readme: str, table: str) -> str:
    """Return the README with another table between its markers.

    Raises:
        ValueError: it has no such place, or more than one.
    """
    changed, places = _BETWEEN_MARKERS.subn(lambda _: table, readme)
    if places != 1:
        message = f"README.md must have one place between the two markers, and has {places}"
        raise ValueError(message)
    return changed
