"""The course: pages are uniform and in order, the names in them exist, and the toy is bpetite."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import parse_qsl

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from project_tools import ROOT
from texts import TEXTS, TIES

pytestmark = pytest.mark.thorough

COURSE: Final = ROOT / "docs" / "course"
START: Final = COURSE / "README.md"
PAGES: Final = sorted(COURSE.glob("[0-9]*.md"))
PARTS: Final = ["The invariant", "What goes wrong without it", "In the code"]
TOKENIZERS: Final = {"trained", "prose", "code", "scripts"}


def part(page: Path, name: str) -> str:
    """Return the text under a heading of a page."""
    _, _, rest = page.read_text("utf-8").partition(f"\n## {name}\n")
    return rest.partition("\n## ")[0]


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.fixture(scope="module")
def toy() -> Iterator[ModuleType]:
    """Return the tokenizer of the course."""
    sys.path.insert(0, str(COURSE))
    yield importlib.import_module("toy")
    sys.path.remove(str(COURSE))
    del sys.modules["toy"]


def test_there_are_sixteen_pages() -> None:
    """The pages are numbered from 0 to 15, and each begins with its number."""
    numbers = [int(page.name.split("-")[0]) for page in PAGES]
    assert numbers == list(range(16))
    for number, page in zip(numbers, PAGES, strict=True):
        assert page.read_text("utf-8").startswith(f"# {number}. ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_the_same_parts(page: Path) -> None:
    """Each page has one title and ends with the code; pages 1 to 11 have the same parts."""
    without_code = re.sub(
        r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    assert len(re.findall(r"^# ", without_code, re.MULTILINE)) == 1
    parts = re.findall(r"^##+ (.*)$", without_code, re.MULTILINE)
    assert parts == PARTS if page in PAGES[1:12] else parts[-1] == PARTS[-1]
    assert not re.search(r"^(:::|!!!|\{%)", without_code, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_opens_with_a_question_its_picture_and_the_explorer(page: Path) -> None:
    """Below the title are a question, the page's own picture with a description, and a link."""
    question, picture, link = page.read_text("utf-8").split("\n\n")[1:4]
    assert re.fullmatch(r"\*\*[A-Z].*\?\*\*", question)
    number = page.name.split("-")[0]
    assert re.fullmatch(rf"!\[[^\]]{{60,}}\]\(pictures/course-{number}-\w+(-\w+)*\.svg\)", picture)
    assert re.match(r"In the explorer: \[.+\]\(\.\./explorer/index\.html#view=", link)


def test_every_picture_is_on_one_page() -> None:
    """No picture is unused, and none is shown twice."""
    shown = re.findall(r"\(pictures/(.+?)\)", "".join(page.read_text("utf-8") for page in PAGES))
    assert sorted(shown) == sorted(path.name for path in (COURSE / "pictures").iterdir())


def test_explorer_links_use_known_keys(toy: ModuleType) -> None:
    """Each link to the explorer has a fragment of known keys, and steps that training reaches."""
    script = (ROOT / "docs" / "explorer" / "page.js").read_text("utf-8")
    (known,) = re.findall(r"const \{ (view, [\w, ]+) \} = logic\.ofFragment", script)
    merges = len(toy.train(toy.CORPUS, 264))
    links = [
        link
        for page in PAGES
        for link in re.findall(r"explorer/index\.html#([^)]*)\)", page.read_text("utf-8"))
    ]
    assert len(links) >= len(PAGES)
    for link in links:
        state = dict(parse_qsl(link, keep_blank_values=True, strict_parsing=True))
        assert state.keys() <= set(known.split(", "))
        assert state["view"] in {"text", "train"}
        assert state.get("tokenizer") in ({None} if state["view"] == "train" else TOKENIZERS)
        made = merges if state.get("tokenizer", "trained") == "trained" else 4096 - 256
        assert int(state.get("merges", 0)) <= int(state.get("step", made)) <= made
        assert int(state.get("at", 0)) < len(state.get("text", " ").encode())


def test_the_pages_are_linked_in_order() -> None:
    """The start links each page, in order; the foot of each links the previous and the next one."""
    table = re.findall(r"^\| \[(.*)\]\((.*)\) \|", START.read_text("utf-8"), re.MULTILINE)
    titles = {page: page.read_text("utf-8").splitlines()[0].removeprefix("# ") for page in PAGES}
    assert table == [(title, page.name) for page, title in titles.items()]
    titles[START] = "The start"
    links = {page: f"[{title}]({page.name})" for page, title in titles.items()}
    assert START.read_text("utf-8").endswith(f"\n---\n\nNext: {links[PAGES[0]]}\n")
    for before, page, after in zip([START, *PAGES], PAGES, [*PAGES[1:], START], strict=False):
        foot = f"\n---\n\nPrevious: {links[before]} · Next: {links[after]}\n"
        assert page.read_text("utf-8").endswith(foot)


