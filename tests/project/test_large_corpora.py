"""docs/large-corpora.md: each block runs as written, and gives the result of the command line."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
import regex
from hypothesis import given

from bpetite import Tokenizer
from bpetite._patterns import GPT2
from bpetite_compare._engines import drift
from cli_tools import BPETITE, bpetite, wait_for
from pages import check
from project_tools import ROOT, run_program
from texts import PIECES, SEPARATORS, TEXTS, WHITESPACE

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "large-corpora.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PIECE: Final = BLOCKS[0].strip()
SIZE: Final = 3000
"""Large enough to reveal a wrong cut in rare whitespace."""
SEPARATED: Final = ("--jsonl", "text", "--separator-token", "--separator-at", "after")

DASK: Final = """
from array import array

from dask.distributed import Client, LocalCluster

def in_hex(ids):
    return array("H", ids).tobytes().hex()

if __name__ == "__main__":
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        counts = count_with_dask("corpus/*.jsonl")
        ids = encode_with_dask("corpus/*.jsonl", "plain.json").map(in_hex).compute()
    Tokenizer.train(counts, SIZE).save("counted.json")
    with open("ids.json", "w") as file:
        json.dump(ids, file)
"""

SPARK: Final = """
import json
from array import array

from pyspark.sql import SparkSession

if __name__ == "__main__":
    with SparkSession.builder.master("local[2]").getOrCreate() as spark:
        documents = spark.read.json("corpus/*.jsonl")
        counts = count_with_spark(documents)
        rows = encode_with_spark(documents, "plain.json").toLocalIterator()
        ids = [array("H", row["ids"]).tobytes().hex() for row in rows]
    Tokenizer.train(counts, SIZE).save("counted.json")
    with open("ids.json", "w") as file:
        json.dump(ids, file)
"""


def block(words: str) -> str:
    """Return the one block of the page that contains these words."""
    (found,) = (text for text in BLOCKS if words in text)
    return str(found)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder with `corpus/*.jsonl`, and the result of plain training on it.

    Instead of four small shards, it has those in the folder that BPETITE_CORPUS names.
    """
    shards = tmp_path / "corpus"
    if large := os.environ.get("BPETITE_CORPUS"):
        shutil.copytree(large, shards)
    else:
        shards.mkdir()
        write_shards(shards)
    Tokenizer.train(documents_in(sorted(shards.iterdir())), SIZE).save(tmp_path / "plain.json")
    return tmp_path


