"""Draw the tables and pictures of docs/pictures.md for texts of your own, in their own folder.

    uv run python scripts/benchmarks/vocabularies.py FILE... --json FOLDER/pictures.json
    uv run --group generate python scripts/generate/own_pictures.py FOLDER

It writes FOLDER/pictures.md and FOLDER/pictures.
"""

import re
import sys
from pathlib import Path
from typing import Final

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from generate.pictures import PAGE, read_figures, tables  # noqa: E402 - found by the line above
from generate.places import filled  # noqa: E402
from generate.plots import pictures  # noqa: E402

_NO_PROSE: Final = re.compile(r"^(?:#.*|!\[.*|<!-- made by (?s:.*?)<!-- end -->)$", re.MULTILINE)
"""The headings, pictures and tables of the page; its sentences are about other texts."""


def main(*folders: str) -> str | None:
    """Write the files; return an error message."""
    folder = Path(*folders[:1])
    if len(folders) != 1 or not (folder / "pictures.json").is_file():
        return "error: expected one folder, in which vocabularies.py wrote pictures.json"
    measured = read_figures(folder / "pictures.json")
    page = "\n\n".join(_NO_PROSE.findall(PAGE.read_text(encoding="utf-8")))
    files = {"pictures.md": f"{filled(page, tables(measured))}\n"}
    files |= {f"pictures/{name}.svg": svg for name, svg in pictures(measured).items()}
    (folder / "pictures").mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
