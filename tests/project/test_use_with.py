"""docs/use-with.md: each section runs as written, with the real libraries."""

import inspect
import os
import pickle
import re
import shutil
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from bpetite import Tokenizer
from cli_tools import BPETITE
from pages import check
from project_tools import ROOT, run, run_program

pytestmark = pytest.mark.thorough

INTRODUCTION, *PARTS = re.split(
    r"^## ", (ROOT / "docs" / "use-with.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
SECTIONS: Final = {title: text for title, _, text in (part.partition("\n") for part in PARTS)}
NANOCHAT: Final = [
    "<|bos|>",
    "<|user_start|>",
    "<|user_end|>",
    "<|assistant_start|>",
    "<|assistant_end|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|output_start|>",
    "<|output_end|>",
]
"""nanochat's special tokens in order: SPECIAL_TOKENS of nanochat/tokenizer.py at 92d63d4."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the sample and its tokenizer, and confine other libraries to it."""
    monkeypatch.setenv("PATH", f"{Path(BPETITE).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path / "docs")
    run_blocks(INTRODUCTION, tmp_path)
    return tmp_path


def run_blocks(text: str, folder: Path) -> str:
    """Run commands and programs, compare the programs' output, and return their messages."""
    printed = messages = ""
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if language == "sh":
            result = run("bash", "-ec", block, cwd=folder)
            assert result.returncode == 0, result.stderr
        elif language == "python":
            result = run_program(folder, block)
            printed, messages = result.stdout, messages + result.stderr
        else:
            check(block, printed)
            printed = ""
    assert printed == "", "the page does not show it"
    return messages


@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_runs(folder: Path, title: str) -> None:
    """Its commands and its program succeed, and print what the page shows."""
    run_blocks(SECTIONS[title], folder)
    assert "```python" in SECTIONS[title]


def test_the_recipe_for_untrusted_text_is_encodes() -> None:
    """The page cuts an untrusted text with the lines in the docstring of `encode`."""
    documented = inspect.getdoc(Tokenizer.encode) or ""
    (recipe,) = re.findall(r"^    parts = .*\n    ids = .*\n", documented, re.MULTILINE)
    assert dedent(recipe) in SECTIONS["Untrusted text"]


def test_datasets_finds_its_cache(folder: Path) -> None:
    """A second run writes no file: using the tokenizer does not change its hash in datasets."""

    def files() -> dict[Path, int]:
        arrow = (folder / "cache").rglob("*.arrow")
        return {path: path.stat().st_mtime_ns for path in arrow}

    run_blocks(SECTIONS["datasets"], folder)
    before = files()
    assert any("00001_of_00002" in path.name for path in before)  # from the second process
    run_blocks(SECTIONS["datasets"], folder)
    assert files() == before


def test_nanochat_gets_its_special_tokens(folder: Path) -> None:
    """The pickled encoding has nanochat's nine special tokens after the last id, in its order."""
    run_blocks(SECTIONS["nanochat"], folder)
    encoding = pickle.loads((folder / "tokenizer.pkl").read_bytes())  # noqa: S301 - just made
    assert [encoding.encode_single_token(name) for name in NANOCHAT] == list(range(513, 522))
    text = (folder / "docs" / "sample.txt").read_bytes().decode("utf-8")
    expected = Tokenizer.load(folder / "tokenizer.json").encode(text)
    assert encoding.encode_ordinary(text) == expected


def test_the_bar_is_full_at_the_end(folder: Path) -> None:
    """The bar counts tokens, and ends with all of them."""
    assert " 512/512 " in run_blocks(SECTIONS["Progress bar"], folder).rpartition("\r")[2]