def test_heading_links_are_valid() -> None:
    """If a page of the course links to a heading, that heading exists."""
    links = [
        (page.parent / target, anchor)
        for page in [START, *PAGES]
        for target, anchor in re.findall(r"\]\(([\w./-]+)#([\w-]+)\)", page.read_text("utf-8"))
    ]
    assert links
    for target, anchor in links:
        headings = re.findall(r"^##+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
        words = [re.sub(r"[^\w -]", "", heading.lower()) for heading in headings]
        assert anchor in {heading.replace(" ", "-") for heading in words}


def resolve(name: str) -> object:
    """Return what a page calls `_module.name`, `oracle.name` or `bpetite_compare.name`."""
    module, *path = name.split(".")
    found: Any = importlib.import_module(f"bpetite.{module}" if module[0] == "_" else module)
    for attribute in path:
        if not hasattr(found, attribute):
            return importlib.import_module(name)
        found = getattr(found, attribute)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_named_on_a_page_exists(page: Path) -> None:
    """Each module, function and constant that a page refers to exists."""
    names = re.findall(r"`((?:_|oracle\.|bpetite_compare\.)[\w.]+)`", part(page, "In the code"))
    assert names
    for name in names:
        assert resolve(name) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    """Each `path::name` is a test of that file, and every page has some."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", part(page, "In the code"))
    assert named
    assert len(re.findall(r"`tests/", page.read_text("utf-8"))) == len(named) + len(
        re.findall(r"`tests/oracle\.py`", page.read_text("utf-8"))
    )
    for path, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), (
            path,
            name,
        )


def test_every_theorem_that_a_page_names_is_proved() -> None:
    """Each `File.theorem` is in the tables of the proof."""
    proved = (ROOT / "docs" / "proof" / "README.md").read_text("utf-8")
    files = "|".join(path.stem for path in (ROOT / "docs" / "proof").glob("*.v"))
    named = {
        name
        for page in PAGES
        for name in re.findall(rf"`((?:{files})\.[a-z]\w+)`", page.read_text("utf-8"))
    }
    assert len(named) >= 5
    assert [name for name in named if f"`{name}`" not in proved] == []


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
def test_toy_equals_bpetite(toy: ModuleType, documents: Sequence[str], text: str) -> None:
    """On any corpus and text the toy learns, writes, encodes and decodes like bpetite."""
    merges = toy.train(documents, 262)
    tokenizer = Tokenizer.train(documents, 262)
    ids = tokenizer.encode(text)
    assert toy.encode(text, merges) == ids
    assert toy.decode(ids, merges) == tokenizer.decode(ids) == text


def test_the_toy_writes_bpetites_file(toy: ModuleType, tmp_path: Path) -> None:
    """From the course's corpus, at every size, the toy writes bpetite's artifact."""
    for size in range(256, 290):
        Tokenizer.train(toy.CORPUS, size).save(tmp_path / "ours.json", overwrite=True)
        assert (tmp_path / "ours.json").read_bytes() == toy.artifact_of(toy.train(toy.CORPUS, size))


@pytest.mark.parametrize(
    "page",
    [START, *PAGES[:15], pytest.param(PAGES[15], marks=pytest.mark.data)],
    ids=lambda page: page.stem,
)
def test_blocks_can_be_pasted_into_a_prompt(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Typed into Python one after the other, the blocks print exactly what the page shows."""
    for path in ("course/toy.py", "explorer/samples.js", "sample.txt", "pictures.json"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(COURSE.parent / path, tmp_path / path)
    environment = {"PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}
    if page == PAGES[15]:
        path = request.getfixturevalue("gpt2_merges")
        shutil.copy(path, tmp_path / "course" / "vocab.bpe")
        environment["TIKTOKEN_CACHE_DIR"] = str(path.parent)
    session = subprocess.run(
        [sys.executable, "-i", "-q"],
        input="\n\n".join([*blocks(page, "python"), "\n"]),
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path / "course",
        env=environment,
        timeout=120,
        check=True,
    )
    assert not re.search("Traceback|Error", session.stderr), session.stderr
    assert session.stdout == "".join(blocks(page, "text"))


@pytest.fixture(scope="module")
def algorithms(toy: ModuleType) -> dict[str, Any]:
    """Return the names that the code on the page of other algorithms defines."""
    names: dict[str, Any] = dict(vars(toy))
    exec("\n".join(blocks(PAGES[13], "python")), names)  # noqa: S102 - our own page
    return names


CHUNKS: Final = st.text("towe Sö", min_size=1, max_size=8).map(str.encode)
LETTERS: Final = st.lists(st.text("abc", min_size=1, max_size=5).map(str.encode), min_size=1)


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


@given(chunks=LETTERS, size=st.integers(256, 262))
def test_the_best_cut_is_the_cheapest_of_all(
    algorithms: dict[str, Any], chunks: list[bytes], size: int
) -> None:
    """For any vocabulary, no way to cut a chunk into tokens is cheaper."""
    costs = algorithms["train_unigram"](chunks, size)
    assert len(costs) <= size

    def every_cost(chunk: bytes) -> Iterator[float]:
        if not chunk:
            yield 0.0
        for end in range(1, len(chunk) + 1):
            if chunk[:end] in costs:
                yield from (costs[chunk[:end]] + rest for rest in every_cost(chunk[end:]))

    for chunk in chunks:
        cost, cut = algorithms["best_cut"](chunk, costs)
        assert b"".join(cut) == chunk
        assert cost == pytest.approx(min(every_cost(chunk)))
