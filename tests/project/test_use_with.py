"""docs/use-with.md: each section runs as written, with the real libraries.

The other runtimes are in no group; CONTRIBUTING.md has the commands that install and test them.
"""

import json
import os
import pickle
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from cli_tools import BPETITE
from compare_tools import HOSTILE
from pages import check
from project_tools import ROOT, node, run, run_program
from texts import texts_in_every_script

pytestmark = pytest.mark.thorough

INTRODUCTION, *PARTS = re.split(
    r"^## ", (ROOT / "docs" / "use-with.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
SECTIONS: Final = {title: text for title, _, text in (part.partition("\n") for part in PARTS)}
RUNTIMES: Final = [title for title, text in SECTIONS.items() if "```js" in text]
MODULES: Final = Path(os.environ.get("BPETITE_RUNTIMES", "missing")).absolute() / "node_modules"
"""What npm installed, if it was asked to."""
installed: Final = pytest.mark.skipif(
    not MODULES.is_dir() or find_spec("gguf") is None,
    reason="the other runtimes are not installed",
)
CALL: Final = re.compile(r"""^console\.log\((.*)"the clerk's"(.*)\);$""", re.MULTILINE)
"""The last line of a runtime's program."""
FOR_ALL: Final = r"""
const { readFileSync: read, writeFileSync: write } = await import("node:fs");
const texts = JSON.parse(read("texts.json", "utf-8"));
write("ids.json", `[${texts.map((text) => \1text\2)}]`);
"""
"""What takes its place, to encode all texts."""
ONNX: Final = """
import json
from onnxruntime_extensions.pp_api import Tokenizer

tokenizer = Tokenizer("hf")
with open("texts.json") as file, open("ids.json", "w") as output:
    json.dump([list(tokenizer.tokenize(text)) for text in json.load(file)], output)
"""
NANOCHAT: Final = [
    *("<|bos|>", "<|user_start|>", "<|user_end|>", "<|assistant_start|>", "<|assistant_end|>"),
    *("<|python_start|>", "<|python_end|>", "<|output_start|>", "<|output_end|>"),
]
"""nanochat's special tokens in order: SPECIAL_TOKENS of nanochat/tokenizer.py at 92d63d4."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the sample and its tokenizer, and confine other libraries to it."""
    monkeypatch.setenv("PATH", f"{Path(BPETITE).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path)
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
        elif language == "js":
            printed = run_node(folder, block)
        else:
            check(block, printed)
            printed = ""
    assert printed == "", "the page does not show it"
    return messages


def run_node(folder: Path, program: str) -> str:
    """Run JavaScript in a folder with the modules that npm installed; return what it prints."""
    (folder / "program.mjs").write_text(program, encoding="utf-8")
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(MODULES)
    result = run(node() or "node", "program.mjs", cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "title", [pytest.param(one, marks=[installed] * (one in RUNTIMES)) for one in SECTIONS]
)
def test_a_section_runs(folder: Path, title: str) -> None:
    """Its commands and its program succeed, and print what the page shows."""
    run_blocks(SECTIONS[title], folder)
    assert re.search("```(python|js)", SECTIONS[title])


@pytest.fixture(scope="module")
def in_every_script() -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer, and the texts in every script on which it was trained."""
    texts = [*HOSTILE, *texts_in_every_script()]
    return Tokenizer.train(texts, 8192), texts


@pytest.fixture
def scripts(folder: Path, in_every_script: tuple[Tokenizer, list[str]]) -> Path:
    """Return the folder, with this tokenizer in the place of the sample's."""
    tokenizer, texts = in_every_script
    tokenizer.save(folder / "tokenizer.json", overwrite=True)
    (folder / "texts.json").write_text(json.dumps(texts))
    return folder


def with_other_ids(folder: Path) -> str:
    """Return what the page says about the number of texts in `ids.json` with other ids."""
    tokenizer = Tokenizer.load(folder / "tokenizer.json")
    texts = json.loads((folder / "texts.json").read_bytes())
    found = json.loads((folder / "ids.json").read_bytes())
    pairs = zip(found, map(tokenizer.encode, texts), strict=True)
    return f" {sum(one != other for one, other in pairs):,} of {len(texts):,} texts "


@installed
@pytest.mark.parametrize(
    ("title", "old", "new"),
    [
        *[(title, "", "") for title in RUNTIMES],
        ("llama.cpp", 'pre("gpt-2")', 'pre("default")'),
        ("js-tiktoken", r"`\t-\r\x85\p{Z}`", r"`\s`"),
    ],
)
def test_ids_in_every_script(scripts: Path, title: str, old: str, new: str) -> None:
    """A runtime has bpetite's ids; with another line, the page says how many texts are wrong."""
    section = re.sub(r"^```text\n.*?^```$", "", SECTIONS[title], flags=re.DOTALL | re.MULTILINE)
    assert not old or section.count(old) == 1
    section = section.replace(old, new)
    (call,) = CALL.finditer(section)
    run_blocks(section.replace(call[0], call.expand(FOR_ALL)), scripts)
    wrong = with_other_ids(scripts)
    assert wrong in section if old else wrong.startswith(" 0 of ")


@installed
def test_ids_of_onnxruntime_extensions(scripts: Path) -> None:
    """It loads the folder, and has other ids for as many texts as the page says."""
    bpetite = ("export", "--model", "tokenizer.json", "--to", "huggingface", "--output", "hf")
    assert run(BPETITE, *bpetite, cwd=scripts).returncode == 0
    run_program(scripts, ONNX)
    assert with_other_ids(scripts) in SECTIONS["transformers"].replace("\n", " ")


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
    text = (folder / "sample.txt").read_bytes().decode("utf-8")
    expected = Tokenizer.load(folder / "tokenizer.json").encode(text)
    assert encoding.encode_ordinary(text) == expected


def test_the_bar_is_full_at_the_end(folder: Path) -> None:
    """The bar counts tokens, and ends with all of them."""
    assert " 512/512 " in run_blocks(SECTIONS["Progress bar"], folder).rpartition("\r")[2]
