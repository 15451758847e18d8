"""`bpetite chunks`, from the command line."""

import hashlib
import json
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

import oracle
from bpetite import Tokenizer
from cli_tools import A, B, call, in_words, lines, printed, refusal, shown_in_terminal


def row(text: str, count: int) -> bytes:
    """Return the line of a chunk."""
    data = {"text": text, "count": count, "pattern": "gpt2"}
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def expected(*texts: str) -> bytes:
    """Return the output for texts that are documents."""
    counts = Counter(chunk.decode() for text in texts for chunk in oracle.chunks_of(text))
    return b"".join(row(text, counts[text]) for text in sorted(counts))


@pytest.mark.usefixtures("small")
def test_each_chunk_has_a_line_with_its_count() -> None:
    """The lines are sorted by code points, and nothing else is printed."""
    result = call("chunks --input a.txt b.txt")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == expected(A, B)
    assert lines(result.stdout)[0] == '{"text":"\\n","count":2,"pattern":"gpt2"}'


def test_the_file_is_what_standard_output_would_get(small: Path) -> None:
    """With `--output`, standard output has a summary instead."""
    many = "".join(f"{number:x} " for number in range(9000))
    (small / "a.txt").write_text(many)
    data = json.loads(printed("chunks --input a.txt b.txt --output out"))
    saved = (small / "out").read_bytes()
    assert saved == expected(many, B)
    size = len((many + B).encode())
    totals = {"files": 2, "skipped": None, "bytes": size, "distinct_chunks": len(lines(saved))}
    chunks = {"chunks": sum(len(oracle.chunks_of(text)) for text in (many, B)), "pattern": "gpt2"}
    file = {"outputs": ["out"], "sha256": hashlib.sha256(saved).hexdigest()}
    assert data == totals | chunks | file | {"regex": version("regex")}
    found = f"{len(lines(saved)):,} distinct chunks from {size / 1000:.1f} kB"
    told = in_words("chunks --input a.txt b.txt --output out --force")
    assert told == [f"saved: out, {found}"]


@pytest.mark.parametrize(
    ("words", "found", "shown"),
    [("chunks", "gpt4", "'gpt4'"), ("chunks", 5, "a number"), ("verify -m m.json", None, "null")],
)
def test_chunks_of_another_pattern_are_refused(
    here: Path, words: str, found: object, shown: str
) -> None:
    """A row with another pattern is an error; rows without one are documents."""
    Tokenizer.train("", 256).save("m.json")
    rows: list[dict[str, object]] = [{"text": "a", "count": 1}, json.loads(row("a", 1))]
    (here / "counts").write_text("\n".join(map(json.dumps, [*rows, rows[0] | {"pattern": found}])))
    ways_out = "count the text again with `bpetite chunks --pattern gpt2`"
    if found == "gpt4":
        ways_out = f"`train` and `chunks` read this file with --pattern gpt4; or {ways_out}"
    assert refusal(f"{words} --counts counts")[-2:] == [
        f"error: counts, line 3: expected the pattern 'gpt2', found {shown}",
        ways_out,
    ]


MOST = 2**63 - 1


@pytest.mark.parametrize(
    "rows", [[(" a", MOST), (" a", 1)], [(" b", 1), (" a a", 2**62)], [(" a" * 9, MOST)]]
)
def test_no_sum_is_higher_than_train_reads(here: Path, rows: list[tuple[str, int]]) -> None:
    """If counts add up to more than `--counts` reads, an error names the chunk; all is exact."""
    for number, (text, count) in enumerate(rows):
        (here / str(number)).write_text(json.dumps({"text": text, "count": count}))
    parts = [str(number) for number in range(len(rows))]
    total = sum(text.count("a") * count for text, count in rows)
    for more in ("", "--output out"):
        assert refusal(f"chunks {more} --counts", *parts) == [
            f"error: the chunk ' a' occurs {total} times, but --counts reads counts up to {MOST}",
            "train on these files themselves: train --counts accepts several",
        ]
    assert not (here / "out").exists()
    printed("train --vocab-size 257 --output new.json --counts", *parts)
    assert Tokenizer.load("new.json").encode(" a") == [256]


def test_the_highest_count_is_written_and_read(here: Path) -> None:
    """A sum that is exactly the highest count is a line that `chunks` reads again."""
    (here / "one").write_text(json.dumps({"text": "a", "count": MOST - 1}))
    (here / "two").write_text('{"text":"a","count":1}')
    assert printed("chunks --counts one two") == row("a", MOST)
    assert printed("chunks --counts -", stdin=row("a", MOST)) == row("a", MOST)


@pytest.mark.posix
def test_a_terminal_gets_the_most_frequent_chunks(here: Path) -> None:
    """The rows are the 20 most frequent chunks, equal counts by code points, and the totals."""
    (here / "text").write_text("a " * 1200 + "".join(f" x{letter}" for letter in "zyxwvutsrq" * 3))
    status, shown = shown_in_terminal(["chunks", "--input", "text"], here)
    rows = shown.splitlines()
    assert (status, len(rows)) == (0, 14)
    assert rows[:2] == ["1,199  ·a", "    3  ·xq"]
    assert rows[-1] == "13 distinct chunks, 1,231 in all; --output saves them"
