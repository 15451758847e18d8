"""Regenerate every generated file, or list outdated ones.

    uv run --group generate python scripts/generate
    ... --check     write nothing; exit with 1 if one differs
    ... commands    generate one part, such as this one

`command` is the command, and each part is a module.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from generate.command import COMMAND, main  # noqa: E402 - found by the line above

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ModuleNotFoundError as error:
        if error.name != "shtab":
            raise  # one of our own modules
        sys.exit(f"error: {error.name} is not installed; run {COMMAND}")
