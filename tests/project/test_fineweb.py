"""docs/fineweb.md: its commands and its program run on Parquet files like FineWeb-Edu's."""

import json
import random
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

PAGE: Final = (ROOT / "docs" / "fineweb.md").read_text(encoding="utf-8")
*COMMANDS, PROGRAM, OUTPUT = (block for _, block in blocks(PAGE))
TEXT: Final = (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")
SHARDS: Final = 3


def documents(shard: int) -> list[str]:
    """Return the documents of a shard, one of them with the text of the special token."""
    source = random.Random(shard)
    words = TEXT.split(" ")
    texts = [" ".join(source.choices(words, k=source.randrange(400))) for _ in range(40)]
    return [*texts, "before <|endoftext|> after"]


@pytest.fixture
def folder(tmp_path: Path, offline: None) -> Path:
    """Return a folder with shards that have some of the columns of FineWeb-Edu."""
    for shard in range(SHARDS):
        texts = documents(shard)
        columns = {"text": texts, "token_count": [len(text) // 4 for text in texts]}
        path = tmp_path / f"{shard:03}_00000.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=16)
    return tmp_path


def test_the_page_runs(folder: Path) -> None:
    """It ends with batches, and with shards of ids that are those of the documents."""
    result = run("bash", "-ec", "".join(COMMANDS), cwd=folder)
    assert result.returncode == 0, result.stderr
    check(OUTPUT, run_program(folder, PROGRAM).stdout)
    tokenizer = Tokenizer.train([*documents(1), *documents(2)], 32767, pattern="gpt4")
    tokenizer.save(folder / "expected.json")
    assert (folder / "tokenizer.json").read_bytes() == (folder / "expected.json").read_bytes()
    tokens = []
    for shard in range(SHARDS):
        texts, ids = documents(shard), []
        for text in texts:
            ids += [*tokenizer.encode("<|endoftext|>"), *tokenizer.encode(text, ordinary=True)]
        assert np.fromfile(folder / f"ids/{shard:03}_00000.parquet.u16", "<u2").tolist() == ids
        tokens.append(len(ids) - len(texts))
    encoded, counted = [json.loads(line) for line in result.stdout.splitlines()[1:]]
    assert encoded["separators"] == len(documents(0)) * SHARDS
    assert encoded["tokens"] == sum(tokens)
    ratio = round(len("".join(documents(0)).encode()) / tokens[0], 4)
    assert counted["bytes_per_token"] == ratio
