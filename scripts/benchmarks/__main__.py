"""Measure bpetite and other tokenizers on your texts.

    uv run --group benchmarks python scripts/benchmarks FILE... [--large FILE] [--json PATH]

`run` is the command. `build_corpora.py` builds the texts of docs/benchmarks.md, and
`vocabularies.py` measures what docs/vocabulary-size.md shows.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from benchmarks.run import main  # noqa: E402 - found by the line above

if __name__ == "__main__":
    sys.exit(main())
