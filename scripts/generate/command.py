"""The command: write what each part returns, or compare it with the files."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

PARTS: Final = {
    "version": "tomllib",
    "manual": "bpetite_cli",
    "completions": "shtab",
    "reference": "bpetite",
    "schema": "bpetite",
    "output": "bpetite",
    "vectors": "bpetite",
    "terminal": "bpetite_cli",
    "benchmarks": "bpetite_compare",
    "pictures": "bpetite",
    "explorer": "bpetite",
    "course_pictures": "tokenizers",
    "plots": "matplotlib",
}
"""The module of each part, and the package that it requires."""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the files of some parts below a folder, or compare them; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python scripts/generate",
        description="Regenerate every generated file, or list those that are out of date.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"there is no part {min(unknown)!r}, only {', '.join(PARTS)}")
    stale = False
    for part in options.parts or PARTS:
        if find_spec(PARTS[part]) is None:
            print(f"{part}: skipped, because {PARTS[part]} is not installed", file=sys.stderr)
            continue
        files: Callable[[], Mapping[Path, str]] = import_module(f"generate.{part}").files
        for path, text in files().items():
            place = root / path
            if place.is_file() and place.read_bytes() == text.encode("utf-8"):
                continue
            print(f"{path}: {'out of date' if options.check else 'written'}")
            stale = True
            if not options.check:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode("utf-8"))
    return int(stale and options.check)
