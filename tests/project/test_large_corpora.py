"""docs/large-corpora.md: each block runs as written, and gives the result of the command line."""

import json
import os
import random
import re
import shutil
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest
import regex

from bpetite import Tokenizer
from cli_tools import BPETITE, bpetite
from compare_tools import PATTERNS
from pages import blocks
from project_tools import ROOT, run
from texts import PIECES, SEPARATORS, WHITESPACE

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "large-corpora.md").read_text(encoding="utf-8")
BLOCKS: Final = [block for _, block in blocks(PAGE)]
PIECE: Final = next(block for block in BLOCKS if block.startswith("(?:")).strip()
SIZE: Final = 3000
"""Large enough to reveal a wrong cut in rare whitespace."""
SEPARATED: Final = ("--jsonl", "text", "--separator-token", "--separator-at", "after")

ENGINES: Final = {
    "COPY": (
        "import duckdb\nfrom pathlib import Path\n"
        'Path(\'counts\').mkdir(exist_ok=True)\nduckdb.sql(r"""{}""")'
    ),
    "encode_with_spark": """{}
import json
from array import array

from pyspark.sql import SparkSession

if __name__ == "__main__":
    with SparkSession.builder.master("local[2]").getOrCreate() as spark:
        documents = read_with_spark(spark, "corpus/*.jsonl")
        count_with_spark(documents, "counts")
        rows = encode_with_spark(documents, "plain.json").toLocalIterator()
        ids = [array("H", row["ids"]).tobytes().hex() for row in rows]
    with open("ids.json", "w") as file:
        json.dump(ids, file)
""",
}
"""Words of a block of the page, and a program around it."""


def block(words: str) -> str:
    """Return the one block of the page that contains these words."""
    (found,) = (text for text in BLOCKS if words in text)
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder with `corpus/*.jsonl`, and the result of plain training on it.

    Instead of four small shards, it has those in the folder that BPETITE_CORPUS names.
    """
    shards = tmp_path / "corpus"
    if large := os.environ.get("BPETITE_CORPUS"):
        shutil.copytree(large, shards)
    shards.mkdir(exist_ok=True)
    source = random.Random(13)
    parts = [*PIECES, *WHITESPACE, *SEPARATORS, *"aaaaabbbcc"]
    documents = ["".join(source.choices(parts, k=source.randrange(1, 60))) for _ in range(600)]
    documents += [(ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")] * 3 + [""]
    documents.append("日本語。\n" * 2000)  # more lines in one piece than Java's stack can hold
    for number in () if large else range(4):
        rows = [{"id": number, "text": text, "meta": {"url": ""}} for text in documents[number::4]]
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (shards / f"{number}.jsonl").write_bytes(lines.encode("utf-8"))
    texts = documents_in(sorted(shards.iterdir()))
    Tokenizer.train(texts, SIZE, pattern="gpt4").save(tmp_path / "plain.json")
    return tmp_path


def documents_in(shards: Sequence[Path]) -> Iterator[str]:
    """Yield the texts of files of JSON Lines, in order."""
    for path in shards:
        with path.open(encoding="utf-8", newline="\n") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def smaller(command: str) -> str:
    """Return a command of the page that trains `counted.json`, in a smaller size."""
    command = command.replace("tokenizer.json", "counted.json")
    return re.sub("--vocab-size [0-9]+", f"--vocab-size {SIZE}", command)


def test_every_block_has_the_same_regular_expression() -> None:
    """Every block that is pasted from the page cuts alike."""
    assert PAGE.count(PIECE) == PAGE.count(r"[\r\n]") == 3


def assert_safe(text: str) -> None:
    """Check that every pattern cuts a text wherever the page's expression does."""
    pieces = regex.findall(PIECE, text)
    assert "".join(pieces) == text
    for pattern in PATTERNS.values() if len(pieces) > 1 else ():
        chunks = [chunk for piece in pieces for chunk in regex.findall(pattern, piece)]
        assert chunks == regex.findall(pattern, text)


def test_every_pattern_cuts_between_pieces_of_short_texts() -> None:
    """This holds for all texts of up to five characters that the patterns treat differently."""
    for length in range(6):
        for characters in product(" \n\r\ta1;/'字", repeat=length):
            assert_safe("".join(characters))


def test_jobs_count_and_add_up(corpus: Path) -> None:
    """Counts of parts, and their sums, train as the whole does; a part that is lost is an error."""
    shards = sorted((corpus / "corpus").iterdir())
    for number in range(2):
        names = "".join(f"{path}\n" for path in shards[number::2])
        (corpus / f"list-{number}.txt").write_text(names, encoding="utf-8")
    count, add = block("list-$N"), block("{0..9}").replace("9", "1")
    train = smaller(block("{0..99}")).replace("99", "1")
    good = shards[3].read_bytes()
    shards[3].write_bytes(good[:-9])
    assert [status(count, corpus, N=str(number)) == 0 for number in range(2)] == [True, False]
    assert not (corpus / "counts-1.jsonl").exists()
    assert status(train, corpus) != 0
    shards[3].write_bytes(good)
    assert [status(count, corpus, N=str(number)) for number in range(2)] == [0, 0]
    for command in (train, f"{add.strip()} && {train.replace('counts-{0..1}', 'sum-0')}"):
        assert status(command, corpus) == 0
        assert (corpus / "counted.json").read_bytes() == (corpus / "plain.json").read_bytes()
        (corpus / "counted.json").unlink()


