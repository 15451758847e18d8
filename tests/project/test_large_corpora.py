"""docs/large-corpora.md: each block runs as written, and gives the result of plain training."""

import json
import os
import random
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
import regex
from hypothesis import given

from bpetite import Tokenizer
from bpetite._pretokenizer import cut, split
from cli_tools import bpetite
from pages import check
from project_tools import ROOT, run, run_program
from texts import PIECES, SEPARATORS, TEXTS, WHITESPACE

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "large-corpora.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PIECE: Final = BLOCKS[0].strip()
SIZE: Final = 3000
"""Large enough to reveal a wrong cut in rare whitespace."""

DASK: Final = """
from bpetite import Tokenizer
from dask.distributed import Client, LocalCluster

if __name__ == "__main__":
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        counts = count_with_dask("corpus/*.jsonl")
    Tokenizer.train(counts, SIZE).save("counted.json")
"""

SPARK: Final = """
from bpetite import Tokenizer
from pyspark.sql import SparkSession

if __name__ == "__main__":
    with SparkSession.builder.master("local[2]").getOrCreate() as spark:
        counts = count_with_spark(spark.read.json("corpus/*.jsonl"))
    Tokenizer.train(counts, SIZE).save("counted.json")
"""


def block(words: str) -> str:
    """Return the one block of the page that contains these words."""
    (found,) = (text for text in BLOCKS if words in text)
    return str(found)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder with `corpus/*.jsonl`, and the result of plain training on it."""
    source = random.Random(13)
    parts = [*PIECES, *WHITESPACE, *SEPARATORS, *"aaaaabbbcc"]
    documents = ["".join(source.choices(parts, k=source.randrange(1, 60))) for _ in range(600)]
    documents += [(ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")] * 3
    (tmp_path / "corpus").mkdir()
    for number in range(4):
        lines = [json.dumps({"text": text}, ensure_ascii=False) for text in documents[number::4]]
        (tmp_path / "corpus" / f"{number}.jsonl").write_bytes("\n".join(lines).encode("utf-8"))
    Tokenizer.train(documents, SIZE).save(tmp_path / "plain.json")
    return tmp_path


def assert_equal_files(folder: Path) -> None:
    """Compare the two tokenizer files in a folder."""
    assert (folder / "counted.json").read_bytes() == (folder / "plain.json").read_bytes()


def test_every_block_has_the_same_regular_expression() -> None:
    """Every block that is pasted from the page cuts alike."""
    assert PAGE.count(PIECE) == PAGE.count(r"\p{Z}]+|") == 5


@given(TEXTS)
def test_the_regular_expression_finds_the_pieces(text: str) -> None:
    """The page's expression cuts as the trainer does, at safe boundaries."""
    assert regex.findall(PIECE, text) == cut(text)


@given(TEXTS)
def test_a_chunk_may_be_counted_as_a_document(text: str) -> None:
    """A chunk consists of one chunk, so counts of chunks train like the text."""
    assert [split(chunk) for chunk in split(text)] == [[chunk] for chunk in split(text)]


def test_lines_lose_a_chunk() -> None:
    """No line contains the chunk in the page's example."""
    text = "if x:\n    y"
    assert "\n   " in split(text)
    assert all("\n   " not in split(line) for line in text.splitlines(keepends=True))


@pytest.mark.usefixtures("clone")
def test_the_example_runs(tmp_path: Path) -> None:
    """The first block of Python prints what the page shows."""
    found = run_program(tmp_path, block("most_common")).stdout
    check(BLOCKS[BLOCKS.index(block("most_common")) + 1], found)


def test_parts_of_a_file_are_counted_by_jobs(tmp_path: Path) -> None:
    """Counts of the parts of a file, and of one added later, train the bytes of plain training."""
    source = random.Random(14)
    pieces = [*PIECES, *WHITESPACE, *SEPARATORS, "word ", "word\n"]
    text = "".join(source.choices(pieces, k=20_000))
    (tmp_path / "text").write_bytes(text.encode())
    run_program(tmp_path, block("mmap"), 'cut_file("text", 400)')
    parts = [f"text.{part}" for part in range(400)]
    assert b"".join((tmp_path / part).read_bytes() for part in parts) == text.encode()
    (tmp_path / "late").write_bytes((ROOT / "docs" / "sample.txt").read_bytes())
    size = ("--vocab-size", str(SIZE), "--output")
    bpetite("train", "--input", "text", "late", *size, "plain.json", cwd=tmp_path)
    jobs = ["\n".join(parts[:300]), "\n".join(parts[300:]), "late"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for number, names in enumerate(jobs):
        (tmp_path / f"list-{number}.txt").write_text(names, encoding="utf-8")
        environment = {"N": str(number), "PATH": path}
        result = run("sh", "-c", block("list-$N"), cwd=tmp_path, env=environment)
        assert result.returncode == 0, result.stderr
    counts = sorted(path.name for path in tmp_path.glob("counts-*.jsonl"))
    bpetite("train", "--counts", *counts, *size, "counted.json", cwd=tmp_path)
    assert_equal_files(tmp_path)


def test_dask_counts_on_two_workers(corpus: Path) -> None:
    """Counts from a cluster of two processes train the bytes of plain training."""
    run_program(corpus, f"SIZE = {SIZE}", block("count_with_dask"), DASK)
    assert_equal_files(corpus)


@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark and Java are not installed")
def test_spark_counts(corpus: Path) -> None:
    """Counts from Spark in local mode train the bytes of plain training."""
    run_program(corpus, f"SIZE = {SIZE}", block("count_with_spark"), SPARK)
    assert_equal_files(corpus)


def test_sql_writes_counts_for_the_command_line(corpus: Path) -> None:
    """Counts that DuckDB writes as JSON Lines train the bytes of plain training."""
    run_program(corpus, f"import duckdb\nduckdb.sql(r'''{block('COPY')}''')")
    options = ("--counts", "counts.jsonl", "--vocab-size", str(SIZE), "--output", "counted.json")
    result = bpetite("train", *options, cwd=corpus)
    assert result.returncode == 0, result.stderr
    assert_equal_files(corpus)


def test_a_folder_is_encoded_by_several_processes(tmp_path: Path) -> None:
    """The ids of all files are in the order of their paths."""
    sample = (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")
    Tokenizer.train(sample, SIZE).save(tmp_path / "tokenizer.json")
    (tmp_path / "texts" / "more").mkdir(parents=True)
    paths = [tmp_path / "texts" / name for name in ("a.txt", "more/b.txt", "z.txt")]
    for number, path in enumerate(paths):
        path.write_bytes((sample[number:] * (3 - number) + "\r\n").encode("utf-8"))
    (tmp_path / "encode_folder.py").write_text(block("ProcessPoolExecutor"), encoding="utf-8")
    program = ("encode_folder.py", "tokenizer.json", "texts", "ids.bin")
    result = run(sys.executable, *program, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    options = ("--model", "tokenizer.json", "--format", "u32", "--input")
    expected = bpetite("encode", *options, *paths, cwd=tmp_path).stdout
    assert (tmp_path / "ids.bin").read_bytes() == expected != b""
