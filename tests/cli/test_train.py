"""`bpetite train`, from the command line."""

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from cli_tools import (
    BLOCK,
    BPETITE,
    call,
    in_terminal,
    in_words,
    lines,
    printed,
    refusal,
    refused,
    rows_of,
    start,
)

TEXT = "The ferryman said: write it shorter. 船夫说:“写短一点。” ⛵\r\n" * 20


@pytest.fixture
def corpus(here: Path) -> Path:
    """Return a small file of text."""
    path = here / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


TRAIN = "train --vocab-size 300 --output t.json --input"


@pytest.mark.usefixtures("corpus")
def test_standard_output_is_one_json_object() -> None:
    """FR-34: the specification's five figures come first, then those shared with other commands."""
    (summary,) = rows_of(f"{TRAIN} corpus.txt")
    assert isinstance(summary.pop("elapsed_ms"), int)
    size = len(TEXT.encode())
    specified = {
        "corpus_bytes": size,
        "requested_vocab_size": 300,
        "actual_mergeable_vocab_size": 300,
        "special_token_count": 1,
    }
    hashed = hashlib.sha256(Path("t.json").read_bytes()).hexdigest()
    files = {"files": 1, "skipped": None, "outputs": ["t.json"], "sha256": hashed}
    model = {"rows": 301, "pattern": "gpt2", "special_tokens": {"<|endoftext|>": 300}}
    merges = {"merges": 44, "merges_kept": 0, "new_ids": [256, 299], "ids_kept": None}
    frequent = {"last_count": 20, "frequent_vocab_size": 256}
    assert summary == specified | files | model | merges | frequent
    assert [*summary][:4] == [*specified]


def test_the_counts_of_merges_are_reported(here: Path) -> None:
    """The last merge's count, from which size on merges are rare, and that no pair is left.

    Lines say that merges are rare if the vocabulary is large enough for a model.
    """
    words = "train text --force --vocab-size"
    rare = (
        "rare: the last {:,} tokens were counted less than 100 times, the last one {}; a model "
        "hardly learns them: train on more text, or choose --vocab-size {}"
    )
    numbers = " ".join(f"{number:x}" for number in range(5000))
    for text, size, count, frequent, told in (
        ("ab" * 100, 257, 100, 257, []),
        (" ab" * 99 + "c", 257, 99, 256, []),
        (" ab" * 150 + "c", 300, 1, 258, []),  # no pair is left
        ("ab", 256, None, None, []),
        ("", 300, None, None, []),
        (numbers, 1999, 1, 275, []),
        (numbers, 2000, 1, 275, [rare.format(1725, "1 time", 275)]),
    ):
        (here / "text").write_text(text)
        result = call(f"{words} {size} --output t.json")
        summary = json.loads(result.stdout)
        assert (summary["last_count"], summary["frequent_vocab_size"]) == (count, frequent)
        fewer = b"fewer than the 300 wanted: no pair is left" in result.stderr
        assert fewer == (size == 300) == (summary["actual_mergeable_vocab_size"] < size)
        shown = in_words(f"{words} {size} --output t.json")
        assert [line for line in shown if line.startswith("rare: ")] == told
    shown = in_words("train text --force --total 2001 --output t.json")
    assert shown[-1].endswith("or choose --total 276")  # a special token more


@pytest.mark.parametrize(
    ("inputs", "documents"),
    [("a", ["ab" * 9]), ("a b", ["ab" * 9, "cd" * 9]), ("a -", ["ab" * 9, TEXT]), ("-", [TEXT])],
)
def test_artifact_is_that_of_the_library(here: Path, inputs: str, documents: list[str]) -> None:
    """FR-32: `train` writes what `Tokenizer.train` and `save` write; each file is a document."""
    (here / "a").write_bytes(b"ab" * 9)
    (here / "b").write_bytes(b"cd" * 9)
    (summary,) = rows_of(f"{TRAIN} {inputs}", stdin=TEXT.encode())
    assert summary["corpus_bytes"] == len("".join(documents).encode())
    assert Tokenizer.load("t.json") == Tokenizer.train(documents, 300)


def test_a_file_of_many_blocks_trains_as_one_text(here: Path) -> None:
    """A file is streamed in blocks, and the artifact is that of the whole text."""
    chooser = random.Random(7)
    words = ["low", "lower", " \n", "\r\n", "船夫", "  ", "⛵", "\x1c", "x" * 50, "\u2003", "don't"]
    text = "".join(chooser.choice(words) + chooser.choice(["", " "]) for _ in range(30_000))
    (here / "c.txt").write_bytes(text.encode())
    assert len(text.encode()) > 2 * BLOCK
    printed(f"{TRAIN} c.txt")
    assert Tokenizer.load("t.json") == Tokenizer.train(text, 300)


