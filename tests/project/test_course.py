"""The course: its code runs as pasted, what it names exists, and the toy is bpetite."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts import saved
from bpetite import Tokenizer
from pages import check_commands
from project_tools import ROOT
from texts import TEXTS, TIES

pytestmark = pytest.mark.thorough

TOY: Final[Any] = importlib.import_module("toy")
COURSE: Final = ROOT / "docs" / "course"
START: Final = COURSE / "README.md"
PAGES: Final = sorted(COURSE.glob("[0-9]*.md"))


COPIED: Final = (
    *(f"course/{page.name}" for page in PAGES),
    *(f"samples/{name}.json" for name in ("prose", "code", "scripts")),
    *("course/toy.py", "sample.txt"),
)
"""The files that the blocks read, below docs."""
NAMING: Final = [page for page in PAGES if "In bpetite's code" in page.read_text("utf-8")]


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def resolve(name: str) -> object:
    """Return what a page calls `_module.name`, `oracle.name` or `bpetite_compare.name`."""
    module, *path = name.split(".")
    found: Any = importlib.import_module(f"bpetite.{module}" if module[0] == "_" else module)
    for attribute in path:
        if not hasattr(found, attribute):
            return importlib.import_module(name)
        found = getattr(found, attribute)
    return found


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    """Each module, function, constant and test that a page refers to exists."""
    code = page.read_text("utf-8").partition("\n<summary>In bpetite's code</summary>\n")[2]
    names = re.findall(r"`((?:_|oracle\.|bpetite_compare\.)[\w.]+)`", code)
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", code)
    assert names
    assert tests
    assert [name for name in names if resolve(name) is None] == []
    assert [name for path, name in tests if f"\ndef {name}(" not in (ROOT / path).read_text()] == []


def test_the_toy_matches_the_pages() -> None:
    """Each definition of toy.py is quoted, word for word, on the page that is named above it."""
    source = (COURSE / "toy.py").read_text("utf-8")
    lines = source.splitlines()
    page = START
    seen: set[Path] = set()
    for node in ast.parse(source).body[1:]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if (comment := lines[node.lineno - 2]).startswith("# "):
            page = COURSE / comment.removeprefix("# ")
        shown = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        assert f"\n{shown}\n" in "\n" + "\n".join(blocks(page, "python")), shown
        seen.add(page)
    assert len(seen) == 9
    assert len([line for line in lines if line and not line.startswith("#")]) < 70  # as stated


@given(st.lists(TIES | TEXTS, max_size=2), TEXTS)
def test_toy_equals_bpetite(documents: Sequence[str], text: str) -> None:
    """On any corpus and text the toy learns, writes, encodes and decodes like bpetite."""
    merges = TOY.train(documents, 262)
    tokenizer = Tokenizer.train(documents, 262)
    assert TOY.artifact_of(merges) == saved(tokenizer)
    ids = tokenizer.encode(text)
    assert TOY.encode(text, merges) == ids
    assert TOY.decode(ids, merges) == tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.data] * (page in {PAGES[15], PAGES[17]}))
        for page in [START, *PAGES]
    ],
    ids=lambda page: page.stem,
)
def test_blocks_can_be_pasted_into_a_prompt(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Typed into Python one after the other, the blocks print exactly what the page shows."""
    environment = {}
    fixture = {PAGES[15]: "gpt2_merges", PAGES[17]: "model_files"}.get(page)
    if fixture:
        data = request.getfixturevalue(fixture)
        (tmp_path / "course").mkdir()
        links = {"vocab.bpe": data} if page == PAGES[15] else {"llama2": None, "llama3": None}
        for name, path in links.items():
            (tmp_path / "course" / name).symlink_to(path or data / name)
        environment["TIKTOKEN_CACHE_DIR"] = str(request.getfixturevalue("tiktoken_cache"))
    for path in COPIED:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(COURSE.parent / path, tmp_path / path)
    session = subprocess.run(
        [sys.executable, "-i", "-q"],
        input="\n\n".join([*blocks(page, "python"), "\n"]),
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path / "course",
        env={"PYTHONUTF8": "1", "PYTHONWARNINGS": "error", **environment},
        timeout=120,
        check=True,
    )
    assert not re.search("Traceback|Error", session.stderr), session.stderr
    assert session.stdout == "".join(blocks(page, "text"))


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page != PAGES[15] and blocks(page, "console")],
    ids=lambda page: page.stem,
)
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed into a shell in the folder of the page, the commands print exactly what it shows."""
    shutil.copy(COURSE.parent / "sample.txt", tmp_path)
    (tmp_path / "course").mkdir()
    monkeypatch.chdir(tmp_path / "course")
    for block in blocks(page, "console"):
        check_commands(block)
