"""Type checkers on a program that uses all of the core, on mistakes, and on the packages."""

import json
import os
import re
from pathlib import Path
from typing import Any, Final

import pytest

from project_tools import run, tool

pytestmark = pytest.mark.thorough

PROGRAM: Final = """\
import logging
from pathlib import Path

from bpetite import Tokenizer


class Progress(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        match vars(record):
            case {"event": "count" | "counted", "characters": int(characters)}:
                print(f"{characters:,} characters counted")
            case {"event": "merge", "merges": int(merges), "merges_wanted": int(wanted)}:
                print(f"{merges / wanted:.0%} of the merges")
            case {"event": "end", "mergeable_vocab_size": int(size)}:
                print(f"{size} tokens")
            case _:
                pass


logger = logging.getLogger("bpetite")
logger.setLevel(logging.INFO)
logger.addHandler(Progress())

counts: dict[str, int] = {Path("docs/sample.txt").read_text(encoding="utf-8"): 2}
tokenizer: Tokenizer = Tokenizer.train(counts, vocab_size=456)
ids: list[int] = tokenizer.encode("the river")
tokenizer.save(Path("typed.json"), overwrite=True)
text: str = Tokenizer.load("typed.json").decode(ids)
print(ids, text)
"""
MISTAKES: Final = (
    "Tokenizer.train(b'text', 300)",
    "Tokenizer.train('text', '300')",
    "Tokenizer.train({1: 'text'}, 300)",
    "tokenizer.encode(b'text')",
    "tokenizer.decode('text')",
    "tokenizer.decode([1.5])",
    "tokenizer.save(1)",
    "tokenizer.save('path', overwrite='yes')",
    "Tokenizer.load(b'path').nothing",
    "wrong: str = tokenizer.encode('text')",
)


def pyright(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Return the status and the report of pyright."""
    # It looks for the packages of the first `python` on the path.
    path = f"{tool('python').parent}{os.pathsep}{os.environ['PATH']}"
    result = run(tool("basedpyright"), "--outputjson", *words, cwd=folder, env={"PATH": path})
    return result.returncode, json.loads(result.stdout)


def lines_with_errors(checker: str, folder: Path) -> set[int]:
    """Return the numbers of the lines of `program.py` with type errors."""
    if checker == "mypy":
        command = (tool("mypy"), "--strict", "--cache-dir", os.devnull, "program.py")
        result = run(*command, cwd=folder)
        found = re.findall(r"^program.py:(\d+): error:", result.stdout, re.MULTILINE)
        status, numbers = result.returncode, {int(number) for number in found}
    else:
        status, report = pyright(folder, "program.py")
        places = [one["range"]["start"] for one in report["generalDiagnostics"]]
        numbers = {place["line"] + 1 for place in places}
    assert status == bool(numbers)
    return numbers


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_mistakes_are_found(checker: str, tmp_path: Path) -> None:
    """The program has no error, and each wrong type of an argument or a result is one."""
    first = PROGRAM.count("\n") + 1
    (tmp_path / "program.py").write_text(PROGRAM + "\n".join(MISTAKES) + "\n", encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    assert lines_with_errors(checker, tmp_path) == set(range(first, first + len(MISTAKES)))


@pytest.mark.parametrize("package", ["bpetite", "bpetite_compare", "bpetite_compare.reference"])
def test_everything_public_has_a_type(package: str, tmp_path: Path) -> None:
    """Pyright knows the complete type of every public name, from the package alone."""
    _, report = pyright(tmp_path, "--ignoreexternal", "--verifytypes", package)
    completeness = report["typeCompleteness"]
    assert completeness["pyTypedPath"].endswith("py.typed")
    assert completeness["exportedSymbolCounts"]["withKnownType"] > 0
    assert completeness["completenessScore"] == 1