def test_progress_is_plain_lines_off_a_terminal(here: Path) -> None:
    """Progress is reported at the start, every 100 merges, and at the end."""
    (here / "c.txt").write_text(" ".join(f"{n:x}" for n in range(5000)))
    words = "train --input c.txt --vocab-size 512 --output-format text --output"
    result = call(words, "\x1b[2J")
    start, counted, *merges, end = result.told
    assert start == "training: 512 mergeable tokens wanted"
    assert counted == "counted: 20,631 characters, 1,797 distinct chunks"
    assert merges == ["merge 100 of 256: 32, 18 times", "merge 200 of 256: ·22, 7 times"]
    assert end == "trained: 512 mergeable tokens"
    saved = r"saved: '\\x1b\[2J', 512 tokens and 1 special token from 20.6 kB in \S+ s"
    assert re.fullmatch(saved, lines(result.stdout)[0])
    assert b"\x1b" not in result.stdout + result.stderr


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    ("env", "shown", "absent"),
    [
        ({"COLUMNS": "9" * 5000}, "saved", "\0"),
        ({"LINES": "²"}, "saved", "\0"),
        ({"NO_COLOR": "1"}, "counting", "\x1b\\[3|;5;"),
        ({"TERM": "dumb"}, "training: 300 mergeable tokens wanted", "\x1b"),
    ],
    ids=["much too wide", "no number", "no color", "dumb terminal"],
)
def test_the_environment_may_restrict_the_bar(
    corpus: Path, here: Path, env: dict[str, str], shown: str, absent: str
) -> None:
    """Invalid screen sizes are ignored; NO_COLOR removes colors, and a dumb terminal the bar."""
    words = ["train", "--input", corpus.name, "--vocab-size", "300", "--output", "t.json"]
    status, _, drawn = in_terminal(words, here, env)
    assert (status, shown in drawn.decode()) == (0, True)
    assert not re.search(absent, drawn.decode())


def test_output_that_is_standard_input_is_rejected(corpus: Path) -> None:
    """An output is also recognized as an input given with `<`."""
    (line,) = refusal(f"{TRAIN} - --force".replace("t.json", "corpus.txt"), stdin=corpus)
    assert "is also an input" in line
    assert corpus.read_bytes() == TEXT.encode()


ICONV = "it looks like {}; convert it first, with: iconv -f {} -t UTF-8"
INVALID = {
    b"caf\xe9 au lait": ICONV.format("Latin-1", "LATIN1"),
    b"\x93quoted\x94 text": ICONV.format("Windows-1252", "WINDOWS-1252"),
    b"n\0 \0" * 4 + b"\xe9\0": ICONV.format("UTF-16", "UTF-16LE"),
    b"\0n\0 " * 4 + b"\0\xe9": ICONV.format("UTF-16", "UTF-16BE"),
    "hi".encode("utf-16"): ICONV.format("UTF-16", "UTF-16"),
    b"PAR1\x15\x90": "it looks like a Parquet file; commands with --parquet COLUMN read its text",
    b"caf\xe9 \0": "it has NUL bytes: it is binary, or UTF-16; leave it out, or convert it",
    b"ok\n" + "hi".encode("utf-16"): (
        "a part that looks like UTF-16 begins there; convert it before you join it, with: "
        "iconv -f UTF-16 -t UTF-8"
    ),
    b"x\xe2\x9b": "it ends in the middle of a character; was it cut short, or is it Latin-1?",
    b"ok " * 25_000 + b"\x80": "bpetite reads UTF-8 only; convert the file, or leave it out",
}
"""Texts, each with what it looks like; the last has several blocks."""


@pytest.mark.parametrize("content", INVALID, ids=lambda content: repr(content[-12:]))
def test_invalid_utf_8_files_are_rejected(here: Path, content: bytes) -> None:
    """The error names path, offset and bytes, and what the file looks like."""
    (here / "bad.txt").write_bytes(content)
    with pytest.raises(UnicodeDecodeError) as found:
        content.decode()
    place = found.value.start
    around = content[max(0, place - 4) : place + 4].hex(" ")
    where = f"byte 0x{content[place]:02x} at offset {place} (around it: {around})"
    assert refusal(f"{TRAIN} bad.txt")[-2:] == [
        f"error: bad.txt is not UTF-8: {where}",
        INVALID[content],
    ]
    assert not (here / "t.json").exists()


