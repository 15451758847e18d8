"""Make docs/benchmarks.md, its plot and the README's table from the samples of runs.

    uv run --group bench python scripts/bench/publish.py docs/benchmarks.json...

It is run at the top of a clone. Where matplotlib is not installed, the plot stays as it is.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from plot import save_plot
from report import page, short
from results import Run, load_run

_PAGE: Final = Path("docs/benchmarks.md")
_PLOT: Final = Path("docs/benchmarks.svg")
_README: Final = Path("README.md")
_BETWEEN_MARKERS: Final = re.compile(
    r"(?<=<!-- made by scripts/bench/publish.py -->\n).*(?=<!-- end -->)", re.DOTALL
)


def main() -> int:
    """Write the three files, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("runs", nargs="+", type=Path, metavar="JSON", help="what --json wrote")
    try:
        publish([load_run(path) for path in parser.parse_args().runs])
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def publish(runs: Sequence[Run]) -> None:
    """Write the page, the README's table, and the plot where it can be drawn.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the README has no place for the table.
    """
    readme, places = _BETWEEN_MARKERS.subn(lambda _: short(runs), _README.read_text("utf-8"))
    if places != 1:
        message = (
            f"{_README} must have the two markers of the table once, and has them {places} times"
        )
        raise ValueError(message)
    _README.write_text(readme, encoding="utf-8")
    _PAGE.write_text(page(runs), encoding="utf-8")
    if find_spec("matplotlib"):
        save_plot(runs, _PLOT)


if __name__ == "__main__":
    sys.exit(main())