def write_shards(folder: Path) -> None:
    """Write four files of JSON Lines with all kinds of characters."""
    source = random.Random(13)
    parts = [*PIECES, *WHITESPACE, *SEPARATORS, *"aaaaabbbcc"]
    documents = ["".join(source.choices(parts, k=source.randrange(1, 60))) for _ in range(600)]
    documents += [(ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")] * 3 + [""]
    for number in range(4):
        rows = [{"id": number, "text": text, "meta": {"url": ""}} for text in documents[number::4]]
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{number}.jsonl").write_bytes(lines.encode("utf-8"))


def documents_in(shards: Sequence[Path]) -> Iterator[str]:
    """Yield the texts of files of JSON Lines, in order."""
    for path in shards:
        with path.open(encoding="utf-8", newline="\n") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def assert_equal_files(folder: Path) -> None:
    """Compare the two tokenizer files in a folder."""
    assert (folder / "counted.json").read_bytes() == (folder / "plain.json").read_bytes()


def encoded(folder: Path) -> list[str]:
    """Return the ids of each document in order, in hex; the command line has the same ones."""
    tokenizer = Tokenizer.load(folder / "plain.json")
    shards = sorted((folder / "corpus").iterdir())
    ids = [array("H", tokenizer.encode(text)).tobytes() for text in documents_in(shards)]
    special = array("H", tokenizer.encode("<|endoftext|>")).tobytes()
    options = ("--model", "plain.json", *SEPARATED, "--format", "u16")
    result = bpetite("encode", *options, *shards, cwd=folder)
    assert result.stdout == b"".join(one + special for one in ids)
    return [one.hex() for one in ids]


def test_every_block_has_the_same_regular_expression() -> None:
    """Every block that is pasted from the page cuts alike."""
    assert PAGE.count(PIECE) == PAGE.count(r"\p{Z}]+|") == 6


@given(TEXTS)
def test_the_regular_expression_finds_the_pieces(text: str) -> None:
    """The page's expression cuts as the trainer does, at safe boundaries."""
    assert regex.findall(PIECE, text) == GPT2.pieces(text)


@given(TEXTS)
def test_a_chunk_may_be_counted_as_a_document(text: str) -> None:
    """A chunk consists of one chunk, so counts of chunks train like the text."""
    assert [GPT2.split(chunk) for chunk in GPT2.split(text)] == [
        [chunk] for chunk in GPT2.split(text)
    ]


def test_lines_lose_a_chunk() -> None:
    """No line contains the chunk in the page's example."""
    text = "if x:\n    y"
    assert "\n   " in GPT2.split(text)
    assert all("\n   " not in GPT2.split(line) for line in text.splitlines(keepends=True))


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
    for number, names in enumerate(jobs):
        (tmp_path / f"list-{number}.txt").write_text(names, encoding="utf-8")
        with shell(block("list-$N"), tmp_path, {"N": str(number)}) as process:
            assert process.wait(timeout=60) == 0
    counts = sorted(path.name for path in tmp_path.glob("counts-*.jsonl"))
    bpetite("train", "--counts", *counts, *size, "counted.json", cwd=tmp_path)
    assert_equal_files(tmp_path)


def test_duckdb_writes_counts_for_the_command_line(corpus: Path) -> None:
    """Counts that DuckDB writes as JSON Lines train the bytes of plain training."""
    run_program(corpus, f"import duckdb\nduckdb.sql(r'''{block('COPY')}''')")
    train_on_counts(corpus)


def test_polars_writes_counts_for_the_command_line(corpus: Path) -> None:
    """Counts that Polars writes as JSON Lines train the bytes of plain training."""
    run_program(corpus, block("polars"))
    train_on_counts(corpus)


def train_on_counts(folder: Path) -> None:
    """Run the page's command on `counts.jsonl`, and compare the tokenizer file."""
    command = block("--counts counts.jsonl")
    for old, new in {"32000": str(SIZE), "--output tokenizer": "--output counted"}.items():
        assert command.count(old) == 1
        command = command.replace(old, new)
    with shell(command, folder) as process:
        assert process.wait(timeout=60) == 0
    assert_equal_files(folder)


def test_dask_counts_and_encodes_on_two_workers(corpus: Path) -> None:
    """In a cluster of two processes, the tokenizer is that of plain training, the ids are equal."""
    run_program(corpus, f"SIZE = {SIZE}", block("encode_with_dask"), DASK)
    assert_equal_files(corpus)
    assert json.loads((corpus / "ids.json").read_bytes()) == encoded(corpus)


@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark and Java are not installed")
def test_spark_counts_and_encodes(corpus: Path) -> None:
    """In local mode, the tokenizer is that of plain training, and the ids are equal."""
    run_program(corpus, f"SIZE = {SIZE}", block("encode_with_spark"), SPARK)
    assert_equal_files(corpus)
    # Spark may read the files in another order.
    assert sorted(json.loads((corpus / "ids.json").read_bytes())) == sorted(encoded(corpus))


@contextmanager
def shell(
    command: str, folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command of the page in a shell, as a group of processes."""
    path = os.pathsep.join([str(folder), str(Path(BPETITE).parent), os.environ["PATH"]])
    with subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        yield process


def writer(path: Path) -> int | None:
    """Return a descriptor that writes to a FIFO, if a process reads it."""
    with suppress(OSError):
        return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    return None


def outputs(folder: Path) -> dict[str, int]:
    """Return the names of the outputs, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "ids").glob("*.bin")}


@pytest.mark.posix
@pytest.mark.parametrize(
    ("words", "number", "complete"),
    [
        ("for shard in", signal.SIGINT, "0"),
        ("xargs -0 -n", signal.SIGTERM, "023"),
        ("SLURM", signal.SIGKILL, "023"),
    ],
)
def test_shards_go_on_after_an_interruption(
    corpus: Path, words: str, number: signal.Signals, complete: str
) -> None:
    """Run again, the lines skip the complete shards, and the ids are those of one command."""
    (corpus / "encode_shard.sh").write_text(block("out=ids"), encoding="utf-8")
    (corpus / "plain.json").rename(corpus / "tokenizer.json")
    (corpus / "ids").mkdir()
    # As on macOS. It leaves Ctrl-C to the program that it waits for; other shells end themselves.
    (corpus / "sh").symlink_to(shutil.which("bash") or "bash")
    tasks = [{"SLURM_ARRAY_TASK_ID": str(task)} for task in range(4 if words == "SLURM" else 1)]
    shard, kept = corpus / "corpus" / "1.jsonl", corpus / "kept"
    shard.rename(kept)
    os.mkfifo(shard)
    with ExitStack() as stack:
        processes = [stack.enter_context(shell(block(words), corpus, task)) for task in tasks]
        pipe = wait_for(lambda: writer(shard))
        stack.callback(os.close, pipe)
        os.write(pipe, kept.read_bytes()[:5000])
        names = {f"{name}.jsonl.bin" for name in complete}
        wait_for(lambda: outputs(corpus).keys() == names)
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            process.communicate(timeout=60)
        before = outputs(corpus)
        assert before.keys() == names
        shard.unlink()
        kept.rename(shard)
    for task in tasks:
        with shell(block(words), corpus, task) as process:
            assert process.wait(timeout=60) == 0
    after = outputs(corpus)
    assert len(after) == 4
    assert before.items() <= after.items()
    ids = b"".join((corpus / "ids" / name).read_bytes() for name in sorted(after))
    shards = sorted((corpus / "corpus").iterdir())
    options = ("--model", "tokenizer.json", "--ordinary", *SEPARATED, "--format", "u16")
    assert ids == bpetite("encode", *options, *shards, cwd=corpus).stdout


def test_tiktoken_writes_the_same_ids(corpus: Path) -> None:
    """Its ids are those of the command line, and `parity` compares all of them."""
    shards = sorted((corpus / "corpus").iterdir())
    (corpus / "corpus.jsonl").write_bytes(b"\n".join(path.read_bytes() for path in shards))
    (corpus / "plain.json").rename(corpus / "tokenizer.json")
    assert encode_with_tiktoken(corpus)["engine_differences"] == 0
    options = ("--ordinary", *SEPARATED, "--format", "u16", "corpus.jsonl")
    result = bpetite("encode", "--model", "tokenizer.json", *options, cwd=corpus)
    assert (corpus / "ids.bin").read_bytes() == result.stdout != b""


def test_parity_finds_characters_that_tiktoken_does_not_know(tmp_path: Path) -> None:
    """It lists a character that is a letter only for one of the two engines."""
    letter = min(filter(regex.compile(r"\p{L}").match, drift()))
    Tokenizer.train(f"a{letter} " * 9, 260).save(tmp_path / "tokenizer.json")
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"text": f"a{letter}"}))
    result = encode_with_tiktoken(tmp_path)
    assert result["engine_characters"] == {f"U+{ord(letter):04X}": 1}
    assert result["engine_differences"] == 1


def encode_with_tiktoken(folder: Path) -> dict[str, object]:
    """Run the page's program, and return what its command finds."""
    run_program(folder, block("encode_ordinary_batch"))
    with shell(block("bpetite parity"), folder) as process:
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    result: dict[str, object] = json.loads(output)
    return result
