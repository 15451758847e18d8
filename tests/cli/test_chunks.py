"""`bpetite chunks`, from the command line."""

import hashlib
import json
import signal
import subprocess
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given

from bpetite import Tokenizer
from bpetite._patterns import GPT2
from bpetite_cli.commands import chunks as command
from cli_tools import bpetite, lines, refused, shown_in_terminal, start
from texts import CORPORA

A, B = "Hello world, hello words.\n", "船夫 ⛵⛵ world <|endoftext|>\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two texts."""
    (tmp_path / "a.txt").write_bytes(A.encode())
    (tmp_path / "b.txt").write_bytes(B.encode())
    return tmp_path


def chunks(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Count chunks in a folder."""
    return bpetite("chunks", *words, stdin=stdin, cwd=folder)


def row(text: str, count: int) -> bytes:
    """Return the line of a chunk."""
    data = {"text": text, "count": count, "pattern": "gpt2"}
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def expected(*texts: str) -> bytes:
    """Return the output for texts that are documents."""
    counts = Counter(chunk for text in texts for chunk in GPT2.split(text))
    rows = (row(text, counts[text]) for text in sorted(counts))
    return b"".join(rows)


def test_each_chunk_has_a_line_with_its_count(folder: Path) -> None:
    """The lines are sorted by code points, and nothing else is printed."""
    result = chunks(folder, "--input", "a.txt", "b.txt")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == expected(A, B)
    assert lines(result.stdout)[0] == '{"text":"\\n","count":2,"pattern":"gpt2"}'


def test_no_chunk_spans_two_documents(folder: Path) -> None:
    """Files and lines of JSON Lines are documents; an empty text has no chunks."""
    (folder / "c.txt").write_bytes(b"x")
    assert chunks(folder, "--input", "c.txt", "c.txt").stdout == row("x", 2)
    (folder / "docs").write_text('{"text": "x"}\n{"text": "x"}\n{"text": ""}\n')
    words = ("--input", "docs", "--jsonl", "text")
    assert chunks(folder, *words).stdout == row("x", 2)
    assert chunks(folder, "--input", "-").stdout == b""


def test_files_may_be_listed(folder: Path) -> None:
    """`--files-from` names the files, also with NUL bytes, after those of `--input`."""
    listed = b"a.txt\0b.txt\0"
    result = chunks(folder, "--files-from", "-", "--null", stdin=listed)
    assert result.stdout == expected(A, B)


def test_counts_multiply(folder: Path) -> None:
    """Each chunk of a line of `--counts` occurs as often as the line says."""
    (folder / "counts").write_text('{"text": "a b a", "count": 3}\n{"text": "a", "count": 4}\n')
    shown = chunks(folder, "--counts", "counts", "--output", "out")
    expected_rows = row(" a", 3), row(" b", 3), row("a", 7)
    assert (folder / "out").read_bytes() == b"".join(expected_rows)
    summary = json.loads(shown.stdout)
    assert (summary["bytes"], summary["chunks"], summary["distinct_chunks"]) == (19, 13, 3)


@pytest.mark.parametrize("lines_of_a_block", [1, 3, 1 << 12])
def test_the_file_is_what_standard_output_would_get(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lines_of_a_block: int
) -> None:
    """With `--output`, standard output has a summary instead."""
    monkeypatch.setattr(command, "_LINES_OF_A_BLOCK", lines_of_a_block)
    result = chunks(folder, "--input", "a.txt", "b.txt", "--output", "out")
    saved = (folder / "out").read_bytes()
    assert saved == expected(A, B)
    assert json.loads(result.stdout) == {
        "files": 2,
        "bytes": len((A + B).encode()),
        "chunks": len(GPT2.split(A) + GPT2.split(B)),
        "distinct_chunks": len(lines(saved)),
        "pattern": "gpt2",
        "outputs": ["out"],
        "sha256": hashlib.sha256(saved).hexdigest(),
        "regex": version("regex"),
    }
    assert lines(result.stderr) == ["saved: out, 12 distinct chunks from 60 bytes"]


def test_a_failure_leaves_no_file(folder: Path) -> None:
    """An error in the last input leaves neither a file nor a part of the output."""
    (folder / "bad.txt").write_bytes(b"caf\xe9 au lait")
    for more in ((), ("--output", "out")):
        shown = refused(chunks(folder, "--input", "a.txt", "bad.txt", *more))
        assert shown[0].startswith("error: bad.txt is not UTF-8: ")
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt", "bad.txt"]


@given(corpus=CORPORA.filter(bool))
def test_training_on_the_counts_is_training_on_the_text(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[str]
) -> None:
    """`train --counts` makes the same tokenizer, as a chunk alone is one chunk."""
    folder = tmp_path_factory.mktemp("chunks")
    for number, text in enumerate(corpus):
        (folder / str(number)).write_bytes(text.encode())
    names = [str(number) for number in range(len(corpus))]
    assert chunks(folder, "--input", *names, "--output", "counts").returncode == 0
    words = ["train", "--counts", "counts", "--vocab-size", "300", "--output", "new.json"]
    assert bpetite(*words, cwd=folder).returncode == 0
    Tokenizer.train(corpus, 300).save(folder / "expected.json")
    assert (folder / "new.json").read_bytes() == (folder / "expected.json").read_bytes()


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_the_bar_shows_the_phases(folder: Path) -> None:
    """On a terminal, the bar names each phase, and then disappears."""
    words = ["chunks", "--input", "a.txt", "--output", "out"]
    status, shown = shown_in_terminal(words, folder)
    assert status == 0
    assert all(phase in shown for phase in ("counting text", "sorting", "saving"))


def test_parts_are_trained_like_the_whole(tmp_path: Path) -> None:
    """Training and verifying on the counts of parts is training on the whole text."""
    parts = ["low lower lowest\n" * 9, "the cat low é ⛵\n" * 7, ""]
    for number, text in enumerate(parts):
        (tmp_path / f"{number}.txt").write_text(text)
        words = ["chunks", "--input", f"{number}.txt", "--output", f"{number}.jsonl"]
        assert bpetite(*words, cwd=tmp_path).returncode == 0
    counts = ["0.jsonl", "1.jsonl", "--counts", "2.jsonl"]
    words = ["train", "--vocab-size", "280", "--output", "parts.json", "--counts", *counts]
    assert bpetite(*words, cwd=tmp_path).returncode == 0
    Tokenizer.train(parts, 280).save(tmp_path / "whole.json")
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    verified = bpetite("verify", "--model", "whole.json", "--counts", *counts, cwd=tmp_path)
    assert (verified.returncode, json.loads(verified.stdout)["files"]) == (0, 3)
    assert refused(bpetite("chunks", "--counts", "-", "-", cwd=tmp_path)) == [
        "error: standard input (-) can be read only once; name it once"
    ]


@pytest.mark.parametrize("found", ['"gpt4"', '"GPT2"', "null", "5"])
@pytest.mark.parametrize(
    "words", ["chunks", "train --vocab-size 256 --output new.json", "verify --model model.json"]
)
def test_chunks_of_another_pattern_are_refused(tmp_path: Path, words: str, found: str) -> None:
    """A row with another pattern is an error; rows without one are documents."""
    Tokenizer.train("", 256).save(tmp_path / "model.json")
    rows = ['{"text": "a", "count": 1}', '{"text": "a", "count": 1, "pattern": "gpt2"}']
    call = [*words.split(), "--counts", "counts"]
    (tmp_path / "counts").write_text("\n".join(rows))
    assert bpetite(*call, cwd=tmp_path).returncode == 0
    rows.append(f'{{"text": "a", "count": 1, "pattern": {found}}}')
    (tmp_path / "counts").write_text("\n".join(rows))
    if "train" in words:
        (tmp_path / "new.json").unlink()
    shown = {"null": "null", "5": "a number"}.get(found, found.replace('"', "'"))
    ways_out = "count the text again with `bpetite chunks --pattern gpt2`"
    if found == '"gpt4"':
        ways_out = f"`train` and `chunks` read this file with --pattern gpt4; or {ways_out}"
    assert refused(bpetite(*call, cwd=tmp_path))[-2:] == [
        f"error: counts, line 3: expected the pattern 'gpt2', found {shown}",
        ways_out,
    ]


MOST = 2**63 - 1


@pytest.mark.parametrize(
    "rows", [[(" a", MOST), (" a", 1)], [(" b", 1), (" a a", 2**62)], [(" a" * 9, MOST)]]
)
def test_no_sum_is_higher_than_train_reads(tmp_path: Path, rows: list[tuple[str, int]]) -> None:
    """If counts add up to more than `--counts` reads, an error names the chunk; all is exact."""
    for number, (text, count) in enumerate(rows):
        (tmp_path / str(number)).write_text(json.dumps({"text": text, "count": count}))
    parts = [str(number) for number in range(len(rows))]
    total = sum(text.count("a") * count for text, count in rows)
    for more in ((), ("--output", "out")):
        assert refused(chunks(tmp_path, "--counts", *parts, *more)) == [
            f"error: the chunk ' a' occurs {total} times, but --counts reads counts up to {MOST}",
            "train on these files themselves: train --counts accepts several",
        ]
    assert not (tmp_path / "out").exists()
    words = ["train", "--vocab-size", "257", "--output", "new.json", "--counts", *parts]
    assert bpetite(*words, cwd=tmp_path).returncode == 0
    assert Tokenizer.load(tmp_path / "new.json").encode(" a") == [256]


def test_the_highest_count_is_written_and_read(tmp_path: Path) -> None:
    """A sum that is exactly the highest count is a line that `chunks` reads again."""
    (tmp_path / "one").write_text(json.dumps({"text": "a", "count": MOST - 1}))
    (tmp_path / "two").write_text('{"text":"a","count":1}')
    line = row("a", MOST)
    assert chunks(tmp_path, "--counts", "one", "two").stdout == line
    assert chunks(tmp_path, "--counts", "-", stdin=line).stdout == line


@pytest.mark.posix
def test_an_interrupted_run_can_be_repeated(folder: Path) -> None:
    """Ctrl-C leaves no file, and no part of one; the same command then succeeds."""
    text = (A + B) * 40_000
    words = ("chunks", "--input", "-", "--output", "out", "--jobs", "1")
    with start(*words, cwd=folder) as process:
        assert process.stdin is not None
        process.stdin.write(text.encode())  # more than the pipe holds: it has begun to count
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (130, b"", b"interrupted\n")
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]
    assert chunks(folder, *words[1:], stdin=text.encode()).returncode == 0
    assert (folder / "out").read_bytes() == expected(text)


@pytest.mark.posix
def test_a_terminal_gets_the_most_frequent_chunks(tmp_path: Path) -> None:
    """The rows are the 20 most frequent chunks, equal counts by code points, and the totals."""
    (tmp_path / "text").write_text(
        "a " * 1200 + "".join(f" x{letter}" for letter in "zyxwvutsrq" * 3)
    )
    status, shown = shown_in_terminal(["chunks", "--input", "text"], tmp_path)
    rows = shown.splitlines()
    assert (status, len(rows)) == (0, 14)
    assert rows[:2] == ["1,199  ·a", "    3  ·xq"]
    assert rows[-1] == "13 distinct chunks, 1,231 in all; --output saves them"
