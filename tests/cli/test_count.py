"""`bpetite count`, from the command line."""

import itertools
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpetite import Tokenizer
from cli_tools import A, B, about_folder, bpetite, lines, refused

MISSING = "missing: No such file or directory; check the path"


def tokens_of(*texts: str) -> int:
    """Return how many tokens the library makes of each text."""
    tokenizer = Tokenizer.load("m.json")
    return sum(len(tokenizer.encode(text)) for text in texts)


def figures(*texts: str) -> dict[str, Any]:
    """Return the figures of texts."""
    size, tokens = len("".join(texts).encode()), tokens_of(*texts)
    ratio = round(size / tokens, 4) if tokens else None
    return {"bytes": size, "tokens": tokens, "bytes_per_token": ratio}


def count(*words: str | os.PathLike[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Count with the folder's model."""
    return bpetite("count", "--model", "m.json", *words, stdin=stdin)


@pytest.mark.usefixtures("small")
def test_standard_input_prints_only_the_number() -> None:
    """A script gets just the number, with nothing to strip; `-` is a FILE like any other."""
    result = count(stdin=A.encode())
    expected = b"%d\n" % tokens_of(A)
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, b"")
    assert count().stdout == b"0\n"
    assert count("-", stdin=A.encode()).stdout == expected.replace(b"\n", b"\t-\n")


@pytest.mark.usefixtures("small")
def test_each_file_has_a_line_and_several_have_a_total() -> None:
    """As in `wc`: the number, a tab, the name; one file has no total."""
    a, b = tokens_of(A), tokens_of(B)
    assert lines(count("a.txt").stdout) == [f"{a}\ta.txt"]
    shown = [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert lines(count("a.txt", "b.txt").stdout) == shown


@pytest.mark.usefixtures("small")
def test_json_is_one_object() -> None:
    """`--json` has the figures of each file and the total; without tokens the ratio is null."""
    result = count("--json", "a.txt", "b.txt")
    told = {"files": 2, **figures(A, B), "max": None, "within": None}
    files = [{"path": f"{name}.txt", **figures(text)} for name, text in (("a", A), ("b", B))]
    assert json.loads(result.stdout) == told | {"per_file": [f | {"error": None} for f in files]}
    assert result.stdout.count(b"\n") == 1
    nothing = json.loads(count("--json").stdout)
    assert nothing["per_file"] == [{"path": "-", **figures(), "error": None}]
    assert nothing["bytes_per_token"] is None


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("order", list(itertools.permutations(["a.txt", "--json", "b.txt"])))
def test_options_go_anywhere(order: tuple[str, ...]) -> None:
    """Options are allowed before, between and after the files."""
    result = bpetite("count", *order[:1], "--model", "m.json", *order[1:])
    named = [word for word in order if word != "--json"]
    assert [file["path"] for file in json.loads(result.stdout)["per_file"]] == named


def test_a_name_may_begin_with_a_dash(small: Path) -> None:
    """After `--` all words are names."""
    (small / "-x").write_text("Hello")
    told = json.loads(count("a.txt", "--json", "--", "-x", "--json").stdout)
    assert [file["path"] for file in told["per_file"]] == ["a.txt", "-x", "--json"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_exceeding_the_maximum_is_a_failure(more: list[str]) -> None:
    """`--max N` prints the counts, reports the excess, and exits with 1."""
    tokens = tokens_of(A, B)
    plain = count("a.txt", "b.txt", *more)
    result = count("a.txt", "b.txt", "--max", str(tokens - 2), *more)
    error = f"error: {tokens} tokens exceed --max {tokens - 2} by 2; shorten the text, or raise "
    assert (result.returncode, lines(result.stderr)) == (1, [f"{error}--max"])
    if more:
        limit = {"max": tokens - 2, "within": False}
        assert json.loads(result.stdout) == json.loads(plain.stdout) | limit
    else:
        assert result.stdout == plain.stdout


@pytest.mark.usefixtures("small")
def test_the_maximum_is_inclusive() -> None:
    """The limit itself is allowed, and 0 is a limit."""
    result = count("a.txt", "--max", str(tokens_of(A)), "--json")
    assert (result.returncode, json.loads(result.stdout)["within"]) == (0, True)
    assert count("--max", "0").returncode == 0
    assert count("--max", "0", stdin=b"a").returncode == 1


def test_unreadable_files_are_named_and_others_counted(small: Path) -> None:
    """As in `wc`: each unreadable file is reported, the rest is counted, the status is 1."""
    (small / "bad.txt").write_bytes(b"caf\xe9 au lait")
    result = count("a.txt", "missing", "bad.txt", ".", "b.txt")
    assert (result.returncode, result.stdout) == (1, count("a.txt", "b.txt").stdout)
    assert lines(result.stderr) == [
        f"error: {MISSING}",
        "error: bad.txt is not UTF-8: byte 0xe9 at offset 3 (around it: 63 61 66 e9 20 61 75)",
        "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8",
        f"error: {about_folder('.')}",
        "error: 3 of 5 files could not be counted; the total covers the others",
    ]
    assert refused(count("missing")) == [f"error: {MISSING}"]  # without a summary


@pytest.mark.usefixtures("small")
def test_json_names_the_unreadable_file() -> None:
    """An unreadable file has an error instead of figures; "within limit" is then unknown."""
    result = count("missing", "a.txt", "--json", "--max", "100")
    told = json.loads(result.stdout)
    unknown = dict.fromkeys(("bytes", "tokens", "bytes_per_token"))
    assert told["per_file"][0] == {"path": "missing", **unknown, "error": MISSING}
    found = result.returncode, told["files"], told["tokens"], told["within"]
    assert found == (1, 1, tokens_of(A), None)
    result = count("missing", "a.txt", "--json", "--max", "1")
    assert json.loads(result.stdout)["within"] is False
    assert len(lines(result.stderr)) == 3


def test_names_that_break_lines_are_quoted(small: Path) -> None:
    """A name is printed unchanged, unless it would end the line or move the cursor."""
    named = ["船 夫.txt", "two\nlines", "\x1b[2Jclear"]
    for name in named:
        (small / name).write_text("Hello")
    names = [line.split("\t")[1] for line in lines(count(*named).stdout)]
    assert names == ["船 夫.txt", "'two\\nlines'", "'\\x1b[2Jclear'", "total"]
    told = json.loads(count("--json", *named).stdout)
    assert [file["path"] for file in told["per_file"]] == named


COUNTER = """
class Counter:
    def __init__(self, name, ordinary):
        self.name = name
        self.in_blocks = False
    def __call__(self, text):
        if "?" in text:
            raise ValueError("no questions")
        return text.count(self.name)
add = Counter
"""


def test_another_package_counts_by_an_encoding(install: Callable[..., None], here: Path) -> None:
    """`--encoding` passes the name on; a text that cannot be counted is an error for its file."""
    install("bpetite_compare")  # an empty package
    install("words", COUNTER, "bpetite.encodings")
    assert bpetite("count", "--encoding", "low", stdin=b"low lower").stdout == b"2\n"
    (here / "a").write_text("low?")
    (here / "b").write_text("slow")
    result = bpetite("count", "--encoding", "low", "a", "b")
    assert (result.returncode, lines(result.stdout)) == (1, ["1\tb", "1\ttotal"])
    assert lines(result.stderr)[0] == "error: a: no questions"


def test_broken_encodings_are_named(install: Callable[..., None]) -> None:
    """A package whose encodings cannot be loaded is reported in one line."""
    install("bpetite_compare")  # an empty package
    install("broken", "1/0", "bpetite.encodings")
    assert refused(bpetite("count", "--encoding", "x")) == [
        "error: the encodings of broken cannot be loaded: division by zero"
    ]
