"""The course: its code runs as pasted, what it names exists, and the toy is bpetite."""

import ast
import contextlib
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

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
SOLUTION: Final = re.compile(
    "^<details>\n<summary>The code of.*?^</details>$", re.MULTILINE | re.DOTALL
)
"""A fold that an exercise asks the reader to leave closed."""
NAMING: Final = [page for page in PAGES if "In bpetite's code" in page.read_text("utf-8")]
LEFT_CLOSED: Final = [page for page in PAGES if SOLUTION.search(page.read_text("utf-8"))]


def blocks(page: Path, language: str, *, closed: bool = False) -> list[str]:
    """Return the fenced blocks of a page in a language, perhaps without solutions."""
    text = page.read_text("utf-8")
    if closed:
        text = SOLUTION.sub("", text)
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
    ids = tokenizer.encode(text)
    assert TOY.encode(text, merges) == ids
    assert TOY.decode(ids, merges) == tokenizer.decode(ids) == text


def test_the_toy_writes_bpetites_file(tmp_path: Path) -> None:
    """From the course's corpus, at every size, the toy writes bpetite's artifact."""
    for size in range(256, 290):
        Tokenizer.train(TOY.CORPUS, size).save(tmp_path / "ours.json", overwrite=True)
        assert (tmp_path / "ours.json").read_bytes() == TOY.artifact_of(TOY.train(TOY.CORPUS, size))


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
    paste(page, tmp_path, environment)


@pytest.mark.parametrize("page", LEFT_CLOSED, ids=lambda page: page.stem)
def test_solutions_can_stay_folded(page: Path, tmp_path: Path) -> None:
    """Pages 4 to 6 fold the code that an exercise asks for, and run without it."""
    assert [page.stem[:2] for page in LEFT_CLOSED] == ["04", "05", "06"]
    paste(page, tmp_path, {}, closed=True)


def paste(page: Path, folder: Path, more: Mapping[str, str], *, closed: bool = False) -> None:
    """Type the blocks of a page into Python, and compare what they print with the page."""
    for path in COPIED:
        (folder / path).parent.mkdir(exist_ok=True)
        shutil.copy(COURSE.parent / path, folder / path)
    session = subprocess.run(
        [sys.executable, "-i", "-q"],
        input="\n\n".join([*blocks(page, "python", closed=closed), "\n"]),
        capture_output=True,
        encoding="utf-8",
        cwd=folder / "course",
        env={"PYTHONUTF8": "1", "PYTHONWARNINGS": "error", **more},
        timeout=120,
        check=True,
    )
    assert not re.search("Traceback|Error", session.stderr), session.stderr
    assert session.stdout == "".join(blocks(page, "text", closed=closed))


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


@pytest.fixture(scope="module")
def algorithms() -> dict[str, Any]:
    """Return the names that the code on the page of other algorithms defines."""
    names: dict[str, Any] = dict(vars(TOY))
    with contextlib.chdir(COURSE):
        exec("\n".join(blocks(PAGES[13], "python")), names)  # noqa: S102 - our own page
    return names


CHUNKS: Final = st.text("towe Sö", min_size=1, max_size=8).map(str.encode)


def as_letters(token: bytes) -> str:
    """Return a character for each byte, for a library that knows only text."""
    return "".join(chr(0x100 + byte) for byte in token)


@given(chunk=CHUNKS)
def test_wordpiece_matches_hugging_face(algorithms: dict[str, Any], chunk: bytes) -> None:
    """With the page's vocabulary, taking the longest token first gives the library's tokens."""
    tokens = algorithms["wordpiece"]
    vocab = {"[UNK]": 0} | {as_letters(token): 1 + n for n, token in enumerate(tokens)}
    vocab |= {f"##{letters}": len(vocab) + n for n, letters in enumerate(list(vocab)[1:])}
    model = tokenizers.models.WordPiece(vocab, unk_token="[UNK]")  # noqa: S106 - no password
    theirs = [one.value.removeprefix("##") for one in model.tokenize(as_letters(chunk))]
    ours = algorithms["longest_first"](chunk, tokens)
    assert theirs == [as_letters(token) for token in ours]


@given(chunk=CHUNKS)
def test_unigram_matches_hugging_face(algorithms: dict[str, Any], chunk: bytes) -> None:
    """With the page's costs, the cheapest cut costs what the library's costs."""
    costs = algorithms["unigram"]
    scores = [(as_letters(token), -cost) for token, cost in costs.items()]
    model = tokenizers.models.Unigram(scores, unk_id=0)
    cost_of = {as_letters(token): cost for token, cost in costs.items()}
    theirs = sum(cost_of[one.value] for one in model.tokenize(as_letters(chunk)))
    assert algorithms["best_cut"](chunk, costs)[0] == pytest.approx(theirs)
