"""The course: its code runs as pasted, passes the exercises, and is bpetite."""

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
from project_tools import ROOT, run
from texts import TEXTS, TIES

pytestmark = pytest.mark.thorough

TOY: Final[Any] = importlib.import_module("toy")
COURSE: Final = ROOT / "docs" / "course"
START: Final = COURSE / "README.md"
PAGES: Final = sorted(COURSE.glob("[0-9]*.md"))


COPIED: Final = (
    *(f"course/{page.name}" for page in PAGES),
    *(f"samples/{name}.json" for name in ("prose", "code", "scripts")),
    *("course/toy.py", "course/algorithms.py", "sample.txt"),
)
"""The files that the blocks read, below docs."""
FILE: Final = "# my_tokenizer.py\n"
"""What a block begins with that readers copy into their own file."""
TYPED: Final = ("02", *(f"{number:02}" for number in range(4, 12)))
"""The exercises that this file passes; 01 and 03 are done by hand, and 12 to 14 have no page."""


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def typed(*pages: Path) -> str:
    """Return the file that readers of some pages have at the end."""
    return "\n".join(
        block for page in pages for block in blocks(page, "python") if block.startswith(FILE)
    )


def named(*pages: str) -> list[Path]:
    """Return the pages whose names begin so."""
    return [page for page in PAGES if page.name.startswith(pages)]


def test_the_toy_matches_the_pages() -> None:
    """Each definition of toy.py is what readers copy from the page that is named above it."""
    source = (COURSE / "toy.py").read_text("utf-8")
    lines = source.splitlines()
    page, shown = "", ""
    for node in ast.parse(source).body[1:]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if (comment := lines[node.lineno - 2]).startswith("# "):
            page = comment.removeprefix("# ")
        code = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        assert f"\n{code}\n" in "\n" + typed(COURSE / page), code
        shown += code
    imported = re.sub(r"^(import|from) .*|^#.*|\n", "", typed(*named("0")), flags=re.MULTILINE)
    assert imported == re.sub(r"\n", "", shown)


def test_the_typed_file_is_as_short_as_promised() -> None:
    """Pages 1 to 9 make a file of fewer than a hundred lines."""
    lines = typed(*named("0")).splitlines()
    assert 80 < len([line for line in lines if line and not line.startswith("#")]) < 100
    assert "into one file, in fewer than a hundred lines." in START.read_text("utf-8")


@pytest.mark.parametrize("everything", [False, True], ids=["copied", "pasted"])
def test_what_a_reader_types_passes_the_exercises(
    *, everything: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of the pages, one after the other, are a tokenizer that trains bpetite's file.

    The second time, all blocks are pasted, with what they try out, and nothing comes from the toy.
    """
    pages = named("0", "10")
    code = typed(*pages)
    if everything:
        every = "\n".join(block for page in pages for block in blocks(page, "python"))
        code = re.sub(r"^from toy import .*\n", "", every, flags=re.MULTILINE)
        code = code.replace('"..', f'"{COURSE.parent.as_posix()}')
        assert "toy" not in code
    path = tmp_path / "my_tokenizer.py"
    path.write_text(code, "utf-8")
    check = COURSE.parent / "exercises" / "check.py"
    done = run(sys.executable, check, "05", path, cwd=tmp_path)
    assert done.stdout.startswith("exercise 05: right\n"), done.stdout
    done = run(sys.executable, check, cwd=tmp_path)
    for number in TYPED:
        assert f"exercise {number}: right\n" in done.stdout
    assert "\n9 of 14 done. Next: exercise 01.\nTo begin: cp " in done.stdout
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own pages
    file = names["tokenizer_file"](names["train"](TOY.CORPUS, 264))
    assert file == saved(Tokenizer.train(TOY.CORPUS, 264))


def bare(source: str) -> dict[str, str]:
    """Return the functions in a source, without annotations and docstrings."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            node.body = [
                one
                for one in node.body
                if ast.get_docstring(node) is None or one is not node.body[0]
            ]
            for argument in node.args.args:
                argument.annotation = None
            found[node.name] = re.sub(
                r"(?m)^( *\w+): .* = (\[\]|\{\})$", r"\1 = \2", ast.unparse(node)
            )
    return found


def test_course_and_exercises_have_the_same_functions() -> None:
    """A function has one name, one signature and one body on the pages and in the answers."""
    pages = bare(typed(*named("0", "10")))
    answers: dict[str, str] = {}
    for number in TYPED:
        answers |= bare(
            (COURSE.parent / "exercises/answers" / f"exercise_{number}.py").read_text("utf-8")
        )
    assert {*pages} - {*answers} == {"chunks_of", "tokenizer_file"}
    assert {name: pages[name] for name in answers} == answers


def test_a_page_says_first_how_to_run_its_blocks() -> None:
    """No block comes before the link, and nothing that readers type is folded."""
    for page in PAGES:
        text = page.read_text("utf-8")
        assert "](README.md#how-to-run-the-blocks)" in text.partition("\n```")[0], page.name
        assert "<details>" not in text
    assert "\n## How to run the blocks\n" in START.read_text("utf-8").partition("\n```")[0]


def test_the_exercises_have_the_order_of_the_pages() -> None:
    """Each page asks for the next exercises, and the tasks link to it."""
    exercise = re.compile(r"\[(\d\d), [^]]*\]\(\.\./exercises/tasks\.md#")
    asked = [
        (number, page.name)
        for page in PAGES
        for number in exercise.findall(page.read_text("utf-8"))
    ]
    assert [number for number, _ in asked] == [f"{number:02}" for number in range(1, 15)]
    tasks = (COURSE.parent / "exercises" / "tasks.md").read_text("utf-8")
    assert re.findall(r"exercise_(\d\d)\.py\), \[page \d+\]\(\.\./course/(.*)\)", tasks) == asked


@given(st.lists(TIES | TEXTS, max_size=2), TEXTS)
def test_toy_equals_bpetite(documents: Sequence[str], text: str) -> None:
    """On any corpus and text the toy learns, writes, encodes and decodes like bpetite."""
    merges = TOY.train(documents, 262)
    tokenizer = Tokenizer.train(documents, 262)
    assert TOY.tokenizer_file(merges) == saved(tokenizer)
    ids = tokenizer.encode(text)
    assert TOY.encode(text, merges) == ids
    vocab = {**TOY.vocabulary(merges), 256 + len(merges): TOY.END_OF_TEXT.encode("utf-8")}
    assert TOY.decode(ids, vocab) == tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.data] * (page in named("15", "17")))
        for page in [START, *PAGES]
    ],
    ids=lambda page: page.stem,
)
def test_blocks_can_be_pasted_into_a_prompt(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Typed into Python one after the other, the blocks print exactly what the page shows."""
    environment = {}
    if page in named("15"):
        (tmp_path / "course").mkdir()
        data = request.getfixturevalue("gpt2_merges")
        (tmp_path / "course" / "vocab.bpe").symlink_to(data)
    if page in named("15", "17"):
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
    [page for page in PAGES if page not in named("15") and blocks(page, "console")],
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
