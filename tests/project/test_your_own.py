"""docs/your-own.md: its commands lead from documents to a model that learns.

`.ci/run extend` has torch for the last step.
"""

import json
import random
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bpetite import Tokenizer
from pages import blocks, check
from project_tools import ROOT, run, run_program

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "your-own.md").read_text(encoding="utf-8")
BLOCKS: Final = [block for _, block in blocks(PAGE, "sh|python|text")]
HOLD_OUT, SIZES, ENCODE, PROGRAM, OUTPUT, *_ = BLOCKS
SMALL: Final = {"65535": "600", "16383": "400"}
"""The sizes of the page, and those for a text of some kilobytes."""
TEXT: Final = (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")


def documents(seed: int) -> list[str]:
    """Return documents, one of them with the text of the special token."""
    source = random.Random(seed)
    words = TEXT.split(" ")
    texts = [" ".join(source.choices(words, k=source.randrange(400))) for _ in range(39)]
    return [*texts, "before <|endoftext|> after"]


def ids_of(texts: list[str], tokenizer: Tokenizer) -> list[int]:
    """Return the ids of documents, each after the special token."""
    (end,) = tokenizer.special_tokens.values()
    return [one for text in texts for one in (end, *tokenizer.encode(text, ordinary=True))]


def run_shell(folder: Path, *commands: str) -> None:
    """Run commands of the page, with smaller sizes."""
    text = "".join(commands)
    for size, smaller in SMALL.items():
        text = text.replace(size, smaller)
    result = run("bash", "-ec", text, cwd=folder)
    assert result.returncode == 0, result.stderr


@pytest.fixture
def folder(tmp_path: Path, offline: None) -> Path:
    """Return a folder with the page's tokenizer and ids of a text in JSON Lines."""
    lines = [json.dumps({"text": text}) for text in documents(1)]
    (tmp_path / "text.jsonl").write_text("\n".join(lines) + "\n")
    run_shell(tmp_path, HOLD_OUT, SIZES, ENCODE)
    return tmp_path


@pytest.mark.posix
def test_the_ids_are_those_of_the_documents(folder: Path) -> None:
    """A tenth is held out; the tokenizer is that of direct training, and so are the ids."""
    held_out = documents(1)[9::10]
    learned = [text for text in documents(1) if text not in held_out]
    tokenizer = Tokenizer.train(learned, int(SMALL["16383"]), pattern="gpt4")
    tokenizer.save(folder / "expected.json")
    assert (folder / "tokenizer.json").read_bytes() == (folder / "expected.json").read_bytes()
    for name, texts in ("train", learned), ("held-out", held_out):
        found = np.fromfile(folder / f"ids/{name}.jsonl.u16", "<u2").tolist()
        assert found == ids_of(texts, tokenizer)


@pytest.mark.posix
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_the_model_learns(folder: Path) -> None:
    """The program prints what the page shows, and fewer bits per byte after training."""
    printed = run_program(folder, PROGRAM).stdout
    check(re.sub(r"[0-9.]+", "...", OUTPUT), printed)
    before, after = (float(line.split()[1]) for line in printed.splitlines())
    assert 0 < after < before / 2


@pytest.mark.posix
def test_parquet_needs_another_option(tmp_path: Path, offline: None) -> None:
    """With --parquet, the same commands read shards like FineWeb-Edu's."""
    for seed, name in enumerate(("train", "held-out")):
        columns = {"text": documents(seed), "token_count": [1] * 40}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet", row_group_size=16)
    run_shell(tmp_path, (SIZES + ENCODE).replace("jsonl", "parquet"))
    tokenizer = Tokenizer.load(tmp_path / "tokenizer.json")
    for seed, name in enumerate(("train", "held-out")):
        found = np.fromfile(tmp_path / f"ids/{name}.parquet.u16", "<u2").tolist()
        assert found == ids_of(documents(seed), tokenizer)
