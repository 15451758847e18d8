"""The command: write what each part returns, or compare it with the files."""

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = "uv run --group generate python scripts/generate"

PARTS: Final = {
    "version": "generate.version",
    "commands": "generate.commands",
    "reference": "generate.reference",
    "output": "generate.output",
    "benchmarks": "benchmarks.report",
    "patterns": "generate.patterns",
    "models": "generate.models",
    "vocabulary_size": "generate.vocabulary_size",
    "pictures": "generate.pictures",
    "charts": "generate.charts",
    "explorer": "generate.explorer",
    "one_file": "generate.one_file",
    "course_pictures": "course_pictures",  # beside the course
}
"""The module of each part."""

_PLACE: Final = re.compile(
    r"(<!-- made by scripts/generate: ([\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL
)

sys.path.append(str(ROOT / "docs" / "course"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files of some parts, or compare them; return the exit status."""
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
        files: Mapping[Path, str] = import_module(PARTS[part]).files()
        for path, text in files.items():
            place = ROOT / path
            if place.is_file() and place.read_bytes() == text.encode("utf-8"):
                continue
            print(f"{path}: {'out of date' if options.check else 'written'}")
            outdated.append(part)
            if not options.check:
                place.write_bytes(text.encode("utf-8"))
    if not options.check or not outdated:
        return 0
    print(f"write them with: {COMMAND} {' '.join(dict.fromkeys(outdated))}")
    return 1


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return the text of a page with each table between its markers.

    <!-- made by scripts/generate: NAME -->
    <!-- end -->

    Raises:
        ValueError: the page has no place for a table, or two.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    places = [name for _, name in _PLACE.findall(text)]
    if any(places.count(name) != 1 for name in tables):
        raise ValueError(f"{page} has places for {places}, and the tables are {[*tables]}")
    return _PLACE.sub(
        lambda place: f"{place[1]}\n{tables[place[2]]}\n" if place[2] in tables else place[0], text
    )


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
