"""Make docs/benchmarks.md, its plot and the README's table from docs/benchmarks*.json.

    uv run --group bench python scripts/bench/publish.py

It is run at the top of a clone. Where matplotlib is not installed, the plot stays as it is.
"""

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from plot import save_plot
from report import page
from results import Run, load_run
from summary import short

_DOCS: Final = Path("docs")
_README: Final = Path("README.md")
_BETWEEN_MARKERS: Final = re.compile(
    r"(?<=<!-- made by scripts/bench/publish.py -->\n).*(?=<!-- end -->)", re.DOTALL
)


def main() -> int:
    """Write the three files, and return the exit status."""
    try:
        paths = sorted(_DOCS.glob("benchmarks*.json"), key=lambda path: path.stem)
        publish([load_run(path) for path in paths])
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def publish(runs: Sequence[Run]) -> None:
    """Write the page, the README's table, and the plot where it can be drawn.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: there is no run, or the README has no place for the table.
    """
    if not runs:
        message = "no docs/benchmarks*.json; make one with --json, and stand at the top of a clone"
        raise ValueError(message)
    readme = _README.read_bytes().decode("utf-8")
    readme, places = _BETWEEN_MARKERS.subn(lambda _: short(runs), readme)
    if places != 1:
        message = f"{_README} must have one place between the two markers, and has {places}"
        raise ValueError(message)
    _README.write_text(readme, encoding="utf-8")
    (_DOCS / "benchmarks.md").write_text(page(runs, "benchmarks.svg"), encoding="utf-8")
    if find_spec("matplotlib"):
        save_plot(runs, _DOCS / "benchmarks.svg")


if __name__ == "__main__":
    sys.exit(main())
