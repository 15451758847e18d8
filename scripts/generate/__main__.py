"""Regenerate every generated file, or list outdated ones.

    uv run python scripts/generate             all of them
    uv run python scripts/generate --check     write nothing; exit with 1 if one differs
    uv run python scripts/generate vectors     one part

`command` is the command, and each part is a module.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from generate.command import main  # noqa: E402 - found by the line above

if __name__ == "__main__":
    sys.exit(main())
