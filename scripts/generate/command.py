"""The command: write what each part returns, or compare it with the files."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = "uv run --group generate python scripts/generate"

PARTS: Final = (
    *("version", "commands", "completions", "reference", "schema", "output", "vectors"),
    *("terminal", "benchmarks", "patterns", "sizes", "explorer", "one_file", "merging", "plots"),
    "course_pictures",
)
"""The modules with the parts. The one that draws the course's pictures is beside the course."""

sys.path.append(str(ROOT / "docs" / "course"))


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the files of some parts below a folder, or compare them; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python scripts/generate",
        description="Regenerate every generated file, or list those that are out of date.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts).difference(PARTS):
        parser.error(f"there is no part {min(unknown)!r}, only {', '.join(PARTS)}")
    outdated = []
    for part in options.parts or PARTS:
        module = part if part == "course_pictures" else f"generate.{part}"
        files: Mapping[Path, str] = import_module(module).files()
        for path, text in files.items():
            place = root / path
            if place.is_file() and place.read_bytes() == text.encode("utf-8"):
                continue
            print(f"{path}: {'out of date' if options.check else 'written'}")
            outdated.append(part)
            if not options.check:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode("utf-8"))
    if not options.check or not outdated:
        return 0
    print(f"write them with: {COMMAND} {' '.join(dict.fromkeys(outdated))}")
    return 1