@pytest.mark.posix
def test_nohup_is_respected(here: Path) -> None:
    """A hangup signal is ignored if the shell has set it so."""
    ignoring = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"]  # as nohup; macOS's needs a console
    with start(*TRAIN.split(), "-", cwd=here, before=ignoring) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"waiting for standard input")
        process.send_signal(signal.SIGHUP)
        output, _ = process.communicate(b"low lower", timeout=60)
    assert process.returncode == 0
    assert json.loads(output)["corpus_bytes"] == 9


@pytest.mark.posix
def test_unpermitted_paths_are_rejected_first(corpus: Path, here: Path) -> None:
    """FR-33: an input or a folder without permission is named before the training."""
    before = []
    if os.geteuid() == 0:  # root may read and write everything
        if not shutil.which("setpriv"):
            pytest.skip("root may do everything, and there is no setpriv to take that away")
        before = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    (here / "secret").touch(mode=0o000)
    (here / "locked").mkdir(mode=0o555)
    folder = f"cannot create a file in {here}/locked: Permission denied; choose another folder"
    for words, error in (
        ("corpus.txt secret -o t.json", "secret: no permission to read it; change its permissions"),
        ("corpus.txt -o locked/t.json", f"locked/t.json: {folder}"),
    ):
        command = [*before, BPETITE, *f"train --vocab-size 300 --input {words}".split()]
        result = subprocess.run(command, capture_output=True, cwd=here, check=False)
        assert refused(result) == [f"error: {error}"]


TOTALS: Final = {
    "one special token": ("", "--total 300", "--vocab-size 299"),
    "three of them": ("--special a! b! c!", "--total 300", "--vocab-size 297"),
    "none, and bytes alone": ("--special", "--total 256", "--vocab-size 256"),
    "that of a start": ("--start start.json", "--total 300", "--vocab-size 299"),
    "a new one beside it": ("--start start.json --special b!", "--total 300", "--vocab-size 298"),
}
"""Options, and a total with the size that gives the same file."""


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize(("options", "total", "size"), TOTALS.values(), ids=TOTALS)
def test_a_total_has_the_special_tokens_too(options: str, total: str, size: str) -> None:
    """`--total` makes so many ids in all, and fewer only if no pair is left."""
    Tokenizer.train(TEXT, 270, special_tokens=["a!"]).save("start.json")
    (summary,) = rows_of(f"train corpus.txt -o total.json {total} {options}")
    printed(f"train corpus.txt -o size.json {size} {options}")
    assert Path("total.json").read_bytes() == Path("size.json").read_bytes()
    assert (summary["rows"], summary["requested_vocab_size"]) == (
        int(total.split()[1]),
        int(size.split()[1]),
    )


@pytest.mark.usefixtures("corpus")
def test_a_total_without_room_is_rejected() -> None:
    """The bytes and special tokens need room, and so do all tokens of a start."""
    Tokenizer.train(TEXT, 270, special_tokens=["a!"]).save("start.json")
    for options, error in {
        "--total 256": "--total 256 is too few: expected at least 257, for 256 tokens and 1 "
        "special token",
        "--total 258 --special a! b! c!": "--total 258 is too few: expected at least 259, for 256 "
        "tokens and 3 special tokens",
        "--total 270 --start start.json": "--total 270 is too few: expected at least 271, for 270 "
        "tokens and 1 special token",
    }.items():
        assert refusal(f"train corpus.txt -o t.json {options}") == [f"error: {error}"]
    assert not Path("t.json").exists()


def test_special_tokens_are_given_in_order(corpus: Path) -> None:
    """Without the option there is `<|endoftext|>`; without values there is none."""
    for words, names in (
        ("", ["<|endoftext|>"]),
        ("--special", []),
        ("--special '<|b|>' --special --special '<|a|>'", ["<|b|>", "<|a|>"]),
    ):
        printed(f"{TRAIN} corpus.txt --force {words}")
        assert Tokenizer.load("t.json") == Tokenizer.train(TEXT, 300, special_tokens=names)
    (corpus.parent / "a.b").touch()  # a path among them would silently be no input
    advice = "put it before --special, or after --input"
    for word, fault in (
        ("a.b", "'a.b' is a file;"),
        ("corpus.tx", "there is no file 'corpus.tx'; did you mean corpus.txt? For a file,"),
    ):
        told = refusal(f"{TRAIN} corpus.txt --special '<|a|>' {word}", status=2)
        assert told[0] == f"error: argument --special: {fault} {advice}"
    words = "--force --special '<|b|>' '<|a,c|>' --output-format text"
    assert b"\nspecial tokens: <|b|> (300), <|a,c|> (301)\n" in printed(
        f"{TRAIN} corpus.txt {words}"
    )
