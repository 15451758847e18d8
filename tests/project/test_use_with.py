"""docs/use-with.md: each section runs as written, with the real libraries.

The other runtimes are in no group; `.ci/run runtimes` installs and tests them.
"""

import json
import pickle
import re
import shutil
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
import regex
import rustbpe

from bpetite import Tokenizer
from bpetite._boundaries import blocks
from bpetite._patterns import ALL_PATTERNS, PATTERNS
from bpetite_compare._encodings import make_encoding, ranks_of, specials_of
from bpetite_compare._engines import drift
from cli_tools import BPETITE, call
from compare_tools import HOSTILE, real_texts, write_tokenizer
from nasty import NINE, alike
from pages import run_blocks
from project_tools import MODULES, ROOT, run, run_program
from texts import texts_in_every_script

pytestmark = pytest.mark.thorough

INTRODUCTION, *PARTS = re.split(
    r"^## ", (ROOT / "docs" / "use-with.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
SECTIONS: Final = {title: text for title, _, text in (part.partition("\n") for part in PARTS)}
RUNTIMES: Final = [title for title, text in SECTIONS.items() if "```js" in text]
installed: Final = pytest.mark.skipif(
    not MODULES.is_dir(), reason="the other runtimes are not installed"
)
torch: Final = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
NEEDS: Final = dict.fromkeys(RUNTIMES, installed) | {"nanochat": torch}
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
DATASETS: Final = """
from bpetite import Tokenizer
from datasets import load_dataset

tokenizer = Tokenizer.load("tokenizer.json")

if __name__ == "__main__":
    texts = load_dataset("text", data_files="sample.txt", split="train")
    texts.map(lambda row: {"ids": tokenizer.encode(row["text"])}, num_proc=2)
"""
NANOCHAT: Final = [
    *("<|bos|>", "<|user_start|>", "<|user_end|>", "<|assistant_start|>", "<|assistant_end|>"),
    *("<|python_start|>", "<|python_end|>", "<|output_start|>", "<|output_end|>"),
]
"""nanochat's special tokens in order: SPECIAL_TOKENS of nanochat/tokenizer.py at 92d63d4."""
NANOCHAT_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""Its pattern, as it is written there."""


@pytest.fixture
def folder(tmp_path: Path, offline: None) -> Path:
    """Return a folder with the sample and its tokenizer, and confine other libraries to it."""
    shutil.copy(ROOT / "docs" / "sample.txt", tmp_path)
    run_blocks(INTRODUCTION, tmp_path)
    return tmp_path


@pytest.mark.parametrize("title", [pytest.param(one, marks=NEEDS.get(one, ())) for one in SECTIONS])
def test_a_section_runs(folder: Path, title: str) -> None:
    """Its commands and its program succeed, and print what the page shows."""
    run_blocks(SECTIONS[title], folder)
    assert re.search("```(python|js|yaml)", SECTIONS[title])


def test_the_hook_is_a_budget(folder: Path) -> None:
    """The command of the hook accepts a short file, and fails with one above the budget."""
    (entry,) = re.findall("entry: bpetite (.*)", SECTIONS["Continuous integration"])
    assert call(entry, "sample.txt", cwd=folder).returncode == 0
    (folder / "long.txt").write_text("the river " * 2000)
    result = call(entry, "sample.txt", "long.txt", cwd=folder)
    assert (result.returncode, len(result.told)) == (1, 1)
    assert result.told[0].startswith("error: long.txt: ")


@pytest.fixture(scope="module")
def in_every_script() -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer, and the texts in every script on which it was trained."""
    texts = [*HOSTILE, *texts_in_every_script()]
    return Tokenizer.train(texts, 8192, pattern="gpt4"), texts


def encode_all(section: str, folder: Path) -> None:
    """Run a section that encodes all texts, not only its own."""
    section = re.sub(r"^```text\n.*?^```$", "", section, flags=re.DOTALL | re.MULTILINE)
    section = section.replace("--bos", "--eos '<|endoftext|>' --bos")  # with several names
    (call,) = CALL.finditer(section)
    run_blocks(section.replace(call[0], call.expand(FOR_ALL)), folder)


@installed
@pytest.mark.parametrize(
    ("title", "name"),
    [
        (title, name)
        for title in RUNTIMES
        for name in ALL_PATTERNS
        if title != "llama.cpp" or ALL_PATTERNS[name].llama_cpp
    ],
)
def test_ids_of_every_pattern(
    folder: Path, in_every_script: tuple[Tokenizer, list[str]], title: str, name: str
) -> None:
    """A runtime has bpetite's ids with nine special tokens, except where the page says not."""
    pattern, in_scripts = ALL_PATTERNS[name].text, in_every_script[1]
    parts = (part for text in real_texts() for part in blocks(text, 1 << 13))
    texts = [*in_scripts, *alike(name, 5200), *parts]
    # For llama.cpp, one that overlaps another is left out: it finds the longest first.
    special = [one.replace("s>x1>", "<|bos|>") if title == "llama.cpp" else one for one in NINE]
    # Any two bytes of the texts merge, so that other chunks show; first those of two characters.
    pairs = {pair for text in texts for pair in pairwise(text.encode())}
    merges = sorted(pairs, key=lambda pair: (0x80 <= pair[1] < 0xC0, pair))
    # llama.cpp gets unused tokens for the ids before them.
    first = 256 + len(merges) + 9 * (title == "llama.cpp")
    ids = {token: token_id for token_id, token in enumerate(special, first)}
    path = write_tokenizer(folder / "tokenizer.json", merges, special=ids, pattern=name)
    tokenizer = Tokenizer.load(path)
    (folder / "texts.json").write_text(json.dumps(texts))
    encode_all(SECTIONS[title], folder)
    found = json.loads((folder / "ids.json").read_bytes())
    wrong = [at for at, text in enumerate(texts) if tokenizer.encode(text) != found[at]]
    differs = {r"(?!)"}
    if "(?i:" in pattern:
        differs.add("'\u017f")
    assert title != "llama.cpp" or f"`{ALL_PATTERNS[name].llama_cpp}`" in SECTIONS[title].replace(
        '"', "`"
    )
    if title == "llama.cpp" and r"\p{M}" in pattern:
        differs.add(r"\p{M}|(?![A-Za-z])[\p{Lu}\p{Lt}\p{Ll}]")
        count = sum(at < len(in_scripts) for at in wrong)
        assert f" {count:,} of {len(in_scripts):,} texts " in SECTIONS[title]
    assert [texts[at] for at in wrong if not regex.search("|".join(differs), texts[at])] == []
    assert bool(wrong) == (len(differs) > 1)


@installed
def test_ids_of_onnxruntime_extensions(
    folder: Path, in_every_script: tuple[Tokenizer, list[str]]
) -> None:
    """It loads the folder, and has other ids for as many texts as the page says."""
    tokenizer, texts = in_every_script
    tokenizer.save(folder / "tokenizer.json", overwrite=True)
    (folder / "texts.json").write_text(json.dumps(texts))
    bpetite = ("export", "--model", "tokenizer.json", "--to", "huggingface", "--output", "hf")
    assert run(BPETITE, *bpetite, cwd=folder).returncode == 0
    run_program(folder, ONNX)
    found = json.loads((folder / "ids.json").read_bytes())
    wrong = sum(map(list.__ne__, found, map(tokenizer.encode, texts)))
    said = f" {wrong:,} of {len(texts):,} texts "
    assert said in SECTIONS["transformers"].replace("\n", " ")


def test_datasets_finds_its_cache(folder: Path) -> None:
    """A second run writes no file: using the tokenizer does not change its hash in datasets."""
    runs = []
    for _ in range(2):
        run_program(folder, DATASETS)
        runs.append({path: path.stat().st_mtime_ns for path in folder.glob("cache/**/*.arrow")})
    assert any("00001_of_00002" in path.name for path in runs[0])  # from the second process
    assert runs[0] == runs[1]


def test_nanochat_gets_the_tokenizer_that_it_would_train(
    folder: Path, in_every_script: tuple[Tokenizer, list[str]]
) -> None:
    """The encoding has rustbpe's ranks and ids, and nanochat's special tokens after them."""
    texts = [text for text in in_every_script[1] if drift(PATTERNS["nanochat"]).isdisjoint(text)]
    corpus = "\n".join(texts)
    (folder / "sample.txt").write_bytes(corpus.encode())
    run_nanochat(folder, 4096)
    encoding = pickle.loads((folder / "tokenizer.pkl").read_bytes())  # noqa: S301 - just made
    trainer = rustbpe.Tokenizer()
    trainer.train_from_iterator(iter([corpus]), 4096, pattern=NANOCHAT_PATTERN)
    ranks = {bytes(token): rank for token, rank in trainer.get_mergeable_ranks()}
    special = {name: len(ranks) + place for place, name in enumerate(NANOCHAT)}
    assert (ranks_of(encoding), specials_of(encoding)) == (ranks, special)
    theirs = make_encoding("rustbpe", trainer.get_pattern(), ranks, special)
    assert encoding.encode_ordinary_batch(texts) == theirs.encode_ordinary_batch(texts)
    assert len(ranks) == 4096
    assert len(texts) > 4000


def run_nanochat(folder: Path, size: int) -> None:
    """Run its section at another vocabulary size, with an array of numpy for torch's."""
    section = SECTIONS["nanochat"].partition("```text")[0]
    for old, new in (
        ("--vocab-size 512", f"--vocab-size {size}"),
        ("import torch", "import numpy as np"),
        ("torch.save(torch.tensor(sizes, dtype=torch.int32), ", "np.array(sizes, np.int32).dump("),
    ):
        assert section.count(old) == 1
        section = section.replace(old, new)
    run_blocks(section, folder, compare=False)
