"""Write each page of the course as a notebook that installs what it needs.

    python3 scripts/notebooks.py FOLDER ADDRESS

ADDRESS is that of the repository, as for `git clone`. The first cell of a notebook clones it and
installs its packages from there. What a page shows as printed is the output of a cell. The last
cells write the starting file of each exercise of the page, and check it. They need no uv.
"""

import base64
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_COURSE: Final = Path(__file__).parents[1] / "docs" / "course"
_START: Final = _COURSE.parent / "exercises" / "start"
# A block of code with what it prints.
_BLOCK: Final = re.compile(
    r"^```(python|sh|console)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_EXERCISE: Final = re.compile(r"\[(\d\d), [^]]*\]\(\.\./exercises/tasks\.md#")
_COMMAND: Final = re.compile(r"^\$ (?:uv run )?((?:.*\\\n)*.*\n)", re.MULTILINE)
_LINK: Final = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
_OWN: Final = {
    "./bpetite/packages/compare": r"^from bpetite_compare|^\$ uv run bpetite import",
    "./bpetite/packages/cli": r"^\$ uv run bpetite",
}
_OTHERS: Final = re.compile(
    "^(?:import|from) (rustbpe|tiktoken|tokenizers|transformers)\\b", re.MULTILINE
)


def notebook(page: Path, address: str) -> dict[str, Any]:
    """Return a page as a notebook."""
    text = page.read_text(encoding="utf-8")
    own = [name for name, sign in _OWN.items() if re.search(sign, text, re.MULTILINE)]
    packages = " ".join(["./bpetite/packages/core", *own, *sorted({*_OTHERS.findall(text)})])
    install = (
        f"![ -d bpetite ] || git clone --quiet --depth 1 {shlex.quote(address)} bpetite\n"
        f"%pip install --quiet {packages}\n"
        "%cd -q bpetite/docs/course"
    )
    python = {"name": "python3", "display_name": "Python 3"}
    cells = [_code(install, ""), *_cells(text), *_checks(text)]
    return {"cells": cells, "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 4}


def _cells(text: str) -> Iterator[dict[str, Any]]:
    start = 0
    for block in _BLOCK.finditer(text):
        yield from _words(text[start : block.start()])
        language, source, printed = block.groups(default="")
        if language == "console":
            # `!` runs a command in a terminal, as the page shows it.
            printed = _COMMAND.sub("", source)
            source = "".join(f"!{command}" for command in _COMMAND.findall(source))
        yield _code(f"%%sh\n{source}" if language == "sh" else source, printed)
        start = block.end()
    yield from _words(text[start:])


def _checks(text: str) -> Iterator[dict[str, Any]]:
    """Yield the cells for each exercise of a page: what to complete, and the check of it."""
    for number in sorted({*_EXERCISE.findall(text)}):
        name, start = f"my_{number}.py", _START / f"exercise_{number}.py"
        yield from _words(f"Exercise {number}: complete this cell, run it, and run the next one.")
        yield _code(f"%%writefile {name}\n{start.read_text(encoding='utf-8')}", "")
        yield _code(f"!python ../exercises/check.py {number} {name}", "")


def _words(text: str) -> Iterator[dict[str, Any]]:
    if words := _LINK.sub(_moved, text).strip():
        yield {"cell_type": "markdown", "metadata": {}, "source": words}


def _code(source: str, printed: str) -> dict[str, Any]:
    stream = {"output_type": "stream", "name": "stdout", "text": printed}
    cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "execution_count": None}
    return {**cell, "source": source.rstrip("\n"), "outputs": [stream] if printed else []}


def _moved(link: re.Match[str]) -> str:
    """Return a link from a notebook: to another one, to a picture in it, or into the clone."""
    path, anchor = link.groups(default="")
    if path.endswith(".svg"):
        picture = base64.b64encode((_COURSE / path).read_bytes()).decode("ascii")
        return f"](data:image/svg+xml;base64,{picture})"
    if re.match(r"\d\d-", path):
        return f"]({path.removesuffix('.md')}.ipynb{anchor})"
    return f"]({os.path.normpath(f'bpetite/docs/course/{path}')}{anchor})"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 scripts/notebooks.py FOLDER ADDRESS")
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    for page in _COURSE.glob("[0-9]*.md"):
        text = json.dumps(notebook(page, sys.argv[2]), ensure_ascii=False, indent=1)
        Path(sys.argv[1], f"{page.stem}.ipynb").write_text(f"{text}\n", encoding="utf-8")