@pytest.mark.posix
def test_the_page_leads_from_a_corpus_to_its_ids(tmp_path: Path) -> None:
    """Counting, training and encoding as written, at the page's size, use every id of 16 bits."""
    words = ["".join(letters) for letters in product("abcdefghij", repeat=5)]
    random.Random(17).shuffle(words)
    (tmp_path / "corpus").mkdir()
    for shard in range(2):
        lines = [json.dumps({"text": " ".join(words[at::400])}) for at in range(shard, 400, 2)]
        (tmp_path / "corpus" / f"{shard}.jsonl").write_text("\n".join(lines) + "\n")
        (tmp_path / f"list-{shard}.txt").write_text(f"corpus/{shard}.jsonl\n")
        assert status(block("list-$N"), tmp_path, N=str(shard)) == 0
    train, encode = block("{0..99}").replace("99", "1"), block("--output-dir ids")
    for command in (train, encode, block("cat ids")):
        assert status(command, tmp_path) == 0
    ids = (tmp_path / "train.bin").read_bytes()
    assert max(array("H", ids)) == 65535
    encode = encode.strip().replace("--output-dir ids", "--output-dir theirs --engine tiktoken")
    assert status(f"{encode} && cat theirs/*.u16 > theirs.bin", tmp_path) == 0
    assert (tmp_path / "theirs.bin").read_bytes() == ids


def test_the_line_of_a_count_is_real(tmp_path: Path) -> None:
    """The sample's counts have the line that the page shows."""
    options = ("--pattern", "gpt4", "--output", tmp_path / "counts.jsonl")
    assert bpetite("chunks", ROOT / "docs" / "sample.txt", *options).returncode == 0
    assert block('"text":" the"') in (tmp_path / "counts.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", ENGINES, ids=["duckdb", "spark"])
def test_engines_write_counts(corpus: Path, words: str) -> None:
    """The counts train as the corpus does, and the ids are equal."""
    if words == "encode_with_spark":
        pytest.importorskip("pyspark")
    program = corpus / "engine.py"
    program.write_text(ENGINES[words].replace("{}", block(words), 1), encoding="utf-8")
    result = run(sys.executable, program, cwd=corpus)
    assert result.returncode == 0, result.stderr
    assert status(smaller(block("--counts counts/")), corpus) == 0
    assert (corpus / "counted.json").read_bytes() == (corpus / "plain.json").read_bytes()
    if words == "encode_with_spark":  # it may read the files in another order
        encode = Tokenizer.load(corpus / "plain.json").encode
        texts = documents_in([*corpus.glob("corpus/*")])
        ids = sorted(array("H", encode(text)).tobytes().hex() for text in texts)
        assert sorted(json.loads((corpus / "ids.json").read_bytes())) == ids


def status(command: str, folder: Path, **env: str) -> int:
    """Run a command of the page in a shell, and return its status."""
    path = os.pathsep.join([str(folder), str(Path(BPETITE).parent), os.environ["PATH"]])
    return run("bash", "-c", command, cwd=folder, env={"PATH": path, **env}).returncode


def outputs(folder: Path) -> dict[str, int]:
    """Return the names of the outputs, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("ids/*.u16")}


@pytest.mark.posix
def test_shards_go_on_after_a_failure(corpus: Path) -> None:
    """A damaged shard gives a status other than 0.

    Run again, the lines skip the complete shards, and the ids are those of one command.
    """
    (corpus / "plain.json").rename(corpus / "tokenizer.json")
    command = block("--output-dir ids")
    shard = corpus / "corpus" / "1.jsonl"
    good = shard.read_bytes()
    shard.write_bytes(good[:5000])
    assert status(command, corpus) != 0
    before = outputs(corpus)
    assert before.keys() == {f"{name}.jsonl.u16" for name in "023"}
    shard.write_bytes(good)
    assert status(command, corpus) == 0
    after = outputs(corpus)
    assert len(after) == 4
    assert before.items() <= after.items()
    ids = b"".join(path.read_bytes() for path in sorted(corpus.glob("ids/*.u16")))
    shards = sorted((corpus / "corpus").iterdir())
    options = ("--model", "tokenizer.json", "--ordinary", *SEPARATED, "--format", "u16")
    assert ids == bpetite("encode", *options, *shards, cwd=corpus).stdout
